package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/session/target"
)

// plan decides the next request, stores its record and shows it. The record is on disk before any
// byte of the request leaves.
func (t *turn) plan(ctx context.Context) (asked, error) {
	answered := t.messages[0].ID
	t.last = store.Request{}
	if _, err := t.refresh(ctx); err != nil {
		return asked{}, err
	}
	if t.Flag(answered) == history.Exclude {
		return asked{}, ErrExcluded
	}
	if err := t.condense(ctx); err != nil {
		return asked{}, err
	}
	a, err := t.decide(ctx, question{model: t.asks, options: t.nextOptions, request: t.requestTo})
	if err != nil {
		return asked{}, unsent(err)
	}
	forecast := t.before.Forecast(a.plan)
	a.prefix = forecast.Prefix
	if err := t.record(ctx, &a, sending{t.number, answered, store.ForAnswer, t.askLimit(store.ForAnswer)}); err != nil {
		return asked{}, err
	}
	t.mu.Lock()
	t.planned = a.plan
	t.mu.Unlock()
	t.offerRecall(a.plan.Sum, leavesOut(a.plan)) // from the next request on: this one is what was shown
	t.sayReason()
	t.noteUncheckable(a)
	t.noteLowered()
	t.noteUnsent()
	if a.decision.Scope != nil {
		forecast.Losses = nil // The user sends the message alone, and asked for that.
	}
	t.emit(Planned{Plan: a.plan, Request: a.record, Forecast: forecast})
	a.began = t.deps.Now()
	return a, nil
}

// sending says what a request is for.
type sending struct {
	turn    int
	user    int64 // the user's message that it answers, or is about
	purpose store.Purpose
	ask     limitAsker // is asked where it would exceed a limit; nil for nobody
}

// record stores the record of a request that is about to leave. Every request passes here, whatever it is for: one
// that would exceed a limit and that the user does not allow leaves no record, and the error is a *LimitError.
func (s *Session) record(ctx context.Context, a *asked, as sending) error {
	if err := s.allow(ctx, estimateOf(a.to, a.request.MaxTokens, a.plan.Sum), as.ask); err != nil {
		return err
	}
	body, err := a.to.Client.Body(a.request)
	if err != nil {
		return err
	}
	a.record, err = s.Records().Add(ctx, record.Leaving{
		Turn: as.turn, User: as.user, Purpose: as.purpose, Endpoint: a.to.Client.Endpoint().Name,
		Model:    a.request.Model,
		Decision: a.decision, Plan: a.plan, Prefix: a.prefix, At: s.deps.Now(), Body: body,
	})
	if err != nil {
		return err
	}
	if log := s.log(); log.Enabled(ctx, slog.LevelDebug) {
		logPlan(log, a.record, a.plan, s.Branch())
	}
	return nil
}

// question is what a request is planned by. Its model and options are asked for with the lock held.
type question struct {
	model   func() *target.Model
	options func() history.Options
	request func(*target.Model, history.Plan) llm.Request
}

// decide plans a request about the branch before the turn, by real counts of all that it holds. A message
// that was planned with by a guess is counted before it is sent, and then the plan is made anew: each time
// there are fewer.
func (t *turn) decide(ctx context.Context, q question) (asked, error) {
	for {
		t.mu.Lock()
		to, o := q.model(), q.options()
		plan, err := t.buildLimited(to, t.past, &o)
		guessed, messages := t.guessedIn(plan), t.branch
		a := asked{to: to, request: q.request(to, plan), plan: plan}
		a.decision = record.DecisionOf(t.leafOf(o), o, plan, a.request, a.to.Client)
		a.decision.Guessed = t.guesses()
		t.mu.Unlock()
		if len(guessed) == 0 {
			return a, err
		}
		if err := t.countAt(ctx, messages, guessed); err != nil {
			return asked{}, err
		}
	}
}

// nextOptions is everything beside the history that decides the turn's next request. The caller holds
// the lock.
func (t *turn) nextOptions() history.Options {
	o := t.options(t.asks(), t.policy, t.messages)
	if t.alone() {
		o.Scope = &history.Scope{For: history.ForAlone}
	}
	o.CutCurrent = t.cut
	return o
}

// alone says that the conversation before the turn is not sent: its user's message says so in the store,
// whichever way it is asked. The caller holds the lock.
func (t *turn) alone() bool {
	at, there := t.find(t.messages[0].ID)
	return there && t.branch.Row(at).Alone
}

// leafOf is the newest message that a request is planned from: the turn's, and for one that winnow asks by
// itself the newest before the turn. The caller holds the lock.
func (t *turn) leafOf(o history.Options) int64 {
	if len(o.Turn) > 0 && o.Turn[0].ID != 0 {
		return t.row.Leaf
	}
	return t.branch.ID(t.past - 1)
}

