package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/adrg/xdg"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"winnow/cli/config"
	"winnow/cli/report"
	"winnow/docs"
	"winnow/llm"
	"winnow/llm/guide"
	"winnow/llm/mcp"
	"winnow/llm/redact"
	"winnow/llm/tokenizer"
	"winnow/llm/tool"
	"winnow/session"
	"winnow/session/record"
	"winnow/session/settings"
	"winnow/session/store"
	"winnow/ui/remembered"
)

// app is winnow with its configuration loaded. Commands that use endpoints, tools or chats run on it.
type app struct {
	*program
	purpose purpose
	config  config.Config
	catalog *llm.Catalog
	servers *mcp.Servers // started on first use
	log     *slog.Logger
	logFile io.Closer
	store   *store.Store // nil until it is opened

	// The fields below are set by prepare, for commands that continue a chat.
	deps    session.Deps
	choice  llm.ModelChoice
	notices []string           // sentences to show to the user
	memory  *remembered.Memory // the last choices on the screen; nil remembers nothing
	chosen  remembered.Choices
}

// purpose is what a command needs the chats for.
type purpose int

const (
	purposeLook   purpose = iota // show stored data
	purposeChange                // store something
	purposePlan                  // show what a chat would send next; nothing is sent
	purposeRun                   // send one message immediately
	purposeChat                  // run the screen, where the user sees the chosen model before anything is sent
)

// withApp loads the configuration, opens the chats and calls run, for a command without a screen. It reports the
// recovery of a damaged history on standard error.
func (p *program) withApp(ctx context.Context, to purpose, run func(*app) error) error {
	a, err := p.setup()
	if err != nil {
		return err
	}
	defer a.close()
	if a.purpose = to; to < purposePlan {
		err = a.openStore(ctx)
	} else {
		err = a.prepare(ctx)
	}
	if err != nil {
		return err
	}
	if a.store.Salvaged() {
		for _, notice := range a.store.Notices() {
			fmt.Fprintln(p.err, notice)
		}
	}
	return run(a)
}

func (a *app) close() {
	a.servers.Close()
	if a.store != nil {
		a.store.Close()
	}
	a.logFile.Close()
}

// storeCommand returns a command that reads or edits stored chats.
func (p *program) storeCommand(
	use, short string, run func(ctx context.Context, s *store.Store, args []string) error,
) *cobra.Command {
	return p.command(use, short, func(ctx context.Context, args []string) error {
		return p.withApp(ctx, purposeLook, func(a *app) error { return run(ctx, a.store, args) })
	})
}

// sessionCommand returns a command for one session, which is the last one if no id is given. rest is the arguments
// after the id.
func (p *program) sessionCommand(
	use, short string, run func(ctx context.Context, s *store.Store, info store.Session, rest []string) error,
) *cobra.Command {
	return p.storeCommand(use, short, func(ctx context.Context, s *store.Store, args []string) error {
		args = append(args, "")
		info, err := findSession(ctx, s, args[0])
		if err != nil {
			return err
		}
		return run(ctx, s, info, args[1:])
	})
}

// conversationCommand returns a command that reads a session in order to show what it would send next. Without an id it
// is the last session.
func (p *program) conversationCommand(
	use, short string, run func(a *app, ctx context.Context, s *session.Session) error,
) *cobra.Command {
	return p.command(use, short, func(ctx context.Context, args []string) error {
		p.flags.session, p.flags.last = strings.Join(args, ""), len(args) == 0
		return p.withApp(ctx, purposePlan, func(a *app) error {
			s, err := session.Open(ctx, a.deps, p.flags.session, a.choice.Ref)
			if err != nil {
				return err
			}
			return run(a, ctx, s)
		})
	})
}

// setup loads the configuration and lists the endpoints: configured ones, those from the environment, and the guide. It
// sends no requests.
func (p *program) setup() (*app, error) {
	c, err := p.readConfig()
	if err != nil {
		return nil, err
	}
	endpoints := p.endpoints(c)
	servers, secrets := p.mcpServers(c)
	p.redactor.AddSecrets(secrets...)
	p.learnKeys(endpoints)
	p.unsetKeys(endpoints...)
	a := &app{program: p, config: c, servers: mcp.NewServers(p.build, servers...)}
	if a.log, a.logFile, err = p.openLog(); err != nil {
		return nil, err
	}
	a.catalog = &llm.Catalog{
		ModelConfigs: c.ModelTables(), Doer: p.network, Redactor: p.redactor, WithStoredKey: p.withStored,
		ProbeLocal: true,
	}
	pace := time.Duration(0)
	if term.IsTerminal(p.out.Fd()) {
		pace = 12 * time.Millisecond // on a terminal, the guide streams its answers at the pace of a model
	}
	a.catalog.With(append(endpoints, guide.NewEndpoint(docs.Pages, pace))...)
	return a, nil
}

// openStore opens the chats, or an empty history in memory if nothing is to be saved. A command that only reads does
// not create the file.
func (a *app) openStore(ctx context.Context) error {
	path, err := a.dbPath()
	if err != nil {
		return err
	}
	missing := (a.purpose == purposeLook || a.purpose == purposePlan) && !exists(path)
	if missing && (a.flags.db != "" || a.env("WINNOW_DB") != "") {
		return fail(exitNotFound, "there is no database at %s", path)
	}
	if missing || a.flags.noSave {
		path = store.InMemory
	}
	a.store, err = store.Open(ctx, path, store.Options{Now: a.now, Redact: a.redactor.RedactKnown})
	return err
}

