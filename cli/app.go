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

// app is winnow with its configuration read: what the commands work with that list, read or hold conversations.
type app struct {
	*program
	use     use
	config  config.Config
	catalog *llm.Catalog
	servers *mcp.Servers // none is started before it is needed
	log     *slog.Logger
	logFile io.Closer
	store   *store.Store // nil until it is opened

	// of a conversation
	deps    session.Deps
	choice  llm.Choice
	notices []string           // sentences for the screen
	memory  *remembered.Memory // what was chosen on the screen before; nil remembers nothing
	chosen  remembered.Choices
}

// use is what a command opens the conversations for.
type use int

const (
	toLook   use = iota // nothing is added
	toChange            // something is stored
	toRead              // a conversation is read as it would be continued; nothing is sent
	toRun               // one message is sent at once
	toChat              // a person reads on the screen which model was chosen, before anything is sent
)

// with opens the conversations for a command that has no screen. What became of a damaged history is said at the one
// opening that met it.
func (p *program) with(ctx context.Context, to use, run func(*app) error) error {
	a, err := p.setup()
	if err != nil {
		return err
	}
	defer a.close()
	if a.use = to; to < toRead {
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

// storeCommand makes a command that looks at the conversations.
func (p *program) storeCommand(
	use, short string, run func(ctx context.Context, s *store.Store, args []string) error,
) *cobra.Command {
	return p.command(use, short, func(ctx context.Context, args []string) error {
		return p.with(ctx, toLook, func(a *app) error { return run(ctx, a.store, args) })
	})
}

// sessionCommand makes a command about a session, the last one where none is named; rest is what stood behind its id.
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

// conversationCommand makes a command that reads a session, the last one where none is named, as it would be continued.
func (p *program) conversationCommand(
	use, short string, run func(a *app, ctx context.Context, s *session.Session) error,
) *cobra.Command {
	return p.command(use, short, func(ctx context.Context, args []string) error {
		p.flags.session, p.flags.last = strings.Join(args, ""), len(args) == 0
		return p.with(ctx, toRead, func(a *app) error {
			s, err := session.Open(ctx, a.deps, p.flags.session, a.choice.Ref)
			if err != nil {
				return err
			}
			return run(a, ctx, s)
		})
	})
}

// setup reads the configuration and names the endpoints: the configured ones, those of the environment, and the guide.
// It asks no server.
func (p *program) setup() (*app, error) {
	c, err := p.readConfig()
	if err != nil {
		return nil, err
	}
	endpoints := p.endpoints(c)
	servers, secrets := p.mcpServers(c)
	p.redactor.Know(secrets...)
	p.learnKeys(endpoints)
	p.unsetKeys(endpoints...)
	a := &app{program: p, config: c, servers: mcp.New(p.build, servers...)}
	if a.log, a.logFile, err = p.openLog(); err != nil {
		return nil, err
	}
	a.catalog = &llm.Catalog{
		Patterns: c.Patterns(), Network: p.network, Redactor: p.redactor, Stored: p.withStored, Probes: true,
	}
	pace := time.Duration(0)
	if term.IsTerminal(p.out.Fd()) {
		pace = 12 * time.Millisecond // The guide's answers arrive as a model's do where a person looks on.
	}
	a.catalog.With(append(endpoints, guide.Endpoint(docs.Pages, pace))...)
	return a, nil
}

// openStore opens the conversations, an empty history in memory where nothing is to be saved. To look at what was never
// begun makes no file.
func (a *app) openStore(ctx context.Context) error {
	path, err := a.dbPath()
	if err != nil {
		return err
	}
	missing := (a.use == toLook || a.use == toRead) && !exists(path)
	if missing && (a.flags.db != "" || a.env("WINNOW_DB") != "") {
		return fail(NotFound, "there is no database at %s", path)
	}
	if missing || a.flags.noSave {
		path = store.Memory
	}
	a.store, err = store.Open(ctx, path, store.Options{Now: a.now, Redact: a.redactor.Known})
	return err
}

// openLog starts the log of --debug: JSON lines without secrets, appended, readable by the user alone. Without the flag
// nothing is written anywhere.
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
		return nil, nil, fail(Failed, "cannot write the log: %w", err)
	}
	return newLog(f, p.redactor).With("process", os.Getpid()), f, nil
}

