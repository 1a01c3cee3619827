//go:build cgo

package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"

	"winnow/docs"
	"winnow/llm"
	"winnow/llm/guide"
	"winnow/session"
	"winnow/session/store"
)

// probePatience is how long local servers may take to answer where nothing is configured.
const probePatience = 150 * time.Millisecond

// world is what a command needs of the configuration: the endpoints, the log.
type world struct {
	config   Config
	catalog  *llm.Catalog
	redactor *llm.Redactor
	log      *slog.Logger
	logFile  io.Closer
}

// world reads the configuration and names the endpoints: the configured ones, those of the
// environment, and the guide. It asks no server.
func (p *program) world(context.Context) (*world, error) {
	c, err := p.readConfig()
	if err != nil {
		return nil, err
	}
	w := &world{config: c, redactor: &llm.Redactor{}}
	endpoints := p.endpoints(c)
	for _, e := range endpoints {
		for _, secret := range e.Secrets() {
			w.redactor.Know(secret)
		}
	}
	if w.log, w.logFile, err = p.openLog(w.redactor); err != nil {
		return nil, err
	}
	w.catalog = llm.NewCatalog(append(endpoints, guide.Endpoint(docs.Pages, guide.Options{Pace: p.guidePace()}))...)
	return w, nil
}

func (w *world) close() { w.logFile.Close() }

// fetchKeys runs the key_command of every endpoint that has one, all at once.
func (w *world) fetchKeys(ctx context.Context) error {
	var wait sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for _, e := range w.catalog.Endpoints() {
		command := w.config.Endpoints[e.Name].KeyCommand
		if len(command) == 0 || e.Key != "" {
			continue
		}
		wait.Go(func() {
			key, err := fetchKey(ctx, e.Name, command)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs = append(errs, err)
				return
			}
			w.redactor.Know(key.Reveal())
			e.Key = key
			w.catalog.Add(e)
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// kit is everything that a conversation needs.
type kit struct {
	*world
	p         *program
	store     *store.Store
	deps      session.Deps
	choice    llm.Choice
	temporary bool // nothing is saved
}

// open makes ready for a conversation.
func (p *program) open(ctx context.Context) (*kit, error) {
	w, err := p.world(ctx)
	if err != nil {
		return nil, err
	}
	k := &kit{world: w, p: p, temporary: p.flags.noSave}
	if err := k.ready(ctx); err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

func (k *kit) ready(ctx context.Context) error {
	// A key_command may ask a person, so it runs before the screen is taken.
	if err := k.fetchKeys(ctx); err != nil {
		return err
	}
	var err error
	if k.choice, err = k.choose(ctx); err != nil {
		return err
	}
	path := store.Memory
	if !k.temporary {
		if path, err = k.p.dbPath(k.config); err != nil {
			return err
		}
	}
	if k.store, err = store.Open(ctx, path, store.Options{Now: k.p.now}); err != nil {
		return err
	}
	system, err := k.p.systemPrompt(k.config.System)
	if err != nil {
		return err
	}
	k.log.Info("ready", "winnow", k.p.build, "model", k.choice.Ref, "why", k.choice.Why, "db", k.store.Path())
	counter := llm.NewCounter()
	k.deps = session.Deps{
		Store:     k.store,
		Models:    k.catalog,
		Policy:    k.config.Context,
		System:    system,
		Sampling:  session.Sampling(k.config.Sampling),
		TitleRef:  k.config.Titles.Model,
		Approve:   session.Approval(k.config.Tools.Approve),
		MaxRounds: k.config.Tools.MaxRounds,
		Count:     counter.Count,
		Guess:     counter.Guess,
		Tokenizer: counter.Name(),
		Now:       k.p.now,
		Log:       k.log,
	}
	return nil
}

func (k *kit) close() {
	if k.store != nil {
		k.store.Close()
	}
	k.world.close()
}

// choose finds the model to begin with. Servers on this machine are looked for only where nothing
// is named and no key is set.
func (k *kit) choose(ctx context.Context) (llm.Choice, error) {
	want := k.p.flags.model
	for _, other := range []string{k.p.env("WINNOW_MODEL"), k.config.Model} {
		if want == "" {
			want = other
		}
	}
	return llm.Choose(ctx, want, k.catalog, llm.Probe{Timeout: probePatience})
}

// guidePace makes the guide's answers arrive as a model's do where a person looks on.
func (p *program) guidePace() time.Duration {
	if term.IsTerminal(p.out.Fd()) {
		return 12 * time.Millisecond
	}
	return 0
}

// start is the session that the flags name, or a new one.
func (k *kit) start(ctx context.Context) (*session.Session, error) {
	id, err := k.named(ctx)
	if err != nil {
		return nil, err
	}
	var system string
	if name := k.p.flags.persona; name != "" {
		if system, err = k.p.persona(name); err != nil {
			return nil, err
		}
	}
	if id == "" {
		dir, _ := os.Getwd()
		start := session.Start{Ref: k.choice.Ref, Dir: dir, System: system}
		if k.p.flags.temporary {
			return session.Temporary(ctx, k.deps, start)
		}
		return session.New(k.deps, start)
	}
	s, err := k.resume(ctx, id)
	if err == nil && k.p.flags.model != "" {
		err = s.SetModel(ctx, k.choice.Ref)
	}
	if err == nil && system != "" {
		err = s.SetSystem(ctx, system)
	}
	return s, err
}

// resume opens a stored session with the model that it has.
func (k *kit) resume(ctx context.Context, id string) (*session.Session, error) {
	s, err := session.Open(ctx, k.deps, id, k.choice.Ref)
	if err != nil {
		return nil, explainSession(id, err)
	}
	return s, nil
}

// named is the id of the session that the flags ask for, "" for a new one.
func (k *kit) named(ctx context.Context) (string, error) {
	f := k.p.flags
	if f.session != "" || !f.last && !f.lastToo {
		return f.session, nil
	}
	last, err := k.store.Last(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return "", fail(NotFound, "there is no session to continue yet; winnow begins one")
	}
	return last.ID, err
}

// explainSession is the sentence for a session that did not open.
func explainSession(id string, err error) error {
	var many *store.AmbiguousError
	switch {
	case errors.As(err, &many):
		return &failure{exit: NotFound, text: many.Error(), err: err}
	case errors.Is(err, store.ErrNotFound):
		return fail(NotFound, "there is no session %q; winnow sessions lists them", id)
	}
	return err
}

// roomExit is the exit code of an error of another room.
func roomExit(err error) Exit {
	var provider *llm.Error
	var many *store.AmbiguousError
	switch {
	case errors.As(err, &provider):
		return Provider
	case errors.Is(err, store.ErrNotFound), errors.As(err, &many):
		return NotFound
	case errors.Is(err, context.Canceled):
		return Interrupted
	}
	return Failed
}

// shortID is the start of an id, long enough to name one session.
func (k *kit) shortID(id string) string {
	if s, err := k.store.Session(context.Background(), cutID(id)); err == nil && s.ID == id {
		return cutID(id)
	}
	return id
}