// asked is one request on its way: its record, and the answer as far as it has arrived.
type asked struct {
	to       *target.Model
	request  llm.Request
	decision record.Decision
	record   store.Request
	plan     history.Plan
	prefix   record.Prefix // what it begins with as the request before it
	began    time.Time
	reply    llm.Reply
	saver    *saver // nil until the first piece arrived

	withdrawn int64 // an earlier request that the server read whole after all, 0 for none
}

// ask sends the request and saves what comes back: the whole answer, or its beginning when the user
// or the network ended it. Only a request without any answer at all leaves no message.
func (t *turn) ask(ctx context.Context, a asked) (store.Message, error) {
	fault := a.stream(ctx, func(event llm.Event) error { return t.arrive(ctx, &a, event) })
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
	t.judge(&a)
	answer, err := t.saveAnswer(ctx, a)
	t.last = a.record
	if err != nil {
		return answer, err
	}
	t.before.Answered(a.to.Ref(), a.record.Created, a.plan, t.Branch())
	a.to.Ran()
	t.noteCount(ctx, a)
	if fault == nil {
		t.noteEnd(a)
	}
	return answer, fault
}

// stream sends the request and takes what comes back, until an error.
func (a *asked) stream(ctx context.Context, take func(llm.Event) error) error {
	for event, err := range a.to.Client.Stream(ctx, a.request) {
		if err != nil {
			return err
		}
		a.reply.Add(event)
		if err := take(event); err != nil {
			return err
		}
	}
	return nil
}

// arrive takes one event of the stream: offers it to the store, shows it.
func (t *turn) arrive(ctx context.Context, a *asked, event llm.Event) error {
	var shown Event
	switch event := event.(type) {
	case llm.Waiting:
		return t.again(ctx, a, event, t.emit)
	case llm.TextDelta:
		shown = Delta{Text: event.Text}
	case llm.ReasoningDelta:
		shown = Delta{Reasoning: event.Text}
	case llm.ToolDelta:
		shown = Calling{Slot: event.Index, Name: event.Name, Arguments: event.Arguments}
	default:
		return nil
	}
	if err := t.keep(ctx, a); err != nil {
		return err
	}
	t.emit(shown)
	return nil
}

// clause is an error's sentence without its full stop: more follows.
func clause(err error) string { return strings.TrimSuffix(err.Error(), ".") }

// keep offers what has arrived to the store. The row begins with the first piece, before that piece
// is shown, and even when the user stops at this very moment: what was seen is kept.
func (t *turn) keep(ctx context.Context, a *asked) error {
	if a.saver == nil {
		save, cancel := detached(ctx)
		defer cancel()
		a.record.FirstToken = t.deps.Now().Sub(a.began)
		row, err := t.deps.Store.StartAnswer(save, t.answerRow(*a))
		if err != nil {
			return err
		}
		a.saver = startSaver(t.deps.Store, row.ID)
	}
	a.saver.offer(a.reply.Text, a.reply.Reasoning)
	return nil
}

// again records that a request leaves once more, and announces it. The server may have refused one of its fields, so
// its bytes may be others than before.
func (s *Session) again(ctx context.Context, a *asked, waiting llm.Waiting, show func(Event)) error {
	if waiting.Changed != "" {
		s.learn(ctx, a.to)
	}
	if waiting.Request != nil {
		a.request = *waiting.Request
	}
	body, err := a.to.Client.Body(a.request)
	if err != nil {
		return err
	}
	a.decision.Ask(a.to.Client, a.request)
	a.record.Retries++
	if err := record.Sign(&a.record, a.decision, body); err != nil {
		return err
	}
	save, cancel := detached(ctx)
	defer cancel()
	if err := s.deps.Store.UpdateRequest(save, a.record); err != nil {
		return err
	}
	show(Waiting{waiting})
	if waiting.Changed != "" {
		show(Notice{fmt.Sprintf("%s; asking again %s", clause(waiting.Err), waiting.Changed)})
	}
	return nil
}

