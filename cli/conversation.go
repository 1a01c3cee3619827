package cli

import (
	"context"
	"errors"
	"os"
	"time"

	"winnow/cli/config"
	"winnow/cli/report"
	"winnow/llm"
	"winnow/llm/mcp"
	"winnow/llm/tokenizer"
	"winnow/llm/tool"
	"winnow/session"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/remembered"
)

// conversation is everything that a conversation needs.
type conversation struct {
	*setup
	use     use
	servers *mcp.Servers // the MCP servers; none is started before it is needed
	deps    session.Deps
	choice  llm.Choice
	notices []string // sentences for the screen

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
	w, err := p.setup()
	if err != nil {
		return nil, err
	}
	k := &conversation{setup: w, use: to}
	if err := k.ready(ctx); err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

func (k *conversation) close() {
	if k.servers != nil {
		k.servers.Close()
	}
	k.setup.close()
}

func (k *conversation) ready(ctx context.Context) error {
	if k.use == toChat {
		k.remember()
	}
	// A key_command may ask a person, so it runs before the screen is taken.
	if err := k.fetchKeys(ctx); err != nil {
		return err
	}
	// A session that exists has its own model. Without one, nothing is made on disk before it is known that there is a
	// model to ask.
	var row store.Session
	if f := k.p.flags; f.session != "" || f.last {
		err := k.openStore(ctx, k.use == toRead)
		if err == nil {
			row, err = findSession(ctx, k.store, f.session)
		}
		if err != nil {
			return err
		}
		k.p.flags.session = row.ID
	}
	if err := k.choose(ctx, row); err != nil {
		return err
	}
	if k.store == nil {
		if err := k.openStore(ctx, k.use == toRead); err != nil {
			return err
		}
	}
	k.log.Info("ready", "winnow", k.p.build, "model", k.choice.Ref, "why", k.choice.Reason, "db", k.store.Path())
	k.servers = k.newServers()
	k.deps = k.newDeps()
	return nil
}

// newDeps is the configuration as conversations need it.
func (k *conversation) newDeps() session.Deps {
	counter, c, titles := tokenizer.New(), k.config, ""
	if k.use == toChat {
		titles = c.Titles.Model
	}
	return session.Deps{
		Store:       k.store,
		Models:      k.catalog,
		Policy:      c.Context,
		Context:     c.ContextKeys,
		Environment: c.EnvironmentKeys,
		System:      c.System.Prompt,
		Sampling:    record.Sampling(c.Sampling),
		Of:          c.OfModel,
		TitleRef:    titles,
		SummaryRef:  c.Summary.Model,
		Tools:       k.servers.Boxes(),
		// What the servers say of themselves may hold a secret.
		Prepare: func(ctx context.Context, say func(sentence string)) error {
			return k.servers.Prepare(ctx, func(sentence string) { say(k.redactor.Text(sentence)) })
		},
		Recall:     c.Tools.Permissions["recall"] != tool.Off,
		Builtin:    k.p.builtinTools(c.Tools),
		Limits:     c.Limits.Amounts(),
		Approval:   k.setup.approval(),
		ToolLimits: tool.Limits{Timeout: time.Minute, Output: 1 << 20},
		MaxRounds:  c.Tools.MaxRounds,
		Count:      counter.Count,
		Tokenizer:  counter.Name(),
		Now:        k.p.now,
		Redact:     k.redactor.Known,
		Log:        k.log,
		Observe:    k.p.observe,
	}
}

// choose finds the model to begin with. A session that has one goes on with it, unless the command line names another.
// Only a person who reads the choice on the screen may get one that nothing named.
func (k *conversation) choose(ctx context.Context, row store.Session) error {
	if k.p.flags.model == "" && row.Endpoint != "" {
		k.choice = llm.Choice{Ref: report.Ref(row), Reason: "this chat uses it"}
		return nil
	}
	wanted := llm.Preference{Last: k.chosen.Model, Home: row.Endpoint, Local: k.use == toChat}
	wanted.From, wanted.Ref = k.p.namedModel(k.config)
	var err error
	var unknown llm.UnknownError
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
func (k *conversation) start(ctx context.Context) (*session.Session, error) {
	if k.p.flags.session == "" {
		dir, _ := os.Getwd()
		start := session.Start{
			Ref: k.choice.Ref, Dated: k.choice.Dated, Closed: k.choice.Closed, Dir: dir,
		}
		if k.p.flags.temporary {
			return session.Temporary(ctx, k.deps, start)
		}
		return session.New(k.deps, start)
	}
	s, err := session.Open(ctx, k.deps, k.p.flags.session, k.choice.Ref)
	if err != nil {
		return nil, explainSession(k.p.flags.session, err)
	}
	if !s.Info().Deleted.IsZero() {
		return nil, fail(Failed, "the session is in the trash; restore it with winnow sessions restore %s", s.Info().ID)
	}
	if k.p.flags.model != "" {
		if last := report.Ref(s.Info()); last != "-" && last != k.choice.Ref {
			k.notices = append(k.notices, "This session last used "+last+"; it now uses "+k.choice.Ref+".")
		}
		err = s.Set(ctx, session.Settings{Model: k.choice.Ref})
	}
	return s, err
}
