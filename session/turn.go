package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/limits"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/session/target"
	"winnow/session/title"
)

// A turn is a message of the user's and all that answers it. It runs on one goroutine:
//
//  1. store the user's message; nothing is asked of the network before this
//  2. find the window and the prices, and plan the request
//  3. store the request's record and send it; what arrives is saved as it comes
//  4. store the answer with its receipt
//  5. run the tools that it asks for and store their results; then go on with 2
//  6. say how the turn ended

// saveTime bounds the writes that must happen even after a stop: the user has already seen what
// they save.
const saveTime = 5 * time.Second

// detached writes what a stop must not prevent from being written, in bounded time.
func detached(ctx context.Context, save func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	return save(ctx)
}

// turn is one running turn. Its goroutine closes events.
type turn struct {
	*Session
	events chan Event
	stop   context.CancelFunc
	done   chan struct{}
	show   func(Event)
	id     any // of Deps.Observe

	showing sync.Mutex // a tool that the turn has left to itself may still say how far it is
	over    bool       // nothing is shown any more

	before   int               // messages of the branch before this turn
	messages []history.Message // the user's message, then what the turn has added
	user     int64             // the user's message that its requests answer, or are about
	cut      bool              // the user chose to cut the message where it does not fit

	uncondensed bool          // a summary failed
	lent        *target.Model // asked in this turn in place of the conversation's model, nil for none

	approved map[store.Purpose]limits.Estimate // requests that the user allowed although they exceed a limit
	limit    int                               // tokens of a request after one that was too long, 0 for none

	planned   history.Plan       // the newest request, under mu
	readAgain []int              // positions of the messages that the running call of recall found, under mu
	last      store.Request      // the record of the newest request, once it is over
	failure   *record.FailedTurn // why the turn failed, nil where it did not or its message is not stored
}

// Draft is a message of the user's, and how it is sent.
type Draft struct {
	Text  string
	Files []history.Part // that hang on it
	Alone bool           // it is sent without the conversation before it
	Cut   bool           // it is cut to what fits beside what must be sent, where it does not fit whole; stored whole

	// The message of the user's, on whatever branch, in whose place it is said; 0 for none. That stays, with all that
	// was said after it: the new one is its sibling. Without Files the new one keeps those of the old, and it is sent
	// alone where the old one was.
	Instead int64

	Queued int64 // its id in the queue, which it leaves in the transaction that stores it; 0 where it was not queued
}

// QueuedDraft is a queued message as it is sent.
func QueuedDraft(q store.QueuedMessage) Draft {
	return Draft{Text: q.Text, Files: q.Parts, Alone: q.Alone, Cut: q.Cut, Queued: q.ID}
}

// place is what a draft says, and the branch that it is said behind.
func (s *Session) place(ctx context.Context, d Draft) (m store.Message, behind branch.Branch, err error) {
	m = store.Message{Alone: d.Alone, Queued: d.Queued, Message: history.Message{
		Role: history.User, Content: d.Text, Parts: slices.Clone(d.Files), Status: history.Complete,
	}}
	if d.Instead == 0 {
		return m, s.Branch(), nil
	}
	to, err := s.branchTo(ctx, d.Instead)
	if err != nil {
		return m, to, err
	}
	at := to.Len() - 1
	if to.Role(at) != history.User {
		return m, to, ErrNotYours
	}
	earlier, err := to.Message(at)
	if m.Alone = earlier.Alone; d.Files == nil {
		m.Parts = earlier.Parts
	}
	return m, to.First(at), err
}

