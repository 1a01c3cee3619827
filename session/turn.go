package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/session/approval"
	"winnow/session/branch"
	"winnow/session/limits"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/session/target"
)

// A turn is a message of the user's and all that answers it. It runs on one goroutine, in the order of this file:
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

// turn is one running turn. Its goroutine is the only writer of events, and closes it.
type turn struct {
	*Session
	events    chan Event
	stop      context.CancelFunc
	left      chan struct{} // closed when nobody reads the events any more
	abandoned bool          // left is closed
	done      chan struct{}
	past      int               // messages of the branch before this turn
	messages  []history.Message // the user's message, then what the turn has added
	number    int               // the turn's number in the session, from 1
	cut       bool              // the user chose to cut the message where it does not fit

	uncondensed bool          // a summary failed
	summaryBy   *target.Model // writes the summaries of this turn, nil before it is known

	approved map[store.Purpose]limits.Estimate // requests that the user allowed although they exceed a limit

	unknown map[string]bool // calls of tools that do not exist, by name and arguments

	lent *target.Model // asked in this turn in place of the conversation's model, nil for none

	planned   history.Plan    // the newest request, under mu
	last      store.Request   // its record, once it is over
	failure   *record.Failure // why the turn failed, nil where it did not or its message is not stored
	readAgain []int           // positions of the messages that the running call of recall found, under mu

	answered *approval.Answer // the answer to the next question, where the user has answered it already
}

// Send stores draft as the user's message, with the files that hang on it, and asks the model for an
// answer. A turn that is already running makes it fail with ErrBusy, and nothing is stored.
func (s *Session) Send(ctx context.Context, draft string, files ...history.Part) <-chan Event {
	return s.SendAs(ctx, SendOptions{}, draft, files...)
}

// SendOptions says how a message is sent.
type SendOptions struct {
	Alone bool // without the conversation before it
	Cut   bool // cut to what fits beside what must be sent, where it does not fit whole; it is stored whole

	queued int64 // its id in the queue, 0 where it was not queued
}

// SendAs is Send in another way. A message whose request would not fit is neither stored nor sent: the error
// is an *OversizeError, or a *LimitError where it would exceed a limit and the user does not allow it.
func (s *Session) SendAs(ctx context.Context, how SendOptions, draft string, files ...history.Part) <-chan Event {
	return s.start(ctx, func(ctx context.Context, t *turn) error {
		m := t.userMessage(draft, files)
		m.Alone, m.Queued, t.cut = how.Alone, how.queued, how.Cut
		if err := t.sendable(ctx, m, 0); err != nil {
			return err
		}
		if err := t.saveUser(ctx, m); err != nil {
			return err
		}
		return t.answer(ctx)
	})
}

// start runs a turn of the conversation's model as this session's one turn.
func (s *Session) start(ctx context.Context, run func(context.Context, *turn) error) <-chan Event {
	return s.startUnless(ctx, s.Ready(), func(ctx context.Context, t *turn) error {
		if err := t.keepAddress(ctx); err != nil {
			return err
		}
		return run(ctx, t)
	})
}

// startUnless runs a turn as this session's one turn, unless an error says that it may not.
func (s *Session) startUnless(ctx context.Context, claimed error, run func(context.Context, *turn) error) <-chan Event {
	ctx, stop := context.WithCancel(ctx)
	t := newTurn(s, stop)
	if claimed == nil {
		claimed = s.claim(t)
	}
	go func() {
		defer close(t.events)
		defer stop()
		err := claimed
		if err == nil {
			err = t.run(ctx, run)
		}
		t.emit(Finished{err, t.failure})
	}()
	return t.events
}

func newTurn(s *Session, stop context.CancelFunc) *turn {
	return &turn{
		Session: s, events: make(chan Event, 64), stop: stop, left: make(chan struct{}), done: make(chan struct{}),
		approved: map[store.Purpose]limits.Estimate{},
	}
}

