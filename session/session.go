// Package session is a conversation: it orders a turn (save, plan, ask, save, run tools) and keeps
// the store and the reader's view of the conversation in step. It decides nothing about what the
// model sees, knows no SQL and no wire format, and draws nothing.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/tool"
	"winnow/session/approval"
	"winnow/session/branch"
	"winnow/session/limits"
	"winnow/session/record"
	"winnow/session/settings"
	"winnow/session/store"
	"winnow/session/target"
)

// Deps is what every conversation needs. Deps is copied and never changed.
type Deps struct {
	settings.Base // the policy; a session may override it

	Store    *store.Store
	Models   *llm.Catalog
	System   string          // the configured system prompt, "" for none
	Sampling record.Sampling // what is asked of every model
	// What is configured of the model of an endpoint, over System and Sampling; nil says nothing.
	Of      func(endpoint, model string) ModelSettings
	Tools   []*tool.Toolbox // what every model may call beside the tools of its endpoint
	Builtin *tool.Toolbox   // what every model but the guide may call; nil is none
	// Makes Tools ready that take time to start, before each request of a turn; nil has nothing to do. It says what it
	// waits for, what did not start and what changed. Its error is that of the context: tools that did not start are no
	// reason to leave a message without an answer.
	Prepare    func(ctx context.Context, say func(sentence string)) error
	Recall     bool           // the model may read again what its request does not hold, with the recall tool
	Approval   approval.Rules // which tools may run; a session adds what is remembered and said in it
	ToolLimits tool.Limits    // of each call
	Limits     limits.Limits  // what the user allows to be spent
	MaxRounds  int            // the most requests of one turn; 0 is 16
	TitleRef   string         // the model that writes titles; "" takes them from the first message
	// The model that writes summaries, as the user named it; "" is the conversation's own.
	SummaryRef string
	Count      history.Counter     // counts tokens; nil counts one per four bytes
	Tokenizer  string              // what Count is called, for the records
	Now        func() time.Time    // nil is time.Now
	Redact     func(string) string // takes known secrets out of what a temporary chat stores; nil takes none
	Log        *slog.Logger        // nil discards

	// Observe is shown each event of each turn, and of a title's, before anybody reads it. Turn tells the turns of all
	// sessions apart; it is nil for a title. nil observes nothing.
	Observe func(turn any, e Event)

	// The history that stays: Store, or the one beside a temporary conversation. Its requests count for the day's
	// limits, and it has what is remembered of tools.
	kept *store.Store
}

// ModelSettings is what the configuration says of one model.
type ModelSettings struct {
	Sampling record.Sampling
	System   *string // the system prompt of conversations that begin with it, nil where nothing is said
	// The table or the environment variable that says so, by key: system, max_tokens, temperature, top_p, effort.
	Tables map[string]string
}

// of is what the configuration says of a model, over what it says of all.
func (d Deps) of(endpoint, model string) ModelSettings {
	var s ModelSettings
	if d.Of != nil {
		s = d.Of(endpoint, model)
	}
	s.Sampling = s.Sampling.Over(d.Sampling)
	if s.System == nil {
		s.System = &d.System
	}
	return s
}

// system is the system prompt of a conversation's next request: its own, or until it has one what is configured for
// its model.
func (d Deps) system(row store.Session) string {
	if row.System != "" || row.SystemFixed {
		return row.System
	}
	return *d.of(row.Endpoint, row.Model).System
}

// counted is a message with the count of its tokens.
func (d Deps) counted(m store.Message) store.Message {
	m.Tokens, m.Tokenizer = d.Count(m.Content), d.Tokenizer
	return m
}

// Start is how a new conversation begins.
type Start struct {
	Ref string // the model, "endpoint/model"
	Dir string // the working directory, a facet for finding it again

	Closed error // why no model of the endpoint that Ref names could be chosen, nil where one was

	System string // its own system prompt, "" for the configured one
}

