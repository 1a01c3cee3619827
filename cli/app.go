//go:build cgo

package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"

	"winnow/cli/config"
	"winnow/cli/report"
	"winnow/docs"
	"winnow/llm"
	"winnow/llm/guide"
	"winnow/llm/keys"
	"winnow/llm/mcp"
	"winnow/llm/pricing"
	"winnow/llm/redact"
	"winnow/llm/tokenizer"
	"winnow/llm/tool"
	"winnow/session"
	"winnow/session/approval"
	"winnow/session/limits"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/remembered"
)

// setup is what a command needs of the configuration: the endpoints, the log.
type setup struct {
	config    config.Config
	catalog   *llm.Catalog
	redactor  *redact.Redactor
	log       *slog.Logger
	logFile   io.Closer
	unsetKeys func(...llm.Endpoint) // keeps the endpoints' keys from other programs
}

// setup reads the configuration and names the endpoints: the configured ones, those of the
// environment, and the guide. It asks no server.
func (p *program) setup(context.Context) (*setup, error) {
	c, err := p.readConfig()
	if err != nil {
		return nil, err
	}
	endpoints := p.endpoints(c)
	w := &setup{config: c, redactor: p.redactorOf(c, endpoints), unsetKeys: p.unsetKeys}
	p.unsetKeys(endpoints...)
	w.log, w.logFile = p.openLog(w.redactor)
	w.catalog = &llm.Catalog{
		Patterns: c.Patterns(), Network: p.network, Redactor: w.redactor, Stored: p.withStored, Probes: true,
	}
	w.catalog.With(append(endpoints, guide.Endpoint(docs.Pages, p.guidePace()))...)
	return w, nil
}

// redactor knows every key that the configuration, the environment, key files and the files of other clients hold.
func (p *program) redactor(c config.Config) *redact.Redactor { return p.redactorOf(c, p.endpoints(c)) }

func (p *program) redactorOf(c config.Config, endpoints []llm.Endpoint) *redact.Redactor {
	r := &redact.Redactor{}
	_, secrets, _ := p.mcpServers(c)
	r.Know(secrets...)
	for _, name := range llm.KeyVariables() {
		r.Know(llm.Endpoint{Key: keys.Secret(strings.TrimSpace(p.env(name)))}.Secrets()...)
	}
	for _, e := range endpoints {
		r.Know(e.Secrets()...)
	}
	return r
}

func (w *setup) close() { w.logFile.Close() }

// fetchKeys runs the key_command of every endpoint that has one, all at once.
func (w *setup) fetchKeys(ctx context.Context) error {
	var wait sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for _, e := range w.catalog.Endpoints() {
		command := w.config.Endpoints[e.Name].KeyCommand
		if len(command) == 0 || e.Key != "" {
			continue
		}
		wait.Go(func() {
			key, err := keys.FromCommand(ctx, command)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs = append(errs, fail(Failed, "cannot read the API key of %s: %w", e.Name, err))
				return
			}
			e.Key = key
			w.catalog.Add(e)
		})
	}
	wait.Wait()
	w.unsetKeys(w.catalog.Endpoints()...) // not before the last command has ended: it may read one of them
	return errors.Join(errs...)
}

// conversation is everything that a conversation needs.
type conversation struct {
	*setup
	p         *program
	use       use
	store     *store.Store
	servers   *mcp.Servers // the MCP servers; none is started before it is needed
	deps      session.Deps
	choice    llm.Choice
	persona   string   // the system prompt of the persona that the command line names, "" for none
	temporary bool     // nothing is saved
	notices   []string // sentences for the screen

	memory *remembered.Memory // what was chosen on the screen before; nil remembers nothing
	chosen remembered.Choices
}

// use is what a command opens a conversation for.
type use int

const (
	toChat use = iota // a person reads on the screen which model was chosen, before anything is sent
	toRun             // one message is sent at once
	toRead            // nothing is sent
)