// newLog is a log whose messages and values hold no secret. What is no number is logged as the text it prints as.
func newLog(to io.Writer, r *redact.Redactor) *slog.Logger {
	clean := func(_ []string, a slog.Attr) slog.Attr {
		if kind := a.Value.Kind(); kind != slog.KindString && kind != slog.KindAny {
			return a
		}
		return slog.String(a.Key, r.Text(a.Value.String()))
	}
	return slog.New(slog.NewJSONHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: clean}))
}

// prepare makes ready for a conversation. Where no session is named, nothing is made on disk before it is known that
// there is a model to ask.
func (a *app) prepare(ctx context.Context) error {
	if a.use == toChat {
		a.remember()
	}
	// A key_command may ask a person, so it runs before the screen is taken.
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

// newDeps is the configuration as conversations need it.
func (a *app) newDeps() session.Deps {
	counter, c, titles := tokenizer.New(), a.config, ""
	if a.use == toChat {
		titles = c.Titles.Model
	}
	return session.Deps{
		Store:        a.store,
		Models:       a.catalog,
		Global:       settings.Global{Policy: c.Context, Context: c.ContextKeys, Environment: c.EnvironmentKeys},
		System:       c.System.Prompt,
		Sampling:     record.Sampling(c.Sampling),
		DefaultsFor:  c.OfModel,
		TitleModel:   titles,
		SummaryModel: c.Summary.Model,
		Tools:        a.servers.Boxes(),
		// What the servers say of themselves may hold a secret.
		PrepareTools: func(ctx context.Context, say func(sentence string)) error {
			return a.servers.Prepare(ctx, func(sentence string) { say(a.redactor.Text(sentence)) })
		},
		OfferRecall:  c.Tools.Permissions["recall"] != tool.Off,
		BuiltinTools: a.builtinTools(c.Tools),
		Limits:       c.Limits.Amounts(),
		Approval:     a.approval(),
		ToolLimits:   tool.Limits{Timeout: time.Minute, Output: 1 << 20},
		MaxRounds:    c.Tools.MaxRounds,
		Count:        counter.Count,
		Tokenizer:    counter.Name(),
		Now:          a.now,
		Redact:       a.redactor.Known,
		Log:          a.log,
		Observe:      a.observe,
	}
}

// choose finds the model to begin with. A session that has one goes on with it, unless the command line names another.
// Only a person who reads the choice on the screen may get one that nothing named.
func (a *app) choose(ctx context.Context, row store.Session) error {
	if a.flags.model == "" && row.Endpoint != "" {
		a.choice = llm.Choice{Ref: report.Ref(row), Reason: "this chat uses it"}
		return nil
	}
	wanted := llm.Preference{Last: a.chosen.Model, Home: row.Endpoint, Local: a.use == toChat}
	wanted.From, wanted.Ref = a.namedModel(a.config)
	var err error
	switch a.choice, err = llm.Choose(ctx, a.catalog, wanted); {
	case errors.Is(err, llm.ErrNoModel) && a.use == toRead:
		return nil
	case errors.Is(err, llm.ErrNoModel):
		return fail(Provider, "%w", err)
	case errors.As(err, new(llm.UnknownError)):
		return fail(Usage, "%s: %w", wanted.From, err)
	}
	return err
}

// namedModel is the model that the user named and where; both are "" for none.
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

// start is the session that the flags name, or a new one.
func (a *app) start(ctx context.Context) (*session.Session, error) {
	if a.flags.session == "" {
		dir, _ := os.Getwd()
		start := session.StartOptions{Model: a.choice.Ref, Unavailable: a.choice.Closed, Dir: dir}
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
		return nil, fail(Failed, "the session is in the trash; restore it with winnow sessions restore %s", s.Info().ID)
	}
	if a.flags.model != "" {
		if last := report.Ref(s.Info()); last != "-" && last != a.choice.Ref {
			a.notices = append(a.notices, "This session last used "+last+"; it now uses "+a.choice.Ref+".")
		}
		err = s.Set(ctx, session.Settings{Model: a.choice.Ref})
	}
	return s, err
}