// Send stores a message of the user's and asks the model for an answer. One whose request would not fit is neither
// stored nor sent: the error is an *OversizeError, or a *LimitError where it would exceed a limit and the user does not
// allow it. A turn that is already running makes it fail with ErrBusy, and a place that is not the user's with
// ErrNotYours; then nothing is stored.
func (s *Session) Send(ctx context.Context, d Draft) <-chan Event {
	return s.start(ctx, "", func(ctx context.Context, t *turn) error {
		t.cut = d.Cut
		m, behind, err := t.place(ctx, d)
		if err != nil {
			return err
		}
		if err := t.sendable(ctx, m, behind); err != nil {
			return err
		}
		if err := t.saveUser(ctx, t.deps.counted(m), behind); err != nil {
			return err
		}
		return t.answer(ctx)
	})
}

// start runs a turn of the model that ref names, "" for the conversation's, as this session's one turn.
func (s *Session) start(ctx context.Context, ref string, run func(context.Context, *turn) error) <-chan Event {
	ctx, stop := context.WithCancel(ctx)
	t := s.newTurn(stop)
	var err error
	if ref == "" {
		err = s.Ready()
	}
	if err == nil {
		err = s.claim(t)
	}
	go func() {
		defer stop()
		if err == nil {
			err = t.run(ctx, ref, run)
		}
		t.emit(Finished{err, t.failure})
		t.showing.Lock()
		defer t.showing.Unlock()
		t.over = true
		close(t.events)
	}()
	return t.events
}

func (s *Session) newTurn(stop context.CancelFunc) *turn {
	t := &turn{
		Session: s, events: make(chan Event, 64), stop: stop, done: make(chan struct{}),
		approved: map[store.Purpose]limits.Estimate{},
	}
	t.id, t.show = t, func(e Event) { t.events <- e }
	return t
}

// claim makes t the session's one turn, or says why there can be none.
func (s *Session) claim(t *turn) (err error) {
	s.set(func(st *State) {
		switch {
		case st.ReadOnly:
			err = ErrLeased
		case st.turn != nil:
			err = ErrBusy
		default:
			st.turn = t
		}
	})
	return err
}

// free gives the session back.
func (t *turn) free() {
	t.set(func(st *State) { st.turn = nil })
	t.past.EndTurn()
	close(t.done)
}

// emit shows an event.
func (t *turn) emit(e Event) {
	t.showing.Lock()
	defer t.showing.Unlock()
	if t.over {
		return
	}
	if t.deps.Observe != nil {
		t.deps.Observe(t.id, e)
	}
	t.show(e)
}

// say tells the user what winnow does by itself.
func (t *turn) say(format string, values ...any) { t.emit(Notice{fmt.Sprintf(format, values...)}) }