// firstRead is how many messages Open reads: more than any screen shows, and quick in any session.
const firstRead = 200

var (
	// ErrBusy says that a turn is running: one conversation has one turn at a time.
	ErrBusy = errors.New("an answer is still arriving; esc stops it")
	// ErrLoading says that the older messages are not read yet, so that no plan can be true.
	ErrLoading = errors.New("the older messages are still loading")
	// ErrNothingToAnswer says that there is no user message to ask about.
	ErrNothingToAnswer = errors.New("there is no message to answer yet")
)

// Session is one conversation. Its methods may be called from several goroutines; a turn runs on a
// goroutine of its own. Whoever changes a setting holds writing from reading the row until the row in
// memory is the one in the store, so that two changes at a time both stay. It is locked before mu.
type Session struct {
	deps  Deps
	own   *tool.Toolbox // the tools that read this one conversation
	past  *record.Past  // what is known of past requests
	plans planner       // of the active branch
	other planner       // of what is not the active branch as it is set: an edit, a title, another remedy

	writing sync.Mutex // held while a setting, a flag or a new row goes to the store and then into memory
	sums    sync.Mutex // held while what was spent is read, so that no older sum replaces a newer one

	mu    sync.Mutex // held for moments: no plan is made and nothing is read meanwhile
	state State
}

// State is a conversation as of a moment. Its maps and lists are replaced and never changed.
type State struct {
	Row       store.Session // its ID is "" until the first message is stored
	Branch    branch.Branch // the active one, as far as it is loaded
	Whole     bool          // Branch is all of it
	Policy    history.Policy
	System    string // the system prompt of the next request
	Flags     map[int64]history.Flag
	Remedies  map[int64]history.Remedy // by message; one that is not there is sent repaired
	Model     *target.Model            // in use
	ReadOnly  bool                     // another window writes in it
	Sums      Sums                     // when they were read last
	Behind    bool                     // the store has other messages, another title or other tags: see Reread
	summaries []store.Summary

	models map[string]*target.Model // those that were asked or tried, by reference; under mu alone
	rules  approval.Rules           // which tools may run
	limits limits.Limits            // as configured, or raised for the session
	turn   *turn                    // the running one

	leased  bool   // the lease is wanted as soon as the conversation is on disk
	release func() // gives the lease back, nil where there is none
}

// Busy says whether a turn is running.
func (st State) Busy() bool { return st.turn != nil }

// Now is the conversation as of now.
func (s *Session) Now() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// set changes the conversation in memory.
func (s *Session) set(change func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.state)
}

// change changes the conversation in the store, where it is there, and then in memory.
func (s *Session) change(stored func(id string) error, then func(*State)) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if id := s.Info().ID; id != "" {
		if err := stored(id); err != nil {
			return err
		}
	}
	s.set(then)
	return nil
}

// New begins a conversation. Nothing is on disk until its first message. A model that cannot be asked is
// no error: Ready says why, and no turn begins.
func New(d Deps, o Start) (*Session, error) {
	row := store.Session{Dir: o.Dir, System: o.System, SystemFixed: o.System != ""}
	s := newSession(d, State{Row: row, Whole: true, Policy: d.Policy})
	s.state.Flags, s.state.Remedies = map[int64]history.Flag{}, map[int64]history.Remedy{}
	to := s.begin(o.Ref)
	if o.Closed != nil {
		to = target.NewUnready(s.modelDeps(s.deps.Sampling), o.Ref, "", o.Closed)
	}
	s.set(func(*State) { s.use(to) })
	return s, s.readPermissions(context.Background())
}

