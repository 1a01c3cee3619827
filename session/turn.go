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

// A turn is a user message and everything that answers it. It runs on one goroutine:
//
//  1. Store the user message. Nothing is asked of the network before this.
//  2. Find the model's window and prices, and plan the request.
//  3. Store the record of the request and send it. The answer is saved as it arrives.
//  4. Store the answer with its receipt.
//  5. Run the tools that the answer calls and store their results, then continue with step 2.
//  6. Report how the turn ended.

// saveTime limits the writes that must happen even after a stop, because the user has already seen their content.
const saveTime = 5 * time.Second

// detached runs save even if ctx is done, but for at most saveTime.
func detached(ctx context.Context, save func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	return save(ctx)
}

// turn is a running turn. Its goroutine closes events.
type turn struct {
	*Session
	events chan Event
	stop   context.CancelFunc
	done   chan struct{}
	show   func(Event)
	id     any // for Deps.Observe

	showMu sync.Mutex // a tool that still runs after the turn may report its progress
	ended  bool       // no more events are shown

	before   int               // number of messages on the branch before this turn
	messages []history.Message // the user message and what the turn has added
	user     int64             // id of the user message that the requests are about
	cut      bool              // the user agreed to cut a message that does not fit

	summaryFailed bool
	otherModel    *target.Model // answers this turn instead of the conversation's model; nil for none

	approved map[store.Purpose]limits.Estimate // requests that the user allowed to exceed a limit
	limit    int                               // tokens of the next request, after one that was too long; 0 for none

	planned   history.Plan       // the newest request; guarded by mu
	readAgain []int              // positions of the messages that the running recall found; guarded by mu
	last      store.Request      // the record of the newest finished request
	failure   *record.FailedTurn // why the turn failed; nil if it did not, or if its message is not stored
}

// Draft is a user message to be sent.
type Draft struct {
	Text  string
	Files []history.Part // the attachments
	Alone bool           // send it without the earlier conversation
	Cut   bool           // if it does not fit, send only the part that fits; it is stored whole

	// Replaces is the id of the user message, on any branch, that this draft is a new version of; 0 for none. The old
	// message and everything after it stay as another branch. The new version is sent alone if the old one was, and
	// keeps its files unless it has Files.
	Replaces int64

	Queued int64 // its id in the queue, from which it is removed when it is stored; 0 if it was not queued
}

// QueuedDraft returns a queued message as a draft.
func QueuedDraft(q store.QueuedMessage) Draft {
	return Draft{Text: q.Text, Files: q.Parts, Alone: q.Alone, Cut: q.Cut, Queued: q.ID}
}

// resolveDraft returns the message of a draft and the branch that it continues.
func (s *Session) resolveDraft(ctx context.Context, d Draft) (m store.Message, behind branch.Branch, err error) {
	m = store.Message{Alone: d.Alone, Queued: d.Queued, Message: history.Message{
		Role: history.User, Content: d.Text, Parts: slices.Clone(d.Files), Status: history.Complete,
	}}
	if d.Replaces == 0 {
		return m, s.Branch(), nil
	}
	to, err := s.branchTo(ctx, d.Replaces)
	if err != nil {
		return m, to, err
	}
	at := to.Len() - 1
	if to.Role(at) != history.User {
		return m, to, ErrNotUserMessage
	}
	earlier, err := to.Message(at)
	if m.Alone = earlier.Alone; d.Files == nil {
		m.Parts = earlier.Parts
	}
	return m, to.First(at), err
}

// Send stores a user message and asks the model for an answer. If the request would not fit, or would exceed a limit
// and the user does not allow that, the message is neither stored nor sent, and the error is an *OversizeError or a
// *LimitError. The error is ErrBusy if a turn is running, and ErrNotUserMessage if Replaces is not a user message;
// nothing is stored then.
func (s *Session) Send(ctx context.Context, d Draft) <-chan Event {
	return s.start(ctx, "", func(ctx context.Context, t *turn) error {
		t.cut = d.Cut
		m, behind, err := t.resolveDraft(ctx, d)
		if err != nil {
			return err
		}
		if err := t.checkFits(ctx, m, behind); err != nil {
			return err
		}
		if err := t.saveUser(ctx, t.deps.withCount(m), behind); err != nil {
			return err
		}
		return t.answer(ctx)
	})
}

// start runs the session's turn with the model ref, or with the conversation's model if ref is "".
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
		t.showMu.Lock()
		defer t.showMu.Unlock()
		t.ended = true
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

