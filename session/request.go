package session

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/session/target"
)

// attempt is one request on its way: its record, and the answer as far as it has arrived.
type attempt struct {
	errand   errand
	to       *target.Model
	plan     history.Plan
	request  llm.Request
	decision record.Decision
	forecast record.Forecast // of an answer's request: what the requests before tell about it
	record   store.Request
	began    time.Time
	reply    llm.Reply
	saver    *saver        // nil until the first piece of an answer arrived
	answer   store.Message // the stored one, without an ID where there is none

	withdrawn int64 // an earlier request that the server read whole after all, 0 for none
}

// text is what arrived, without the blank around it.
func (a *attempt) text() string { return strings.TrimSpace(a.reply.Text) }

// decide plans a request to a model about the first messages of the branch, as many as before says. It is the model's
// own request of that plan; the caller may change it.
func (t *turn) decide(st State, plans *planner, before int, to *target.Model, o history.Options) (*attempt, error) {
	if t.limit > 0 && (o.Limit == 0 || t.limit < o.Limit) {
		o.Limit = t.limit
	}
	plan, err := plans.build(st, before, &o)
	if errors.Is(err, ErrLoading) {
		return nil, err
	}
	leaf := int64(0)
	switch {
	case len(o.Turn) > 0 && o.Turn[0].ID != 0:
		leaf = st.Row.Leaf
	case before > 0: // winnow asks by itself
		leaf = st.Branch.ID(before - 1)
	}
	return &attempt{to: to, plan: plan, request: to.Request(plan), decision: record.DecisionOf(leaf, o, plan)}, err
}

// prepare plans a request that the limits or the user allow, and stores its record: that is on disk before any byte of
// the request leaves. After a question it is planned anew, because what the user changed meanwhile holds for it.
func (t *turn) prepare(ctx context.Context, e errand, over overflow) (*attempt, error) {
	for {
		a, err := e.plan(ctx)
		if err != nil {
			return a, err
		}
		// What must be sent may be as much as what was refused without a number: to send it again makes no sense.
		if over.shrunk > 0 && float64(a.plan.Sum.Total) > smallerBy*float64(over.refused.plan.Sum.Total) {
			return a, over.fault
		}
		a.errand = e
		wasAsked, err := t.allow(ctx, estimateOf(a.to, a.request.MaxTokens, a.plan.Sum), e.purpose)
		if err != nil {
			return a, err
		}
		if wasAsked {
			continue
		}
		a.record = store.Request{
			User: t.user, Purpose: e.purpose, Endpoint: a.to.Client.Endpoint().Name, Model: a.request.Model,
			Created: t.deps.Now(),
		}
		if err = a.decision.Sign(&a.record, a.to.Client, a.request); err == nil {
			a.record, err = t.Records().Add(ctx, a.record, a.plan, a.forecast.Prefix)
		}
		return a, err
	}
}

// send sends the request and stores what comes back: the whole answer, or its beginning when the user or the network
// ended it. Only a request without any answer at all leaves no message.
func (t *turn) send(ctx context.Context, a *attempt) error {
	a.began = t.deps.Now()
	fault := t.stream(ctx, a)
	if fault == nil && ctx.Err() == nil {
		fault = a.flaw()
	}
	a.close(t.deps, ctx.Err() != nil, fault)
	t.logRequest(a.record, fault)
	var err error
	if a.saver == nil {
		err = t.saveRecord(ctx, a.record)
	} else {
		t.judge(a)
		err = t.saveAnswer(ctx, a)
	}
	if a.errand.purpose == store.ForAnswer {
		if t.last = a.record; err == nil && a.record.End != store.EndFailed {
			t.past.Answered(a.record, a.plan)
		}
	}
	if err != nil {
		return errors.Join(fault, err)
	}
	if a.saver == nil {
		return cmp.Or(ctx.Err(), fault)
	}
	a.to.Ran()
	t.noteCount(ctx, a)
	if text := a.ending(); fault == nil && text != "" {
		t.say("%s", text)
	}
	return fault
}