// close notes how the request ended, and what it cost.
func (a *asked) close(d Deps, stopped bool, fault error) {
	r := &a.record
	cost := a.cost(d.tokens().count)
	r.Cost, r.CostFrom, r.PriceSource = int64(cost.Amount), string(cost.From), cost.Source
	r.Took = d.Now().Sub(a.began)
	r.Prompt, r.Cached, r.CacheWrite = a.reply.Usage.Prompt, a.reply.Usage.Cached, max(0, a.reply.Usage.CacheWrite)
	r.Answer, r.Reasoning = a.reply.Usage.Answer, a.reply.Usage.Reasoning
	r.CacheDiagnosis = llm.RawDiagnosis(a.reply.Finished.Extra)
	r.Finish, r.End = a.reply.Finished.Reason, store.RequestEnd(a.reply.Finished.End)
	switch {
	case stopped:
		r.End = store.EndStopped
	case fault != nil && a.saver != nil:
		r.End = store.EndCut
	case fault != nil:
		r.End = store.EndFailed
	}
	e := (*llm.Error)(nil)
	if errors.As(fault, &e) && e.Unsent {
		r.Retries--
	}
	if fault == nil || stopped {
		return
	}
	r.Error = fault.Error()
	if a.saver != nil { // nothing is asked again behind an answer that has begun
		r.Fault = record.FaultOf(fault).JSON()
	}
	if e != nil && e.Body != "" {
		r.Error += "\n" + e.Body
	}
}

// cost is what a request that is over cost. Where the server did not report its tokens, those that are
// known to have gone and come are counted. A request without any answer and of which the server says
// nothing has no cost: it was refused, or never arrived.
func (a asked) cost(count history.Counter) pricing.Cost {
	usage := a.reply.Usage
	if a.reply.Text == "" && a.saver == nil && (usage == pricing.Usage{} || usage == pricing.NoUsage()) {
		return pricing.Cost{}
	}
	came := count(a.reply.Text) + count(a.reply.Reasoning)
	for _, call := range a.reply.Calls {
		came += count(call.Name) + count(call.Arguments)
	}
	return a.to.Client.Cost(a.record.Model, usage, pricing.Usage{Prompt: a.expected(), Answer: a.plan.Sum.Tokens(came)})
}

// answerRow is the answer's row as of now.
func (t *turn) answerRow(a asked) store.Message {
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
func (t *turn) saveAnswer(ctx context.Context, a asked) (store.Message, error) {
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
	if a.record.End == store.EndNoDone {
		t.emit(Notice{"the server ended the stream without a finish reason; the answer is kept as interrupted"})
	}
	return stored, nil
}

// saveFault stores why a request has no answer, and hands the reason on.
func (t *turn) saveFault(ctx context.Context, a asked, fault error) error {
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
		t.before.Answered(a.to.Ref(), a.record.Created, a.plan, t.Branch())
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fault
}

// blank says that what arrived holds nothing that can be read.
func (a asked) blank() bool {
	return strings.TrimSpace(a.reply.Text+a.reply.Reasoning) == "" && len(a.reply.Calls) == 0
}

// empty is the error of an answer without anything in it.
func (a asked) empty() error {
	return &llm.Error{
		Kind: llm.BadStream, Endpoint: a.record.Endpoint, Model: a.record.Model, Message: "the answer is empty",
	}
}

// noteEnd says why an answer that is over may not be what was asked for.
func (t *turn) noteEnd(a asked) {
	switch {
	case a.record.End != store.EndDone:
	case a.reply.Finished.Reason == "length":
		t.emit(Notice{"the answer is cut off: it reached the length limit of the model or of max_tokens"})
	case a.reply.Finished.Reason == "content_filter":
		t.emit(Notice{"the answer is cut off: the server's content filter stopped it"})
	case strings.TrimSpace(a.reply.Text) == "" && len(a.reply.Calls) == 0:
		t.emit(Notice{"the model sent reasoning but no answer"})
	}
}

// A request that winnow makes by itself, for a summary or a title, is recorded, costed and announced like the user's.
// Its answer is no message of the conversation.

// text sends a request that is recorded, waits for all of its text and completes the record. A retry is
// shown.
func (s *Session) text(ctx context.Context, a *asked, show func(Event)) (string, error) {
	a.began = s.deps.Now()
	fault := a.stream(ctx, func(event llm.Event) error {
		if waiting, ok := event.(llm.Waiting); ok {
			return s.again(ctx, a, waiting, show)
		}
		return nil
	})
	text := strings.TrimSpace(a.reply.Text)
	switch {
	case fault != nil || ctx.Err() != nil:
	case text == "":
		fault = errors.New("the model returned no text")
	case a.reply.Finished.End != llm.Done:
		fault = errors.New("the connection was lost before the text was complete")
	}
	a.close(s.deps, ctx.Err() != nil, fault)
	save, cancel := detached(ctx)
	defer cancel()
	if err := s.deps.Store.UpdateRequest(save, a.record); err != nil {
		return "", errors.Join(fault, err)
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return text, fault
}

// inputCost is what the input of a request that is planned costs, for a sentence: "" where no price is known.
func (a asked) inputCost() string {
	cost := a.to.InputCost(a.plan.Sum)
	if !cost.Known() {
		return ""
	}
	return ", " + cost.String()
}