// run runs the turn on the whole branch and gives the session back when it ends.
func (t *turn) run(ctx context.Context, ref string, run func(context.Context, *turn) error) error {
	defer t.free()
	err := t.ready(ctx)
	if ref != "" && err == nil {
		t.lent, err = t.find(ctx, ref, t.Model().Client.Endpoint().Name)
	}
	if err == nil {
		err = run(ctx, t)
		t.fail(ctx, err)
		t.warn("sum up the costs", detached(ctx, t.ReadSpent))
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// ready reads what a turn goes by: what holds now judges its message before that is stored.
func (t *turn) ready(ctx context.Context) error {
	return cmp.Or(t.loadBranch(ctx), t.refresh(ctx), t.readPermissions(ctx))
}

// Step 1: the user's message.

// saveUser commits the user's message at the end of a branch. The conversation's row begins with it.
func (t *turn) saveUser(ctx context.Context, m store.Message, behind branch.Branch) (err error) {
	row, n := t.Info(), behind.Len()
	if m.Session = row.ID; n > 0 {
		m.Parent = behind.ID(n - 1)
	}
	if row.ID == "" {
		m, err = t.begins(ctx, m)
	} else if m, err = t.deps.Store.AppendMessage(ctx, m); err == nil {
		t.follow(behind)
	}
	if err != nil {
		return err
	}
	t.before = n
	t.add(m)
	t.emit(Stored{m})
	if row.ID == "" && row.TitleFrom == "" {
		t.emit(Titled{t.Info().Title})
	}
	return nil
}

// begins commits the first message and the conversation's row with it.
func (t *turn) begins(ctx context.Context, m store.Message) (store.Message, error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	row := t.Info()
	if row.TitleFrom == "" {
		row.Title, row.TitleFrom = title.OfMessage(m.Message), store.TitleAuto
	}
	row.System, row.SystemFixed, row.Address = t.Now().System, true, t.Model().Address()
	begun, first, err := t.deps.Store.BeginSession(ctx, row, m)
	if err != nil {
		return first, err
	}
	begun.Leaf, begun.Messages, begun.Turns = 0, 0, 0 // add counts the message
	t.set(func(st *State) { st.Row = begun })
	if t.Now().leased {
		// The message is stored already: that another window may write in it too is no reason to lose the turn.
		_, err := t.Lease(ctx)
		t.warn("take the session for this window", err)
	}
	return first, nil
}

// add puts a stored message at the end of the branch and of the running turn.
func (t *turn) add(m store.Message) {
	t.set(func(st *State) {
		st.Branch = st.Branch.With(m)
		st.Row.Leaf = m.ID
		st.Row.Messages++
		if m.Role == history.User {
			st.Row.Turns++
			t.user = m.ID
		}
		t.messages = append(t.messages, m.Message)
	})
}

// Steps 2 to 5.

// answer plans, asks and saves, and runs the tools that the answer asks for, until an answer asks
// for none.
func (t *turn) answer(ctx context.Context) error {
	if err := t.fixRow(ctx); err != nil {
		return err
	}
	if err := t.askModel(ctx); err != nil {
		return err
	}
	t.Model().Expire()
	reason := ""
	for round := 1; ; round++ {
		if prepare := t.deps.Prepare; prepare != nil {
			if err := prepare(ctx, func(sentence string) { t.say("%s", sentence) }); err != nil {
				return err
			}
		}
		asked, err := t.ask(ctx, errand{
			purpose: store.PurposeAnswer, plan: t.plan, reason: func(*attempt) string { return reason },
		})
		if err != nil {
			return err
		}
		answer := asked.answer
		if answer.Status != history.Complete || len(answer.ToolCalls) == 0 {
			return ctx.Err()
		}
		if err := t.runTools(ctx, answer); err != nil {
			return err
		}
		if round == t.deps.MaxRounds {
			return &ToolError{fmt.Sprintf("the model called tools %d times in one turn, which is the limit "+
				"(tools.max_rounds)", round)}
		}
		t.Model().AskWindowAgain(ctx)
		reason = fmt.Sprintf("asking %s again with the result of %s: request %d of at most %d", t.Model().Ref(),
			namesOf(answer.ToolCalls), round+1, t.deps.MaxRounds)
	}
}

// fixRow keeps in the row of a conversation without a request what its requests go by: what the configuration says
// later is for other conversations, and no request goes to another address unasked.
func (t *turn) fixRow(ctx context.Context) error {
	st := t.Now()
	address := cmp.Or(st.Row.Address, st.Model.Address())
	if st.Row.SystemFixed && st.Row.Address == address {
		return nil
	}
	fix := func(row *store.Session) { row.System, row.SystemFixed, row.Address = st.System, true, address }
	return t.change(func(id string) error { return t.deps.Store.UpdateSession(ctx, id, fix) },
		func(st *State) { fix(&st.Row) })
}

// askModel asks the server for the model's window and prices where they are not known yet. A server that does not
// answer says so when it is asked for the answer.
func (t *turn) askModel(ctx context.Context) error {
	ask, cancel := context.WithTimeout(ctx, target.Patience)
	defer cancel()
	if err := t.Model().Find(ask); err != nil {
		return err
	}
	t.Model().AskWindowAgain(ask)
	return ctx.Err()
}

// namesOf lists the tools that are called.
func namesOf(calls []history.ToolCall) string {
	var names []string
	for _, c := range calls {
		names = append(names, cmp.Or(c.Name, "a call without a name"))
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// plan decides the turn's next request.
func (t *turn) plan(ctx context.Context) (*attempt, error) {
	t.last = store.Request{}
	if err := t.refresh(ctx); err != nil {
		return nil, err
	}
	if t.Now().Flags[t.user] == history.Exclude {
		return nil, ErrExcluded
	}
	if err := t.condense(ctx); err != nil {
		return nil, err
	}
	st := t.Now()
	a, err := t.decide(st, &t.plans, t.before, t.Model(), t.nextOptions(st))
	if _, damaged := errors.AsType[*history.DamagedError](err); damaged {
		err = fmt.Errorf("nothing was sent: %w. /repair (or winnow repair ID) shows the damage; recovery = "+
			"\"repair\" under [context] sends it repaired", err)
	}
	if err == nil {
		a.request = t.request(a.to, a.plan)
		a.forecast = t.past.Forecast(a.to.Ref(), a.plan)
	}
	return a, err
}

// nextOptions is everything beside the history that decides the turn's next request.
func (t *turn) nextOptions(st State) history.Options {
	o := t.options(st, t.Model(), st.Policy, t.messages...)
	if len(t.messages) > 0 && st.alone(t.user) {
		o.Scope = &history.Scope{For: history.ForAlone}
	}
	o.CutCurrent = t.cut
	return o
}

// announce shows what the turn's request holds, whose record is on disk, and says what is asked otherwise than the user
// may expect: once for each model.
func (t *turn) announce(a *attempt) {
	t.set(func(*State) { t.planned = a.plan })
	t.offerRecall(a.plan.Sum, a.record.Tally.Short > 0) // from the next request on: this one is what was shown
	to := a.to
	estimate := estimateOf(to, a.request.MaxTokens, a.plan.Sum)
	if l := t.Now().limits; !l.AskUnknown && l.Unchecked(estimate) && to.SayOnce("price") {
		t.say("the limits on costs cannot be checked for %s: its price is not known", to.Ref())
	}
	if wanted, asked, ok := to.Lowered(); ok && to.SayOnce(fmt.Sprint("max_tokens in ", to.Window().Tokens)) {
		t.say("max_tokens = %d is more than half of the model's window of %d tokens; asking for %d", wanted,
			to.Window().Tokens, asked)
	}
	forecast := a.forecast
	if a.decision.Scope != nil {
		forecast.Losses = nil // The user sends the message alone, and asked for that.
	}
	t.emit(Planned{Plan: a.plan, Request: a.record, Forecast: forecast})
}

// Step 6: the end of the turn.

// fail notes why the turn failed, where its message is stored: the screen shows that there, now and whenever the
// conversation is opened.
func (t *turn) fail(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil || len(t.messages) == 0 {
		return
	}
	last := t.last
	t.failure = record.NewFailedTurn(err, last)
	if last.End == store.EndDisconnected { // the record says it already
		return
	}
	t.failure.After = t.markFaulty()
	err = detached(ctx, func(ctx context.Context) error {
		return t.deps.Store.SetFault(ctx, t.failure.After, t.failure.JSON())
	})
	t.Branch().Forget()
	if last.End == store.EndFailed {
		last.Fault = t.failure.Fault.JSON()
		err = errors.Join(err, t.saveRecord(ctx, last))
	}
	t.warn("record why the turn failed", err)
}

// markFaulty notes on the active branch that the turn failed behind its last message there, and returns that. Where an
// answer was asked for again and none came, it is the answer that was there before.
func (t *turn) markFaulty() (last int64) {
	last = t.user
	t.set(func(st *State) {
		at, there := st.Branch.Find(last)
		if !there {
			return
		}
		for at+1 < st.Branch.Len() && st.Branch.Role(at+1) != history.User {
			at++
		}
		st.Branch = st.Branch.Change(func(rows []branch.Row) { rows[at].Faulty = true })
		last = st.Branch.ID(at)
	})
	return last
}