// Open resumes the stored conversation with this id or unique prefix. It reads the newest messages
// only: call LoadRest in the background after the first frame. It goes on with its own model. One whose endpoint does
// not exist any more is never replaced: the conversation can be read, and Ready says why it goes nowhere. Ref is for
// a conversation that has no model yet, such as an imported one.
func Open(ctx context.Context, d Deps, id, ref string) (*Session, error) {
	row, err := d.Store.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	stored, err := d.readStored(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	newest, err := d.Store.Branch(ctx, stored.Row.Leaf, firstRead)
	if err != nil {
		return nil, err
	}
	requests, err := d.Store.Requests(ctx, row.ID, store.RequestFilter{Newest: 1, Answers: true})
	if err != nil {
		return nil, err
	}
	s := newSession(d, stored)
	s.state.Whole = len(newest) < firstRead && !slices.ContainsFunc(newest, s.uncounted)
	s.state.Branch = s.state.Branch.With(newest...)
	if row.Endpoint != "" {
		ref = row.Endpoint + "/" + row.Model
	}
	to := s.begin(ref)
	s.set(func(*State) { s.use(to) })
	for _, r := range requests {
		s.offerRecall(r.Sum, r.Tally.Short > 0)
	}
	return s, s.readPermissions(ctx)
}

// newSession is a conversation without messages and without a model.
func newSession(d Deps, st State) *Session {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Count == nil {
		d.Count = func(text string) int { return (len(text) + 3) / 4 }
	}
	d.kept = cmp.Or(d.kept, d.Store)
	d.Log = cmp.Or(d.Log, slog.New(slog.DiscardHandler))
	d.MaxRounds = cmp.Or(d.MaxRounds, 16)
	st.Branch, st.models = branch.New(d.Tokenizer, d.Store.MessagesByID), map[string]*target.Model{}
	st.limits, st.rules = d.Limits, d.Approval
	st.rules.Session = maps.Clone(d.Approval.Session)
	return &Session{
		deps: d, state: st, own: new(tool.Toolbox), past: record.NewPast(st.Row.ID == ""),
		plans: planner{count: d.Count}, other: planner{count: d.Count},
	}
}

// Info is the conversation's row as of now.
func (s *Session) Info() store.Session { return s.Now().Row }

// Model is the model in use.
func (s *Session) Model() *target.Model { return s.Now().Model }

// Branch is the active branch, as far as it is loaded.
func (s *Session) Branch() branch.Branch { return s.Now().Branch }

// Store is where the conversation is kept.
func (s *Session) Store() *store.Store { return s.deps.Store }

// Records are the records of the conversation's requests, as of now.
func (s *Session) Records() record.Records {
	row := s.Info()
	return record.Records{
		Store: s.deps.Store, Session: row.ID, Turns: row.Turns, Branch: s.branchTo,
		Least: target.LeastCounted, Count: s.deps.Count, Tokenizer: s.deps.Tokenizer,
	}
}

// Forecast compares a plan for the model in use with the requests of the conversation before it.
func (s *Session) Forecast(plan history.Plan) record.Forecast {
	return s.past.Forecast(s.Model().Ref(), plan)
}

// LoadPast reads what Forecast tells of a conversation that was opened. It takes as long as a first plan, so call it
// behind the first frame, the first plan and LoadRest.
func (s *Session) LoadPast(ctx context.Context) error {
	return s.past.Load(ctx, s.Records())
}

// Close stops a running turn and waits until what arrived is saved, or until ctx ends. The events
// of that turn need no reader any more.
func (s *Session) Close(ctx context.Context) error {
	t := s.Now().turn
	if t == nil {
		return nil
	}
	t.stop()
	go func() {
		for range t.events { // nobody else may read them any more
		}
	}()
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the answer to be saved: %w", ctx.Err())
	}
}

// log is the log with what each line of a session names: no line of it holds text of a conversation.
func (s *Session) log() *slog.Logger { return s.deps.Log.With("session", s.Info().ID) }

// warn writes that something failed that nobody waits for; nil writes nothing.
func (s *Session) warn(what string, err error) {
	if err != nil {
		s.log().Warn(what, "error", record.ErrorCode(err))
	}
}
