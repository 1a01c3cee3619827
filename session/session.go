// Package session is a conversation: it orders a turn (save, plan, ask, save, run tools) and keeps
// the store and the reader's view of the conversation in step. It decides nothing about what the
// model sees, knows no SQL and no wire format, and draws nothing.
package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/tool"
	"winnow/session/approval"
	"winnow/session/branch"
	"winnow/session/limits"
	"winnow/session/recall"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/session/target"
)

// Deps is what every conversation needs. Deps is copied and never changed.
type Deps struct {
	Store  *store.Store
	Models *llm.Catalog
	Policy history.Policy // as configured; a session may override it
	// The policy's keys that the configuration sets otherwise than its preset, as TOML: they hold under any preset.
	Context string
	// The policy's keys that the environment sets, as TOML: they go over what is set for a conversation.
	Environment string
	System      string          // the configured system prompt, "" for none
	Sampling    record.Sampling // what is asked of every model
	// What is configured of single models, over System and Sampling; nil says nothing.
	Of         OfModel
	Tools      []*tool.Toolbox // what every model may call beside the tools of its endpoint
	Prepare    Prepare         // makes Tools ready before each request of a turn; nil has nothing to do
	Builtin    *tool.Toolbox   // what every model but the guide may call; nil is none
	Recall     recall.Scope    // what the model may read again with the recall tool
	Approval   approval.Rules  // which tools may run; a session adds what is remembered and said in it
	ToolLimits tool.Limits     // of each call
	Limits     limits.Limits   // what the user allows to be spent
	MaxRounds  int             // the most requests of one turn; 0 is 16
	TitleRef   string          // the model that writes titles; "" takes them from the first message
	// The model that writes summaries, as the user named it; "" is the conversation's own.
	SummaryRef string
	Count      history.Counter     // counts tokens
	Guess      history.Counter     // says at once about what Count would; nil counts before anything is planned
	Tokenizer  string              // what Count is called, for the records
	Now        func() time.Time    // nil is time.Now
	Redact     func(string) string // takes known secrets out of what a temporary chat stores; nil takes none
	Log        *slog.Logger        // nil discards

	// Observe is shown each event of each turn, and of a title's, before anybody reads it. Turn tells the turns of all
	// sessions apart; it is nil for a title. nil observes nothing.
	Observe func(turn any, e Event)

	own *tool.Toolbox // the tools that read this one conversation
	// The history beside a temporary conversation: its requests count for the day's limits, and it has what is
	// remembered of tools; nil for none.
	beside  *store.Store
	permits *permits
}

// ModelSettings is what the configuration says of one model.
type ModelSettings struct {
	Sampling record.Sampling
	System   *string // the system prompt of conversations that begin with it, nil where nothing is said
	// The table or the environment variable that says so, by key: system, max_tokens, temperature, top_p, effort.
	Tables map[string]string
}

// OfModel is what the configuration says of the model of an endpoint.
type OfModel func(endpoint, model string) ModelSettings

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

// target resolves the reference of a model that will be asked. Nothing is known of the model yet.
func (d Deps) target(ref string) (*target.Model, error) {
	client, name, err := d.Models.Use(ref)
	if err != nil {
		return nil, err
	}
	endpoint := client.Endpoint().Name
	made := d.forModel(d.of(endpoint, name).Sampling)
	if d.own != nil && endpoint != llm.Guide { // The guide is no language model: it has no use for them.
		made.Tools = append(slices.Clone(made.Tools), d.own, d.Builtin)
	}
	return target.New(made, client, name), nil
}

// forModel is what a model needs that is asked with these parameters.
func (d Deps) forModel(ask record.Sampling) target.Deps {
	return target.Deps{
		Store: d.Store, Now: d.Now, Log: d.Log, Count: d.Count, Ask: ask.Request(), Tools: d.Tools, Off: d.permits.off,
		Limits: d.ToolLimits,
	}
}

// Prepare makes tools ready that take time to start. It says what it waits for, what did not start and what changed.
// Its error is that of the context: tools that did not start are no reason to leave a message without an answer.
type Prepare func(ctx context.Context, say func(sentence string)) error

// Start is how a new conversation begins.
type Start struct {
	Ref string // the model, "endpoint/model"
	Dir string // the working directory, a facet for finding it again

	Closed error // why no model of the endpoint that Ref names could be chosen, nil where one was

	Dated bool // the model is winnow's own default for its endpoint, and may be out of date

	System string // its own system prompt, "" for the configured one
}

// windowful is how many messages Open reads: more than any screen shows, and quick in any session.
const windowful = 200

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
	deps Deps

	writing  sync.Mutex // held while a setting, a flag or a new row goes to the store and then into memory
	counting sync.Mutex // held while some messages are counted

	spending spending
	before   *record.Past // what is known of past requests
	plans    planner      // of the active branch
	edits    planner      // of what a draft would be in the place of a message

	mu sync.Mutex // held for moments: no plan is made and nothing is read meanwhile
	state
}

// state is a conversation as of a moment. Its maps and lists are replaced and never changed, because plans and records
// hold them too.
type state struct {
	tokens
	row       store.Session
	branch    branch.Branch // the active one, as far as it is loaded
	whole     bool          // branch is all of it
	policy    history.Policy
	system    string // the system prompt of the next request
	flags     map[int64]history.Flag
	remedies  map[int64]history.Remedy
	summaries []store.Summary

	model  *target.Model            // in use
	models map[string]*target.Model // that, and others that were asked or considered, by reference; under mu

	turn  *turn // the running one
	lease lease // among the windows

	changes int64 // what Store.Changes was before row, flags and remedies were read
	behind  bool  // the store had other messages, another title or other tags then
}