// stream sends the request and takes what comes back, until an error. A piece of an answer is kept before it is shown.
func (t *turn) stream(ctx context.Context, a *attempt) error {
	for event, err := range a.to.Client.Stream(ctx, a.request) {
		if err != nil {
			return err
		}
		a.reply.Add(event)
		var piece Event
		switch event := event.(type) {
		case llm.Retrying:
			if err := t.again(ctx, a, event); err != nil {
				return err
			}
		case llm.TextDelta:
			piece = Delta{Text: event.Text}
		case llm.ReasoningDelta:
			piece = Delta{Reasoning: event.Text}
		case llm.ToolDelta:
			piece = event
		}
		if piece == nil || a.errand.purpose != store.ForAnswer {
			continue
		}
		if err := t.keep(ctx, a); err != nil {
			return err
		}
		t.emit(piece)
	}
	return nil
}

// again records that a request leaves once more, and announces it. The server may have refused one of its fields, so
// its bytes may be others than before.
func (t *turn) again(ctx context.Context, a *attempt, waiting llm.Retrying) error {
	if waiting.Change != "" {
		t.learn(ctx, a.to)
	}
	if waiting.Request != nil {
		a.request = *waiting.Request
	}
	a.record.Retries++
	if err := a.decision.Sign(&a.record, a.to.Client, a.request); err != nil {
		return err
	}
	if err := t.saveRecord(ctx, a.record); err != nil {
		return err
	}
	t.emit(Waiting{waiting})
	if waiting.Change != "" {
		t.say("%s; asking again %s", clause(waiting.Err), waiting.Change)
	}
	return nil
}