// claim makes t the session's one turn, or says why there can be none.
func (s *Session) claim(t *turn) (err error) {
	s.set(func(st *state) {
		switch {
		case st.lease.leased:
			err = ErrLeased
		case st.turn != nil:
			err = ErrBusy
		default:
			st.turn = t
		}
	})
	return err
}

// release gives the session back.
func (t *turn) release() {
	t.Model().FreeReply()
	t.set(func(st *state) { st.turn = nil })
	t.before.EndTurn()
	close(t.done)
}

// emit shows an event. A turn whose reader has left goes on to its end unseen.
func (t *turn) emit(e Event) {
	if t.deps.Observe != nil {
		t.deps.Observe(t, e)
	}
	select {
	case t.events <- e:
	case <-t.left:
	}
}

// run runs the turn on the whole branch and gives the session back when it ends.
func (t *turn) run(ctx context.Context, run func(context.Context, *turn) error) error {
	defer t.release()
	err := t.loadBranch(ctx)
	if err == nil {
		_, err = t.refresh(ctx) // before the message is stored, which is judged by what holds now
	}
	if err == nil {
		err = t.deps.permits.load(ctx)
	}
	if err == nil {
		err = run(ctx, t)
		t.fail(ctx, err)
		t.countSpent(ctx)
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// Step 1: the user's message.

// userMessage is what the user says. Whoever stores it says where.
func (t *turn) userMessage(draft string, files []history.Part) store.Message {
	return store.Message{Tokenizer: t.deps.Tokenizer, Message: history.Message{
		Role: history.User, Content: draft, Parts: slices.Clone(files), Status: history.Complete,
		Tokens: t.count(draft),
	}}
}

// saveUser commits the user's message. The conversation's row begins with it.
func (t *turn) saveUser(ctx context.Context, m store.Message) error {
	row := t.Info()
	if row.ID == "" {
		return t.begin(ctx, m)
	}
	m.Session, m.Parent = row.ID, row.Leaf
	stored, err := t.deps.Store.Append(ctx, m)
	if err != nil {
		return err
	}
	t.commit(stored)
	return nil
}

// begin commits the first message and the conversation's row with it.
func (t *turn) begin(ctx context.Context, m store.Message) error {
	t.writing.Lock()
	row, titled := t.Info(), false
	if row.TitleFrom == "" {
		row.Title, row.TitleFrom, titled = titleOf(m.Message), store.TitleAuto, true
	}
	row.System, row.SystemFixed, row.Address = t.SystemPrompt(), true, t.Model().Address()
	begun, first, err := t.deps.Store.Begin(ctx, row, m)
	if err == nil {
		t.set(func(st *state) {
			st.row.ID, st.row.Created, st.row.Updated = begun.ID, begun.Created, begun.Updated
			st.row.Title, st.row.TitleFrom = begun.Title, begun.TitleFrom
			st.row.System, st.row.SystemFixed, st.row.Address = begun.System, true, begun.Address
		})
	}
	t.writing.Unlock()
	if err != nil {
		return err
	}
	if t.now().lease.wanted {
		// The message is stored already: that another window may write in it too is no reason to lose the turn.
		if _, err := t.Lease(ctx); err != nil {
			t.log().Warn("take the session for this window", "error", ErrorCode(err))
		}
	}
	t.commit(first)
	if titled {
		t.emit(Titled{begun.Title})
	}
	return nil
}

// commit goes on from the user's message, which is on disk.
func (t *turn) commit(m store.Message) {
	t.past = t.Branch().Len()
	t.add(m)
	t.emit(Stored{m})
}

// add puts a stored message at the end of the branch and of the running turn.
func (t *turn) add(m store.Message) {
	t.set(func(st *state) {
		st.branch = st.branch.With(m)
		st.row.Leaf = m.ID
		st.row.Messages++
		if m.Role == history.User {
			st.row.Turns++
			t.number = st.row.Turns
		}
		t.messages = append(t.messages, m.Message)
	})
}

// Step 2: the plan.

// answer plans, asks and saves, and runs the tools that the answer asks for, until an answer asks
// for none.
func (t *turn) answer(ctx context.Context) error {
	if row := t.Info(); !row.SystemFixed && row.ID != "" {
		// What the configuration says later is for other conversations.
		if err := t.SetSystem(ctx, t.SystemPrompt()); err != nil {
			return err
		}
	}
	if err := t.askModel(ctx); err != nil {
		return err
	}
	reason := t.forgetOld(ctx)
	for round := 1; ; round++ {
		if err := t.prepareTools(ctx); err != nil {
			return err
		}
		var answer store.Message
		err := t.attempt(ctx, errand{
			purpose: store.ForAnswer, turn: t.number, user: t.messages[0].ID, plan: t.plan, announce: t.announce,
			ask: func(ctx context.Context, a *asked) (begun bool, err error) {
				answer, err = t.ask(ctx, a)
				return answer.ID != 0, err
			},
		}, reason)
		if err != nil {
			return err
		}
		if answer.Status != history.Complete || len(answer.ToolCalls) == 0 {
			return ctx.Err()
		}
		if err := t.runTools(ctx, callsOf(answer)); err != nil {
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

// askModel asks the server for the model's window and prices where they are not known yet. A default model that its
// server does not list any more is replaced before anything is sent to it. A server that does not answer says so when
// it is asked for the answer.
func (t *turn) askModel(ctx context.Context) error {
	ask, cancel := context.WithTimeout(ctx, target.Patience)
	defer cancel()
	if t.Model().Dated() {
		replaced, err := t.Reach(ask)
		if replaced != "" {
			t.emit(Notice{replaced})
		}
		if fault := (*llm.Error)(nil); err != nil && !errors.As(err, &fault) {
			return err
		}
	}
	if err := t.Model().Find(ask); err != nil {
		return err
	}
	t.Model().AskWindowAgain(ask)
	return ctx.Err()
}

// prepareTools waits for tools that are still starting, so that the next request can offer them, and says what
// became of others.
func (t *turn) prepareTools(ctx context.Context) error {
	if t.deps.Prepare == nil {
		return nil
	}
	return t.deps.Prepare(ctx, func(sentence string) { t.emit(Notice{sentence}) })
}

// namesOf lists the tools that are called.
func namesOf(calls []history.ToolCall) string {
	var names []string
	for _, c := range calls {
		name := cmp.Or(c.Name, "a call without a name")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// plan decides the turn's next request.
func (t *turn) plan(ctx context.Context) (asked, error) {
	t.last = store.Request{}
	if _, err := t.refresh(ctx); err != nil {
		return asked{}, err
	}
	if t.Flag(t.messages[0].ID) == history.Exclude {
		return asked{}, ErrExcluded
	}
	if err := t.condense(ctx); err != nil {
		return asked{}, err
	}
	a, err := t.decide(ctx, &t.plans, t.past, t.Model(), t.nextOptions, t.request)
	if damaged := (*history.DamagedError)(nil); errors.As(err, &damaged) {
		err = fmt.Errorf("nothing was sent: %w. /repair (or winnow repair ID) shows the damage; recovery = "+
			"\"repair\" under [context] sends it repaired", err)
	}
	if err != nil {
		return a, err
	}
	a.forecast = t.before.Forecast(a.plan)
	return a, nil
}

// nextOptions is everything beside the history that decides the turn's next request.
func (t *turn) nextOptions(st state) history.Options {
	o := st.options(t.Model(), st.policy, t.messages...)
	if st.alone(t.messages[0].ID) {
		o.Scope = &history.Scope{For: history.ForAlone}
	}
	o.CutCurrent = t.cut
	return o
}

// alone says that a message of the user's is sent without the conversation before it: it says so in the store,
// whichever way it is asked about.
func (st state) alone(user int64) bool {
	at, there := st.branch.Find(user)
	return there && st.branch.Row(at).Alone
}

// announce shows what the turn's request holds, whose record is on disk, and says what is asked otherwise than the user
// may expect: once for each model.
func (t *turn) announce(a *asked) {
	t.set(func(*state) { t.planned = a.plan })
	t.offerRecall(a.plan.Sum, leavesOut(a.plan)) // from the next request on: this one is what was shown
	to := a.to
	note := func(key, format string, values ...any) {
		if to.SayOnce(key) {
			t.emit(Notice{fmt.Sprintf(format, values...)})
		}
	}
	if l, _ := t.spending.now(); !l.AskUnknown && l.Unchecked(a.estimate()) {
		note("price", "the limits on costs cannot be checked for %s: its price is not known", to.Ref())
	}
	if wanted, asked, ok := to.Lowered(); ok {
		window := to.Window().Tokens
		note(fmt.Sprint("max_tokens in ", window), "max_tokens = %d is more than half of the model's window of %d "+
			"tokens; asking for %d", wanted, window, asked)
	}
	forecast := a.forecast
	if a.decision.Scope != nil {
		forecast.Losses = nil // The user sends the message alone, and asked for that.
	}
	t.emit(Planned{Plan: a.plan, Request: a.record, Forecast: forecast})
	a.began = t.deps.Now()
}

// Steps 3 and 4: the request and its answer.

// ask sends the request and saves what comes back: the whole answer, or its beginning when the user
// or the network ended it. Only a request without any answer at all leaves no message.
func (t *turn) ask(ctx context.Context, a *asked) (store.Message, error) {
	fault := t.stream(ctx, a, func() error { return t.keep(ctx, a) }, t.emit)
	switch {
	case fault == nil && a.saver == nil:
		fault = a.noSpaceForReply()
	case fault == nil && ctx.Err() == nil && a.blank():
		fault = a.empty()
	}
	a.close(t.deps, ctx.Err() != nil, fault)
	t.logAnswer(a.record, fault)
	if a.saver == nil {
		return store.Message{}, t.saveFault(ctx, a, fault)
	}
	t.judge(a)
	answer, err := t.saveAnswer(ctx, a)
	t.last = a.record
	if err != nil {
		return answer, err
	}
	t.before.Answered(a.to.Ref(), a.record.Created, a.plan)
	a.to.Ran()
	t.noteCount(ctx, a)
	if fault == nil {
		t.noteEnd(a)
	}
	return answer, fault
}

// keep offers what has arrived to the store. The row begins with the first piece, before that piece
// is shown, and even when the user stops at this very moment: what was seen is kept.
func (t *turn) keep(ctx context.Context, a *asked) error {
	if a.saver == nil {
		save, cancel := detached(ctx)
		defer cancel()
		a.record.FirstToken = t.deps.Now().Sub(a.began)
		row, err := t.deps.Store.StartAnswer(save, t.answerRow(a))
		if err != nil {
			return err
		}
		a.saver = startSaver(t.deps.Store, row.ID)
	}
	a.saver.offer(a.reply.Text, a.reply.Reasoning)
	return nil
}

// answerRow is the answer's row as of now.
func (t *turn) answerRow(a *asked) store.Message {
	status := history.Complete
	if a.record.End != store.EndDone {
		status = history.Interrupted
	}
	return store.Message{
		Session:      a.record.Session,
		Parent:       t.Info().Leaf,
		Request:      a.record.ID,
		Endpoint:     a.record.Endpoint,
		Model:        a.record.Model,
		FinishReason: a.reply.Finished.Reason,
		Extra:        a.reply.Finished.Extra,
		Message: history.Message{
			Role:      history.Assistant,
			Content:   a.reply.Text,
			Reasoning: a.reply.Reasoning,
			ToolCalls: a.reply.Calls,
			Status:    status,
		},
	}
}

// saveAnswer stores what arrived with its receipt in one transaction. It happens even after a
// stop: the user has already seen the text.
func (t *turn) saveAnswer(ctx context.Context, a *asked) (store.Message, error) {
	if err := a.saver.close(); err != nil {
		t.log().Warn("checkpoint the answer", "error", ErrorCode(err))
	}
	save, cancel := detached(ctx)
	defer cancel()
	m := t.answerRow(a)
	m.ID = a.saver.id
	m.Tokens, m.Tokenizer = t.count(m.Content), t.deps.Tokenizer
	stored, err := t.deps.Store.FinishAnswer(save, m, a.record)
	if err != nil {
		return m, err
	}
	t.add(stored)
	t.emit(Answered{Message: stored, Receipt: record.ReceiptOf(a.record, a.plan)})
	return stored, nil
}

// saveFault stores why a request has no answer, and hands the reason on.
func (t *turn) saveFault(ctx context.Context, a *asked, fault error) error {
	save, cancel := detached(ctx)
	defer cancel()
	if fault == nil && ctx.Err() == nil {
		fault = a.empty()
		a.record.End, a.record.Error = store.EndFailed, fault.Error()
	}
	t.last = a.record
	if err := t.deps.Store.UpdateRequest(save, a.record); err != nil {
		return errors.Join(fault, err)
	}
	if a.record.End != store.EndFailed {
		t.before.Answered(a.to.Ref(), a.record.Created, a.plan)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fault
}

// noteEnd says why an answer that is over may not be what was asked for.
func (t *turn) noteEnd(a *asked) {
	text := ""
	switch {
	case a.record.End == store.EndNoDone:
		text = "the server ended the stream without a finish reason; the answer is kept as interrupted"
	case a.record.End != store.EndDone:
	case a.reply.Finished.Reason == "length":
		text = "the answer is cut off: it reached the length limit of the model or of max_tokens"
	case a.reply.Finished.Reason == "content_filter":
		text = "the answer is cut off: the server's content filter stopped it"
	case strings.TrimSpace(a.reply.Text) == "" && len(a.reply.Calls) == 0:
		text = "the model sent reasoning but no answer"
	}
	if text != "" {
		t.emit(Notice{text})
	}
}

// Step 6: the end of the turn. Step 5 is in tools.go.

// fail notes why the turn failed, where its message is stored: the screen shows that there, now and whenever the
// conversation is opened.
func (t *turn) fail(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil || len(t.messages) == 0 {
		return
	}
	last := t.last
	if last.End != store.EndFailed && last.End != store.EndCut { // it was answered: something else failed behind it
		last = store.Request{}
	}
	t.failure = &record.Failure{
		Fault: record.FaultOf(err), User: t.messages[0].ID, Turn: last.Turn, Request: last.ID, Tries: last.Retries + 1,
	}
	save, cancel := detached(ctx)
	defer cancel()
	switch last.End {
	case store.EndFailed:
		last.Fault = t.failure.JSON()
		err = t.deps.Store.UpdateRequest(save, last)
	case store.EndCut: // the record says it already
		return
	default:
		t.failure.After = t.markFaulty()
		err = t.deps.Store.SetFault(save, t.failure.After, t.failure.JSON())
		t.Branch().Forget()
	}
	if err != nil {
		t.log().Warn("record why the turn failed", "error", ErrorCode(err))
	}
}

// markFaulty notes on the active branch that the turn failed behind its last message there, and returns that. Where an
// answer was asked for again and none came, it is the answer that was there before.
func (t *turn) markFaulty() (last int64) {
	last = t.messages[0].ID
	t.set(func(st *state) {
		at, there := st.branch.Find(last)
		if !there {
			return
		}
		for at+1 < st.branch.Len() && st.branch.Role(at+1) != history.User {
			at++
		}
		st.branch = st.branch.Change(func(rows []branch.Row) { rows[at].Faulty = true })
		last = st.branch.ID(at)
	})
	return last
}

// detached is a bounded context for the writes that a stop must not prevent.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), saveTime)
}
