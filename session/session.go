// Package session runs conversations. It orders the steps of a turn (save, plan, ask, save, run tools) and keeps the
// store and the conversation in memory in step. It does not decide what the model sees, contains no SQL and no wire
// format, and draws nothing.
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

// Deps are the dependencies and the configuration of a conversation. A Deps is copied and never modified.
type Deps struct {
	settings.Global // the configured policy, which a session may override

	Store    *store.Store
	Models   *llm.Catalog
	System   string          // the configured system prompt, "" for none
	Sampling record.Sampling // the configured parameters, for every model
	// DefaultsFor returns what is configured for one model; it takes precedence over System and Sampling. May be nil.
	DefaultsFor  func(endpoint, model string) ModelDefaults
	Tools        []*tool.Toolbox // offered to every model in addition to the tools of its endpoint
	BuiltinTools *tool.Toolbox   // offered to every model except the guide; may be nil
	// PrepareTools starts the tools that take time to start. It is called before each request of a turn and reports
	// through say what it waits for, what did not start and what changed. It fails only with the error of ctx: a
	// message is answered even if some tools did not start. May be nil.
	PrepareTools func(ctx context.Context, say func(sentence string)) error
	OfferRecall  bool           // offer the recall tool, which finds messages that a request left out
	Approval     approval.Rules // which tools may run; the user's answers are added to them
	ToolLimits   tool.Limits    // the limits of each call
	Limits       limits.Limits  // the spending limits
	MaxRounds    int            // the maximum number of requests in one turn; 0 means 16
	TitleModel   string         // the model that writes titles; "" derives them from the first message
	// SummaryModel is a reference to the model that writes summaries; "" means the conversation's own model.
	SummaryModel string
	Count        history.TokenCounter // counts tokens; nil counts one token per four bytes
	Tokenizer    string               // the name of Count, stored in the records of requests
	Now          func() time.Time     // nil means time.Now
	Redact       func(string) string  // removes known secrets from what a temporary chat stores; may be nil
	Log          *slog.Logger         // nil discards all output

	// Observe is called with each event of a turn, and of the request for a title, before the event is delivered. The
	// value of turn is different for each turn of any session, and nil for a title. May be nil.
	Observe func(turn any, e Event)

	// permanent is the store on disk: Store itself, unless the conversation is temporary. Spending limits count its
	// requests, and it holds the remembered tool permissions.
	permanent *store.Store
}

// ModelDefaults is the configuration of one model.
type ModelDefaults struct {
	Sampling record.Sampling
	System   *string // the system prompt of conversations that begin with the model; nil if not configured
	// Tables names the configuration table or environment variable of each configured key: system, max_tokens,
	// temperature, top_p or effort.
	Tables map[string]string
}

// defaultsFor returns the configuration of a model, completed by what is configured for all models. System is never
// nil.
func (d Deps) defaultsFor(endpoint, model string) ModelDefaults {
	var s ModelDefaults
	if d.DefaultsFor != nil {
		s = d.DefaultsFor(endpoint, model)
	}
	s.Sampling = s.Sampling.WithDefaults(d.Sampling)
	if s.System == nil {
		s.System = &d.System
	}
	return s
}

// systemPrompt returns the system prompt of a conversation's next request: its own, or the configured one until it has
// its own.
func (d Deps) systemPrompt(row store.Session) string {
	if row.System != "" || row.SystemFixed {
		return row.System
	}
	return *d.defaultsFor(row.Endpoint, row.Model).System
}

// withCount returns m with its number of tokens.
func (d Deps) withCount(m store.Message) store.Message {
	m.Tokens, m.Tokenizer = d.Count(m.Content), d.Tokenizer
	return m
}

// StartOptions describe a new conversation.
type StartOptions struct {
	Model string // a reference, "endpoint/model"
	Dir   string // the working directory, by which the conversation can be found again

	Unavailable error // why the endpoint in Model has no usable model; nil if it has one

	System string // the conversation's own system prompt; "" uses the configured one
}

// firstRead is the number of messages that Open reads: more than fit on any screen, and fast to read in any session.
const firstRead = 200

var (
	// ErrBusy is returned while a turn is running: a conversation runs one turn at a time.
	ErrBusy = errors.New("an answer is still arriving; esc stops it")
	// ErrLoading is returned while the older messages are still being read. Until then no request can be planned.
	ErrLoading = errors.New("the older messages are still loading")
	// ErrNothingToAnswer is returned if the conversation has no user message to answer.
	ErrNothingToAnswer = errors.New("there is no message to answer yet")
)

// Session is one conversation. Its methods are safe for concurrent use; a turn runs on a goroutine of its own.
type Session struct {
	deps     Deps
	ownTools *tool.Toolbox        // the tools that read this conversation
	past     *record.PastRequests // statistics of the past requests
	plans    planner              // plans requests on the active branch
	other    planner              // plans requests with another branch or other remedies, and titles

	// writeMu is held from reading a row until the changed row is in the store and in memory, so that concurrent
	// changes do not overwrite each other. It is locked before mu.
	writeMu sync.Mutex
	// spendingMu is held while the spending is read, so that an older sum does not replace a newer one.
	spendingMu sync.Mutex

	mu    sync.Mutex // held only briefly: never while planning or reading
	state State
}