// keep offers what has arrived to the store. The row begins with the first piece, before that piece
// is shown, and even when the user stops at this very moment: what was seen is kept.
func (t *turn) keep(ctx context.Context, a *attempt) error {
	if a.saver == nil {
		a.record.FirstToken = t.deps.Now().Sub(a.began)
		err := detached(ctx, func(ctx context.Context) error {
			row, err := t.deps.Store.StartAnswer(ctx, t.answerRow(a))
			if err == nil {
				a.saver = startSaver(t.deps.Store, row.ID)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	a.saver.offer(a.reply)
	return nil
}

// answerRow is the answer's row as of now.
func (t *turn) answerRow(a *attempt) store.Message {
	status := history.Complete
	if a.record.End != store.EndDone {
		status = history.Interrupted
	}
	return store.Message{
		Session: a.record.Session, Parent: t.Info().Leaf, Request: a.record.ID,
		Endpoint: a.record.Endpoint, Model: a.record.Model,
		FinishReason: a.reply.Finished.Reason, Extra: string(a.reply.Finished.Extra),
		Message: history.Message{
			Role: history.Assistant, Content: a.reply.Text, Reasoning: a.reply.Reasoning,
			ToolCalls: a.reply.Calls, Status: status,
		},
	}
}

// saveAnswer stores what arrived with its receipt in one transaction. It happens even after a
// stop: the user has already seen the text.
func (t *turn) saveAnswer(ctx context.Context, a *attempt) error {
	t.warn("checkpoint the answer", a.saver.close())
	m := t.answerRow(a)
	m.ID = a.saver.id
	err := detached(ctx, func(ctx context.Context) (err error) {
		a.answer, err = t.deps.Store.FinishAnswer(ctx, t.deps.counted(m), a.record)
		return err
	})
	if err == nil {
		t.add(a.answer)
		t.emit(Answered{Message: a.answer, Receipt: record.ReceiptOf(a.record)})
	}
	return err
}

// flaw is the error of a stream that ended by itself and holds nothing that can be used.
func (a *attempt) flaw() error {
	blank := strings.TrimSpace(a.reply.Text+a.reply.Reasoning) == "" && len(a.reply.Calls) == 0
	switch {
	case a.errand.purpose == store.ForAnswer && a.saver == nil:
		if fault := a.to.NoRoom(a.reply, a.expected()); fault != nil {
			return fault
		}
	case a.errand.purpose != store.ForAnswer && a.text() != "" && a.reply.Finished.End != llm.EndDone:
		return errors.New("the connection was lost before the text was complete")
	}
	if blank || a.errand.purpose != store.ForAnswer && a.text() == "" {
		return &llm.Error{Kind: llm.ErrEmptyAnswer, Endpoint: a.record.Endpoint, Model: a.record.Model}
	}
	return nil
}

// ending says why an answer that is over may not be what was asked for, "" where it is.
func (a *attempt) ending() string {
	switch {
	case a.record.End == store.EndNoDone:
		return "the server ended the stream without a finish reason; the answer is kept as interrupted"
	case a.record.End != store.EndDone:
	case a.reply.Finished.Reason == "length":
		return "the answer is cut off: it reached the length limit of the model or of max_tokens"
	case a.reply.Finished.Reason == "content_filter":
		return "the answer is cut off: the server's content filter stopped it"
	case a.text() == "" && len(a.reply.Calls) == 0:
		return "the model sent reasoning but no answer"
	}
	return ""
}

// saveRecord stores what became of a request.
func (t *turn) saveRecord(ctx context.Context, r store.Request) error {
	return detached(ctx, func(ctx context.Context) error { return t.deps.Store.UpdateRequest(ctx, r) })
}

// close notes how the request ended, and what it cost.
func (a *attempt) close(d Deps, stopped bool, fault error) {
	r, usage := &a.record, a.reply.Usage
	cost := a.cost(d)
	r.Cost, r.CostFrom, r.PriceSource = int64(cost.Amount), string(cost.From), cost.Source
	r.Took = d.Now().Sub(a.began)
	r.Prompt, r.Cached, r.CacheWrite = usage.Prompt, usage.Cached, max(0, usage.CacheWrite)
	r.Answer, r.Reasoning = usage.Answer, usage.Reasoning
	r.Finish, r.End = a.reply.Finished.Reason, store.RequestEnd(a.reply.Finished.End)
	switch {
	case stopped:
		r.End = store.EndStopped
	case fault != nil && a.saver != nil:
		r.End = store.EndCut
	case fault != nil:
		r.End = store.EndFailed
	}
	e, _ := errors.AsType[*llm.Error](fault)
	if e != nil && e.Unsent {
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
func (a *attempt) cost(d Deps) pricing.Cost {
	usage := a.reply.Usage
	if a.reply.Text == "" && a.saver == nil && (usage == pricing.Usage{} || usage == pricing.NoUsage()) {
		return pricing.Cost{}
	}
	came := d.Count(a.reply.Text) + d.Count(a.reply.Reasoning)
	for _, call := range a.reply.Calls {
		came += d.Count(call.Name) + d.Count(call.Arguments)
	}
	return a.to.Client.Cost(a.record.Model, usage, pricing.Usage{Prompt: a.expected(), Answer: a.plan.Sum.Tokens(came)})
}

// expected is what the server was expected to count for the request.
func (a *attempt) expected() int { return a.plan.Sum.Tokens(a.plan.Sum.Total) }

// clause is an error's sentence without its full stop: more follows.
func clause(err error) string { return strings.TrimSuffix(err.Error(), ".") }

// logRequest writes what a request held that is over, what the server said of it, and how it failed.
func (t *turn) logRequest(r store.Request, fault error) {
	t.log().Debug("request", "turn", r.Turn, "record", r.ID, "model", r.Endpoint+"/"+r.Model, "estimate", r.Estimate,
		"messages", r.Tally.Stored, "sent", r.Tally.Sent(), "repaired", r.Tally.Repaired,
		"ended", r.End, "error", record.ErrorCode(fault), "prompt", r.Prompt, "answer", r.Answer, "took", r.Took)
}