// open makes ready for a conversation.
func (p *program) open(ctx context.Context, to use) (*conversation, error) {
	w, err := p.setup(ctx)
	if err != nil {
		return nil, err
	}
	k := &conversation{setup: w, p: p, use: to, temporary: p.flags.noSave}
	if err := k.ready(ctx); err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

func (k *conversation) ready(ctx context.Context) error {
	if name := k.p.flags.persona; name != "" {
		text, err := k.p.persona(name)
		if err != nil {
			return err
		}
		k.persona = text
	}
	if k.use == toChat {
		k.remember()
	}
	// A key_command may ask a person, so it runs before the screen is taken.
	if err := k.fetchKeys(ctx); err != nil {
		return err
	}
	// A session that exists has its own model. Without one, nothing is made on disk before it is known that
	// there is a model to ask.
	f := k.p.flags
	steps := []func(context.Context) error{k.choose, k.openStore}
	if f.session != "" || f.last || f.lastToo {
		slices.Reverse(steps)
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	system, err := k.p.systemPrompt(k.config.System)
	if err != nil {
		return err
	}
	of, err := k.p.modelSettings(k.config)
	if err != nil {
		return err
	}
	k.log.Info("ready", "winnow", k.p.build, "model", k.choice.Ref, "why", k.choice.Reason, "db", k.store.Path())
	counter := tokenizer.New()
	servers, notices := k.newServers(k.p)
	k.servers = servers
	k.notices = append(k.notices, notices...)
	k.deps = session.Deps{
		Store:   k.store,
		Models:  k.catalog,
		Policy:  k.config.Context,
		Context: k.config.ContextKeys(),

		Environment: k.config.EnvironmentKeys(),
		System:      system,
		Sampling:    record.Sampling(k.config.Sampling),
		Of:          of,
		TitleRef:    k.titles(ctx),
		SummaryRef:  k.config.Summary.Model,
		Tools:       k.servers.Boxes(),
		Prepare:     k.prepareTools,
		Recall:      k.config.Tools.Recall == "conversation",
		Builtin:     k.p.builtinTools(k.config.Tools),
		Limits:      spendingLimits(k.config.Limits),
		Approval: approval.Rules{
			Mode: approval.Mode(k.config.Tools.Approve), Permissions: k.config.Tools.Permissions,
		},
		ToolLimits: tool.Limits{
			Timeout: time.Duration(k.config.Tools.Timeout) * time.Second, Output: k.config.Tools.MaxOutput,
		},
		MaxRounds: k.config.Tools.MaxRounds,
		Count:     counter.Count,
		Tokenizer: counter.Name(),
		Now:       k.p.now,
		Redact:    k.redactor.Known,
		Log:       k.log,
		Observe:   k.p.observe,
	}
	return nil
}

// builtinTools are winnow's own tools that need no conversation.
func (p *program) builtinTools(c config.Tools) *tool.Toolbox {
	box := new(tool.Toolbox)
	if c.Now {
		box.Register(tool.Now(p.now))
	}
	if c.Fetch {
		box.Register(tool.Fetch(c.FetchHosts))
	}
	return box
}

// titles is the full reference of the model that writes titles in a chat, as the screen names it. Where
// there is no such model, titles are taken from the first message, and the screen says why.
func (k *conversation) titles(ctx context.Context) string {
	if k.config.Titles.Model == "" || k.use != toChat {
		return ""
	}
	ref, err := k.catalog.Find(ctx, k.config.Titles.Model, "")
	if err != nil {
		k.notices = append(k.notices, "Titles are taken from the first message: titles.model: "+report.ErrorText(err)+
			".")
		return ""
	}
	return ref
}

// spendingLimits are the configured limits, which were checked.
func spendingLimits(c config.Limits) limits.Limits {
	amount := func(tokens int, dollars float64) limits.Amount {
		cost, _ := pricing.Dollars(dollars)
		return limits.Amount{Tokens: tokens, Cost: cost}
	}
	return limits.Limits{
		Request:    amount(c.RequestTokens, c.RequestCost),
		Session:    amount(c.SessionTokens, c.SessionCost),
		Day:        amount(c.DayTokens, c.DayCost),
		Month:      amount(c.MonthTokens, c.MonthCost),
		AskUnknown: c.UnknownPrice == "ask",
	}
}

// openStore opens the conversations, or an empty history in memory where nothing is to be saved.
func (k *conversation) openStore(ctx context.Context) error {
	path, err := store.Memory, error(nil)
	if !k.temporary {
		if path, err = k.p.dbPath(k.config); err != nil {
			return err
		}
	}
	k.store, err = store.Open(ctx, path, store.Options{Now: k.p.now, Redact: k.redactor.Known})
	return err
}

func (k *conversation) close() {
	if k.servers != nil {
		k.servers.Close()
	}
	if k.store != nil {
		k.store.Close()
	}
	k.setup.close()
}

// choose finds the model to begin with. A session that has one goes on with it, unless the command line
// names another. Only a person who reads the choice on the screen may get one that nothing named.
func (k *conversation) choose(ctx context.Context) error {
	var row store.Session
	if k.store != nil {
		id, err := k.named(ctx)
		if err != nil {
			return err
		}
		if row, err = k.store.Session(ctx, id); err != nil {
			return explainSession(id, err)
		}
	}
	if k.p.flags.model == "" && row.Endpoint != "" {
		k.choice = llm.Choice{
			Ref: row.Endpoint + "/" + row.Model, Reason: "this chat uses it",
		}
		return nil
	}
	wanted := llm.Preference{Last: k.chosen.Model, Home: row.Endpoint, Local: k.use == toChat}
	wanted.From, wanted.Ref = k.p.namedModel(k.config)
	var err error
	var unknown *llm.UnknownError
	switch k.choice, err = llm.Choose(ctx, k.catalog, wanted); {
	case errors.Is(err, llm.ErrNoModel) && k.use == toRead:
		return nil
	case errors.Is(err, llm.ErrNoModel):
		return fail(Provider, "%w", err)
	case errors.As(err, &unknown):
		return fail(Usage, "%s: %w", wanted.From, err)
	}
	return err
}

// namedModel is the model that the user named and where; both are "" for none.
func (p *program) namedModel(c config.Config) (from, ref string) {
	for _, named := range []struct{ from, ref string }{
		{"-m", p.flags.model},
		{"WINNOW_MODEL", p.env("WINNOW_MODEL")},
		{"the configuration", c.Model},
	} {
		if named.ref != "" {
			return named.from, named.ref
		}
	}
	return "", ""
}

// guidePace makes the guide's answers arrive as a model's do where a person looks on.
func (p *program) guidePace() time.Duration {
	if term.IsTerminal(p.out.Fd()) {
		return 12 * time.Millisecond
	}
	return 0
}

// start is the session that the flags name, or a new one.
func (k *conversation) start(ctx context.Context) (*session.Session, error) {
	id, err := k.named(ctx)
	if err != nil {
		return nil, err
	}
	system := k.persona
	if id == "" {
		dir, _ := os.Getwd()
		start := session.Start{
			Ref: k.choice.Ref, Dated: k.choice.Dated, Closed: k.choice.Closed, Dir: dir, System: system,
		}
		if k.p.flags.temporary {
			return session.Temporary(ctx, k.deps, start)
		}
		return session.New(k.deps, start)
	}
	s, err := k.resume(ctx, id)
	if err == nil && !s.Info().Deleted.IsZero() {
		return nil, fail(Failed, "the session is in the trash; restore it with winnow sessions restore %s", s.Info().ID)
	}
	if err == nil && k.p.flags.model != "" {
		err = s.Set(ctx, session.Settings{Model: k.choice.Ref})
	}
	if err == nil && system != "" {
		err = s.Set(ctx, session.Settings{System: new(system)})
	}
	return s, err
}

// resume opens a stored session with the model that it has.
func (k *conversation) resume(ctx context.Context, id string) (*session.Session, error) {
	s, err := session.Open(ctx, k.deps, id, k.choice.Ref)
	if err != nil {
		return nil, explainSession(id, err)
	}
	return s, nil
}

// named is the id of the session that the flags ask for, "" for a new one.
func (k *conversation) named(ctx context.Context) (string, error) {
	f := k.p.flags
	if f.session != "" || !f.last && !f.lastToo {
		return f.session, nil
	}
	last, err := k.store.Sessions(ctx, store.Filter{LastUsed: true, Limit: 1})
	switch {
	case err != nil:
		return "", err
	case len(last) == 0:
		return "", fail(NotFound, "there is no session to continue yet; start one with winnow")
	}
	return last[0].ID, nil
}

// explainSession is the sentence for a session that did not open.
func explainSession(id string, err error) error {
	var many *store.AmbiguousError
	switch {
	case errors.As(err, &many):
		return &failure{exit: NotFound, text: many.Error(), err: err}
	case errors.Is(err, store.ErrNotFound):
		return fail(NotFound, "there is no session %q; winnow sessions list lists all sessions", id)
	}
	return err
}

// exitOfCause is the exit code of an error of another package.
func exitOfCause(err error) Exit {
	var provider *llm.Error
	var tool *session.ToolError
	var over *session.LimitError
	var many *store.AmbiguousError
	switch {
	case errors.As(err, &provider), errors.As(err, &tool), errors.As(err, &over):
		return Provider
	case errors.Is(err, store.ErrNotFound), errors.As(err, &many):
		return NotFound
	case errors.Is(err, context.Canceled):
		return Interrupted
	}
	return Failed
}

// shortID is the start of an id, long enough to name one session.
func (k *conversation) shortID(id string) string {
	if s, err := k.store.Session(context.Background(), report.ShortID(id)); err == nil && s.ID == id {
		return report.ShortID(id)
	}
	return id
}