// now is the conversation as of now.
func (s *Session) now() state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// set changes the conversation in memory.
func (s *Session) set(change func(*state)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.state)
}

// change changes the conversation in the store, where it is there, and then in memory.
func (s *Session) change(stored func(id string) error, then func(*state)) error {
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
// no error: Unready says why, and no turn begins.
func New(d Deps, o Start) (*Session, error) {
	row := store.Session{Dir: o.Dir, System: o.System, SystemFixed: o.System != ""}
	s := newSession(d, state{row: row, whole: true, flags: map[int64]history.Flag{}, policy: d.Policy})
	to := s.deps.begin(o.Ref)
	if o.Closed != nil {
		to = target.NewUnready(s.deps.forModel(s.deps.Sampling), o.Ref, "", o.Closed)
	}
	s.set(func(*state) { s.use(to) })
	if o.Dated {
		to.Date()
	}
	return s, s.deps.permits.load(context.Background())
}

// Open resumes the stored conversation with this id or unique prefix. It reads the newest messages
// only: call LoadRest in the background after the first frame. It goes on with its own model. One whose endpoint does
// not exist any more is never replaced: the conversation can be read, and Unready says why it goes nowhere. Ref is for
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
	newest, err := d.Store.Branch(ctx, stored.row.Leaf, windowful)
	if err != nil {
		return nil, err
	}
	requests, err := d.Store.Requests(ctx, row.ID, store.RequestFilter{Newest: 1, Answers: true})
	if err != nil {
		return nil, err
	}
	s := newSession(d, stored)
	s.branch, s.whole = s.branch.With(newest...), len(newest) < windowful
	if row.Endpoint != "" {
		ref = row.Endpoint + "/" + row.Model
	}
	s.set(func(*state) { s.use(s.deps.begin(ref)) })
	for _, r := range requests {
		s.offerRecall(r.Sum, r.Tally.Short > 0)
	}
	return s, s.deps.permits.load(ctx)
}

// newSession is a conversation without messages and without a model.
func newSession(d Deps, st state) *Session {
	s := &Session{
		deps: d.filled(), state: st, before: record.NewPast(st.row.ID == ""),
		spending: spending{limits: d.Limits},
	}
	s.tokens, s.branch, s.models = d.tokens(), d.noMessages(), map[string]*target.Model{}
	return s
}

// noMessages is an empty branch of a conversation in the store.
func (d Deps) noMessages() branch.Branch {
	return branch.New(d.Tokenizer, d.Store.MessagesWith)
}

func (d Deps) tokens() tokens { return tokens{d.Count, d.Guess, d.Tokenizer} }

func (d Deps) filled() Deps {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	if d.MaxRounds == 0 {
		d.MaxRounds = 16
	}
	d.own, d.permits = new(tool.Toolbox), newPermits(d)
	return d
}

// Info is the conversation's row as of now; its ID is "" until the first message is stored.
func (s *Session) Info() store.Session { return s.now().row }

// Ref is the model in use, "endpoint/model".
func (s *Session) Ref() string { return s.now().model.Ref() }

// Model is the model in use.
func (s *Session) Model() *target.Model { return s.now().model }

// Branch is the active branch, as far as it is loaded.
func (s *Session) Branch() branch.Branch { return s.now().branch }

// Loaded says whether Branch is the whole active branch.
func (s *Session) Loaded() bool { return s.now().whole }

// Busy says whether a turn is running.
func (s *Session) Busy() bool { return s.now().turn != nil }

// Policy is what cuts the next request.
func (s *Session) Policy() history.Policy { return s.now().policy }

// SystemPrompt is the system prompt of the next request: the conversation's own, or the configured one until
// its first request.
func (s *Session) SystemPrompt() string { return s.now().system }

// Flag is what the user decided about a message by hand, "" for nothing.
func (s *Session) Flag(message int64) history.Flag { return s.now().flags[message] }

// Remedy is what the user had sent in place of a damaged message, history.SendRepaired where it is repaired.
func (s *Session) Remedy(message int64) history.Remedy { return s.now().remedies[message] }

// LeasedByOther reports whether the conversation can only be read here, because another window has it.
func (s *Session) LeasedByOther() bool { return s.now().lease.leased }

// Records are the records of the conversation's requests, as of now.
func (s *Session) Records() record.Records {
	row := s.Info()
	return record.Records{
		Store: s.deps.Store, Session: row.ID, Turns: row.Turns, Branch: s.branchTo,
		Least: target.LeastCounted, Count: s.deps.Count, Guess: s.deps.Guess, Tokenizer: s.deps.Tokenizer,
	}
}

// Past is what the requests of the conversation tell about its next one.
func (s *Session) Past() *record.Past { return s.before }

// LoadPast reads what Past tells of a conversation that was opened. It takes as long as a first plan, so call it behind
// the first frame, the first plan and LoadRest.
func (s *Session) LoadPast(ctx context.Context) error {
	return s.before.Load(ctx, s.Records())
}

// Close stops a running turn and waits until what arrived is saved, or until ctx ends. The events
// of that turn need no reader any more.
func (s *Session) Close(ctx context.Context) error {
	s.mu.Lock()
	t := s.turn
	if t != nil && !t.abandoned {
		t.abandoned = true
		close(t.left)
	}
	s.mu.Unlock()
	if t == nil {
		return nil
	}
	t.stop()
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the answer to be saved: %w", ctx.Err())
	}
}