// openLog opens the log of --debug: JSON lines without secrets, appended to a file that only the user can read. Without
// --debug it returns a logger that discards everything.
func (p *program) openLog() (*slog.Logger, io.Closer, error) {
	if !p.flags.debug {
		return slog.New(slog.DiscardHandler), io.NopCloser(nil), nil
	}
	path, err := p.inFolder("XDG_STATE_HOME", xdg.StateHome, "log.jsonl", "XDG_STATE_HOME")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return nil, nil, fail(exitFailed, "cannot write the log: %w", err)
	}
	return redact.NewLog(f, p.redactor).With("process", os.Getpid()), f, nil
}

// prepare chooses the model, opens the chats and sets a.deps. For a new chat it opens the history only after it has
// found a model, so that a failing first start leaves no file.
func (a *app) prepare(ctx context.Context) error {
	if a.purpose == purposeChat {
		a.loadRemembered()
	}
	// A key_command may prompt the user, so run it before the screen starts.
	err := a.fetchKeys(ctx)
	var row store.Session
	if err == nil && (a.flags.session != "" || a.flags.last) {
		if err = a.openStore(ctx); err == nil {
			row, err = findSession(ctx, a.store, a.flags.session)
		}
		a.flags.session = row.ID
	}
	if err == nil {
		err = a.choose(ctx, row)
	}
	if err == nil && a.store == nil {
		err = a.openStore(ctx)
	}
	if err != nil {
		return err
	}
	a.log.Info("ready", "winnow", a.build, "model", a.choice.Ref, "why", a.choice.Reason, "db", a.store.Path())
	a.deps = a.newDeps()
	return nil
}

// newDeps returns the configuration in the form that package session needs.
func (a *app) newDeps() session.Deps {
	counter, c, titles := tokenizer.New(), a.config, ""
	if a.purpose == purposeChat {
		titles = c.Titles.Model
	}
	return session.Deps{
		Store:        a.store,
		Models:       a.catalog,
		Global:       settings.Global{Policy: c.Context, Context: c.ContextKeys, Environment: c.EnvironmentKeys},
		System:       c.System.Prompt,
		Sampling:     record.Sampling(c.Sampling),
		DefaultsFor:  c.ModelSettings,
		TitleModel:   titles,
		SummaryModel: c.Summary.Model,
		Tools:        a.servers.Toolboxes(),
		// Texts from the servers may contain a secret.
		PrepareTools: func(ctx context.Context, say func(sentence string)) error {
			return a.servers.Prepare(ctx, func(sentence string) { say(a.redactor.Redact(sentence)) })
		},
		OfferRecall:  c.Tools.Permissions["recall"] != tool.Off,
		BuiltinTools: a.builtinTools(c.Tools),
		Limits:       c.Limits.SpendLimits(),
		Approval:     a.approval(),
		ToolLimits:   tool.Limits{Timeout: time.Minute, OutputBytes: 1 << 20},
		MaxRounds:    c.Tools.MaxRounds,
		Count:        counter.Count,
		Tokenizer:    counter.Name(),
		Now:          a.now,
		Redact:       a.redactor.RedactKnown,
		Log:          a.log,
		Observe:      a.observe,
	}
}

// choose picks the model to start with. A session keeps its model unless a flag names another. Only the screen, where
// the user sees the choice before sending, may fall back to a model that nothing named.
func (a *app) choose(ctx context.Context, row store.Session) error {
	if a.flags.model == "" && row.Endpoint != "" {
		a.choice = llm.ModelChoice{Ref: report.SessionModel(row), Reason: "this chat uses it"}
		return nil
	}
	wanted := llm.ModelPreference{Last: a.chosen.Model, DefaultEndpoint: row.Endpoint}
	wanted.AllowLocal = a.purpose == purposeChat
	wanted.Source, wanted.Ref = a.namedModel(a.config)
	var err error
	switch a.choice, err = llm.ChooseModel(ctx, a.catalog, wanted); {
	case errors.Is(err, llm.ErrNoModel) && a.purpose == purposePlan:
		return nil
	case errors.Is(err, llm.ErrNoModel):
		return fail(exitProvider, "%w", err)
	case errors.As(err, new(llm.UnknownModelError)):
		return fail(exitUsage, "%s: %w", wanted.Source, err)
	}
	return err
}

// namedModel returns the model that the user named, and where; both are "" if none is named.
func (p *program) namedModel(c config.Config) (from, ref string) {
	switch {
	case p.flags.model != "":
		return "-m", p.flags.model
	case p.env("WINNOW_MODEL") != "":
		return "WINNOW_MODEL", c.Model
	case c.Model != "":
		return "the configuration", c.Model
	}
	return "", ""
}

// start opens the session that the flags name, or starts a new one.
func (a *app) start(ctx context.Context) (*session.Session, error) {
	if a.flags.session == "" {
		dir, _ := os.Getwd()
		start := session.StartOptions{Model: a.choice.Ref, Unavailable: a.choice.Unavailable, Dir: dir}
		if a.flags.temporary {
			return session.NewTemporary(ctx, a.deps, start)
		}
		return session.New(a.deps, start)
	}
	s, err := session.Open(ctx, a.deps, a.flags.session, a.choice.Ref)
	if err != nil {
		return nil, err
	}
	if !s.Info().Deleted.IsZero() {
		return nil, fail(exitFailed, "the chat is in the trash; restore it with winnow sessions restore %s",
			s.Info().ID)
	}
	if a.flags.model != "" {
		if last := report.SessionModel(s.Info()); last != "-" && last != a.choice.Ref {
			a.notices = append(a.notices, "This chat last used "+last+"; it now uses "+a.choice.Ref+".")
		}
		err = s.Set(ctx, session.Settings{Model: a.choice.Ref})
	}
	return s, err
}