// claim makes t the running turn, or returns why no turn can start.
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

// finish ends the turn, so that another one can start.
func (t *turn) finish() {
	t.set(func(st *State) { st.turn = nil })
	t.past.EndTurn()
	close(t.done)
}

// emit delivers an event, unless the turn has ended.
func (t *turn) emit(e Event) {
	t.showMu.Lock()
	defer t.showMu.Unlock()
	if t.ended {
		return
	}
	if t.deps.Observe != nil {
		t.deps.Observe(t.id, e)
	}
	t.show(e)
}

// say sends a notice to the user.
func (t *turn) say(format string, values ...any) { t.emit(Notice{fmt.Sprintf(format, values...)}) }

// run runs the turn on the complete branch and finishes it.
func (t *turn) run(ctx context.Context, ref string, run func(context.Context, *turn) error) error {
	defer t.finish()
	err := t.ready(ctx)
	if ref != "" && err == nil {
		t.otherModel, err = t.find(ctx, ref, t.Model().Client.Endpoint().Name)
	}
	if err == nil {
		err = run(ctx, t)
		t.fail(ctx, err)
		t.warn("sum up the costs", detached(ctx, t.ReadSpending))
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// ready loads what decides the turn's requests, so that the message is checked against the current state before it is
// stored.
func (t *turn) ready(ctx context.Context) error {
	return cmp.Or(t.loadBranch(ctx), t.refreshSettings(ctx), t.readPermissions(ctx))
}

// Step 1: the user message.

// saveUser commits the user message at the end of a branch, together with the session's row if it is the first message.
func (t *turn) saveUser(ctx context.Context, m store.Message, behind branch.Branch) (err error) {
	row, n := t.Info(), behind.Len()
	if m.Session = row.ID; n > 0 {
		m.Parent = behind.ID(n - 1)
	}
	if row.ID == "" {
		m, err = t.saveFirst(ctx, m)
	} else if m, err = t.deps.Store.AppendMessage(ctx, m); err == nil {
		t.setBranch(behind)
	}
	if err != nil {
		return err
	}
	t.before = n
	t.add(m)
	t.emit(MessageStored{m})
	if row.ID == "" && row.TitleFrom == "" {
		t.emit(Titled{t.Info().Title})
	}
	return nil
}

// saveFirst commits the session's row and its first message.
func (t *turn) saveFirst(ctx context.Context, m store.Message) (store.Message, error) {
	t.writeMu.Lock()
	defer t.writeMu.Unlock()
	row := t.Info()
	if row.TitleFrom == "" {
		row.Title, row.TitleFrom = title.FromMessage(m.Message), store.TitleAuto
	}
	row.System, row.SystemFixed, row.Address = t.State().System, true, t.Model().Address()
	begun, first, err := t.deps.Store.BeginSession(ctx, row, m)
	if err != nil {
		return first, err
	}
	begun.Leaf, begun.Messages, begun.Turns = 0, 0, 0 // add counts the message
	t.set(func(st *State) { st.Row = begun })
	if t.State().wantsLease {
		// The message is stored already, so the turn goes on even if another window has the lease.
		_, err := t.Lease(ctx)
		t.warn("take the session for this window", err)
	}
	return first, nil
}

// add appends a stored message to the branch and to the turn.
func (t *turn) add(m store.Message) {
	t.set(func(st *State) {
		st.Branch = st.Branch.Append(m)
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

// answer plans, asks, saves and runs tools until an answer calls no tool.
func (t *turn) answer(ctx context.Context) error {
	if err := t.fixConfiguration(ctx); err != nil {
		return err
	}
	if err := t.askModel(ctx); err != nil {
		return err
	}
	t.Model().ForgetExpired()
	reason := ""
	for round := 1; ; round++ {
		if prepare := t.deps.PrepareTools; prepare != nil {
			if err := prepare(ctx, func(sentence string) { t.say("%s", sentence) }); err != nil {
				return err
			}
		}
		asked, err := t.ask(ctx, task{
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
		t.Model().QueryWindowAfterRun(ctx)
		reason = fmt.Sprintf("asking %s again with the result of %s: request %d of at most %d", t.Model().Ref(),
			namesOf(answer.ToolCalls), round+1, t.deps.MaxRounds)
	}
}

// fixConfiguration stores the system prompt and the address of the endpoint with the conversation before its first
// request. Later changes of the configuration do not apply to it, and no request goes to another address without the
// user's consent.
func (t *turn) fixConfiguration(ctx context.Context) error {
	st := t.State()
	address := cmp.Or(st.Row.Address, st.Model.Address())
	if st.Row.SystemFixed && st.Row.Address == address {
		return nil
	}
	fix := func(row *store.Session) { row.System, row.SystemFixed, row.Address = st.System, true, address }
	return t.change(func(id string) error { return t.deps.Store.UpdateSession(ctx, id, fix) },
		func(st *State) { fix(&st.Row) })
}

// askModel asks the server for the window and the prices of the model, unless they are known. Errors of the server are
// ignored here: the request for the answer reports them.
func (t *turn) askModel(ctx context.Context) error {
	ask, cancel := context.WithTimeout(ctx, target.WindowTimeout)
	defer cancel()
	if err := t.Model().FindWindow(ask); err != nil {
		return err
	}
	t.Model().QueryWindowAfterRun(ask)
	return ctx.Err()
}

// namesOf lists the names of the called tools.
func namesOf(calls []history.ToolCall) string {
	var names []string
	for _, c := range calls {
		names = append(names, cmp.Or(c.Name, "a call without a name"))
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// plan plans the turn's next request.
func (t *turn) plan(ctx context.Context) (*attempt, error) {
	t.last = store.Request{}
	if err := t.refreshSettings(ctx); err != nil {
		return nil, err
	}
	if t.State().Flags[t.user] == history.Exclude {
		return nil, ErrExcluded
	}
	if err := t.condense(ctx); err != nil {
		return nil, err
	}
	st := t.State()
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

// nextOptions returns the options of the turn's next plan.
func (t *turn) nextOptions(st State) history.Options {
	o := t.options(st, t.Model(), st.Policy, t.messages...)
	if len(t.messages) > 0 && st.alone(t.user) {
		o.Scope = &history.Scope{For: history.ForAlone}
	}
	o.CutCurrent = t.cut
	return o
}

// announce reports the plan of a request whose record is stored. Once for each model, it also reports when a setting
// cannot be followed: limits that cannot be checked, or a lowered max_tokens.
func (t *turn) announce(a *attempt) {
	t.set(func(*State) { t.planned = a.plan })
	t.offerRecall(a.plan.Sum, a.record.Tally.Short > 0) // with the next request: the plan of this one is fixed
	to := a.to
	estimate := estimateOf(to, a.request.MaxTokens, a.plan.Sum)
	if l := t.State().limits; !l.AskUnknownPrice && l.Unpriced(estimate) && to.FirstNotice("price") {
		t.say("the limits on costs cannot be checked for %s: its price is not known", to.Ref())
	}
	if wanted, asked, ok := to.LoweredReply(); ok && to.FirstNotice(fmt.Sprint("max_tokens in ", to.Window().Tokens)) {
		t.say("max_tokens = %d is more than half of the model's window of %d tokens; asking for %d", wanted,
			to.Window().Tokens, asked)
	}
	forecast := a.forecast
	if a.decision.Scope != nil {
		forecast.Losses = nil // expected: the user sends the message without the others
	}
	t.emit(Planned{Plan: a.plan, Request: a.record, Forecast: forecast})
}

// Step 6: the end of the turn.

// fail stores why the turn failed, if its message is stored, so that the screen can show it there when the conversation
// is opened again.
func (t *turn) fail(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil || len(t.messages) == 0 {
		return
	}
	last := t.last
	t.failure = record.NewFailedTurn(err, last)
	if last.End == store.EndDisconnected { // the request's record has the reason
		return
	}
	t.failure.After = t.markFaulty()
	err = detached(ctx, func(ctx context.Context) error {
		return t.deps.Store.SetFault(ctx, t.failure.After, t.failure.JSON())
	})
	t.Branch().DropCache()
	if last.End == store.EndFailed {
		last.Fault = t.failure.TurnFault.JSON()
		err = errors.Join(err, t.saveRecord(ctx, last))
	}
	t.warn("record why the turn failed", err)
}

// markFaulty marks the last message of the turn on the active branch as followed by a failure, and returns its id. If
// an answer was asked for again and none came, that is the last message of the earlier answer.
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
		st.Branch = st.Branch.UpdateRows(func(rows []branch.Row) { rows[at].TurnFailed = true })
		last = st.Branch.ID(at)
	})
	return last
}