// State is a snapshot of a conversation. Its maps and slices are replaced, never modified.
type State struct {
	Row       store.Session // its ID is "" until the first message is stored
	Branch    branch.Branch // the loaded part of the active branch
	Loaded    bool          // Branch is complete
	Policy    history.Policy
	System    string // the system prompt of the next request
	Flags     map[int64]history.Flag
	Remedies  map[int64]history.Remedy // by message id; messages without an entry are sent repaired
	Model     *target.Model            // the model in use
	ReadOnly  bool                     // another window has the lease
	Spending  Spending                 // as of the last ReadSpending
	Stale     bool                     // the store has other messages, another title or other tags: see Reload
	summaries []store.Summary

	models map[string]*target.Model // models used or tried so far, by reference; guarded by mu
	rules  approval.Rules           // which tools may run
	limits limits.Limits            // as configured, or as raised for this session
	turn   *turn                    // the running turn, nil if none

	wantsLease bool   // take the lease as soon as the conversation is stored
	release    func() // releases the lease; nil if it is not held
}

// Busy reports whether a turn is running.
func (st State) Busy() bool { return st.turn != nil }

// State returns the current state of the conversation.
func (s *Session) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// set modifies the conversation in memory.
func (s *Session) set(change func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.state)
}

// change modifies the conversation in the store, if it is stored already, and then in memory.
func (s *Session) change(stored func(id string) error, then func(*State)) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	if id := s.Info().ID; id != "" {
		if err := stored(id); err != nil {
			return err
		}
	}
	s.set(then)
	return nil
}

// New begins a conversation. Nothing is written to disk before its first message. A model that cannot be used is not an
// error here: Ready reports it, and no turn starts.
func New(d Deps, o StartOptions) (*Session, error) {
	row := store.Session{Dir: o.Dir, System: o.System, SystemFixed: o.System != ""}
	s := newSession(d, State{Row: row, Loaded: true, Policy: d.Policy})
	s.state.Flags, s.state.Remedies = map[int64]history.Flag{}, map[int64]history.Remedy{}
	to := s.begin(o.Model)
	if o.Unavailable != nil {
		to = target.NewUnavailable(s.modelDeps(s.deps.Sampling), o.Model, "", o.Unavailable)
	}
	s.set(func(*State) { s.setModel(to) })
	return s, s.readPermissions(context.Background())
}

// Open resumes the stored conversation with the given id or unique prefix of an id. It reads only the newest messages;
// call LoadOlder in the background for the others. The conversation keeps its own model. If its endpoint no longer
// exists, the conversation can still be read, and Ready reports the reason. ref names the model of a conversation that
// does not have one yet, such as an imported one.
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
	s.state.Loaded = len(newest) < firstRead && !slices.ContainsFunc(newest, s.uncounted)
	s.state.Branch = s.state.Branch.Append(newest...)
	if row.Endpoint != "" {
		ref = row.Endpoint + "/" + row.Model
	}
	to := s.begin(ref)
	s.set(func(*State) { s.setModel(to) })
	for _, r := range requests {
		s.offerRecall(r.Sum, r.Tally.Short > 0)
	}
	return s, s.readPermissions(ctx)
}

// newSession returns a conversation that has no messages and no model yet.
func newSession(d Deps, st State) *Session {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Count == nil {
		d.Count = func(text string) int { return (len(text) + 3) / 4 }
	}
	d.permanent = cmp.Or(d.permanent, d.Store)
	d.Log = cmp.Or(d.Log, slog.New(slog.DiscardHandler))
	d.MaxRounds = cmp.Or(d.MaxRounds, 16)
	st.Branch, st.models = branch.New(d.Tokenizer, d.Store.MessagesByID), map[string]*target.Model{}
	st.limits, st.rules = d.Limits, d.Approval
	st.rules.Session = maps.Clone(d.Approval.Session)
	return &Session{
		deps: d, state: st, ownTools: new(tool.Toolbox), past: record.NewPastRequests(st.Row.ID == ""),
		plans: planner{count: d.Count}, other: planner{count: d.Count},
	}
}

// Info returns the conversation's row.
func (s *Session) Info() store.Session { return s.State().Row }

// Model returns the model in use.
func (s *Session) Model() *target.Model { return s.State().Model }

// Branch returns the loaded part of the active branch.
func (s *Session) Branch() branch.Branch { return s.State().Branch }

// Store returns the store of the conversation.
func (s *Session) Store() *store.Store { return s.deps.Store }

// Records returns access to the records of the conversation's requests.
func (s *Session) Records() record.Records {
	row := s.Info()
	return record.Records{
		Store: s.deps.Store, Session: row.ID, Turns: row.Turns, Branch: s.branchTo,
		MinCompared: target.MinCompared, Count: s.deps.Count, Tokenizer: s.deps.Tokenizer,
	}
}

// Forecast compares a plan for the model in use with the conversation's earlier requests.
func (s *Session) Forecast(plan history.Plan) record.Forecast {
	return s.past.Forecast(s.Model().Ref(), plan)
}

// LoadPastRequests reads the past requests of an opened conversation for Forecast. It takes as long as a first plan, so
// call it after the first frame, the first plan and LoadOlder.
func (s *Session) LoadPastRequests(ctx context.Context) error {
	return s.past.Load(ctx, s.Records())
}

// Close stops a running turn and waits until the received part of the answer is saved, or until ctx is done. The caller
// need not read the turn's remaining events.
func (s *Session) Close(ctx context.Context) error {
	t := s.State().turn
	if t == nil {
		return nil
	}
	t.stop()
	go func() {
		for range t.events { // Close is the only reader left
		}
	}()
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the answer to be saved: %w", ctx.Err())
	}
}

// log returns the logger of the session. No log line contains text of a conversation.
func (s *Session) log() *slog.Logger { return s.deps.Log.With("session", s.Info().ID) }

// warn logs an error that is not reported to any caller. It does nothing if err is nil.
func (s *Session) warn(what string, err error) {
	if err != nil {
		s.log().Warn(what, "error", record.LogCode(err))
	}
}
