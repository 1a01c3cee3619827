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

// attempt is one request and its answer as far as it has arrived.
type attempt struct {
	task     task
	to       *target.Model
	plan     history.Plan
	request  llm.Request
	decision record.RequestInputs
	forecast record.Forecast // compared with the earlier requests; only for an answer
	record   store.Request
	began    time.Time
	reply    llm.Reply
	saver    *saver        // nil until the first piece of an answer has arrived
	answer   store.Message // the stored answer; its ID is 0 if there is none

	withdrawn int64 // an earlier request that the server did read whole, contrary to its receipt; 0 for none
}

// text returns the text of the answer without surrounding white space.
func (a *attempt) text() string { return strings.TrimSpace(a.reply.Text) }

// decide plans a request to a model after the first messages of the branch; before is their number. The returned
// attempt has the request of the plan, which the caller may modify.
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
	case before > 0: // a summary or a title
		leaf = st.Branch.ID(before - 1)
	}
	return &attempt{to: to, plan: plan, request: to.Request(plan), decision: record.InputsOf(leaf, o, plan)}, err
}

// prepare plans a request, checks it against the limits and stores its record, which is on disk before the request is
// sent. If the user was asked, the request is planned again, because the user may have changed something meanwhile.
func (t *turn) prepare(ctx context.Context, e task, over overflow) (*attempt, error) {
	for {
		a, err := e.plan(ctx)
		if err != nil {
			return a, err
		}
		// Do not repeat a request that is about as long as the one that the server refused.
		if over.shrunk > 0 && float64(a.plan.Sum.Total) > smallerBy*float64(over.refused.plan.Sum.Total) {
			return a, over.fault
		}
		a.task = e
		wasAsked, err := t.checkLimits(ctx, estimateOf(a.to, a.request.MaxTokens, a.plan.Sum), e.purpose)
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
		if err = a.decision.FillRecord(&a.record, a.to.Client, a.request); err == nil {
			a.record, err = t.Records().Add(ctx, a.record, a.plan, a.forecast.Prefix)
		}
		return a, err
	}
}

// send sends the request and stores the answer, or the part of it that arrived before the user or the network ended it.
// It stores no message if nothing arrived.
func (t *turn) send(ctx context.Context, a *attempt) error {
	a.began = t.deps.Now()
	fault := t.stream(ctx, a)
	if fault == nil && ctx.Err() == nil {
		fault = a.streamFault()
	}
	a.recordEnd(t.deps, ctx.Err() != nil, fault)
	t.logRequest(a.record, fault)
	var err error
	if a.saver == nil {
		err = t.saveRecord(ctx, a.record)
	} else {
		t.compareCount(a)
		err = t.saveAnswer(ctx, a)
	}
	if a.task.purpose == store.PurposeAnswer {
		if t.last = a.record; err == nil && a.record.End != store.EndFailed {
			t.past.NoteAnswered(a.record, a.plan)
		}
	}
	if err != nil {
		return errors.Join(fault, err)
	}
	if a.saver == nil {
		return cmp.Or(ctx.Err(), fault)
	}
	a.to.NoteAnswered()
	t.noteCount(ctx, a)
	if text := a.endNotice(); fault == nil && text != "" {
		t.say("%s", text)
	}
	return fault
}

// stream sends the request and reads the answer. Each piece is handed to the store before it is shown.
func (t *turn) stream(ctx context.Context, a *attempt) error {
	for event, err := range a.to.Client.Stream(ctx, a.request) {
		if err != nil {
			return err
		}
		a.reply.Add(event)
		var piece Event
		switch event := event.(type) {
		case llm.Retrying:
			if err := t.recordRetry(ctx, a, event); err != nil {
				return err
			}
		case llm.TextDelta:
			piece = Delta{Text: event.Text}
		case llm.ReasoningDelta:
			piece = Delta{Reasoning: event.Text}
		case llm.ToolDelta:
			piece = event
		}
		if piece == nil || a.task.purpose != store.PurposeAnswer {
			continue
		}
		if err := t.checkpoint(ctx, a); err != nil {
			return err
		}
		t.emit(piece)
	}
	return nil
}

// recordRetry records that the request is sent again, and announces it. The new body may differ, because the server may
// have refused one of its fields.
func (t *turn) recordRetry(ctx context.Context, a *attempt, waiting llm.Retrying) error {
	if waiting.Change != "" {
		t.learn(ctx, a.to)
	}
	if waiting.Request != nil {
		a.request = *waiting.Request
	}
	a.record.Retries++
	if err := a.decision.FillRecord(&a.record, a.to.Client, a.request); err != nil {
		return err
	}
	if err := t.saveRecord(ctx, a.record); err != nil {
		return err
	}
	t.emit(Retrying{waiting})
	if waiting.Change != "" {
		t.say("%s; asking again %s", clause(waiting.Err), waiting.Change)
	}
	return nil
}

// checkpoint passes what has arrived to the store. The answer's row is created before the first piece is shown, even if
// the user stops at that moment.
func (t *turn) checkpoint(ctx context.Context, a *attempt) error {
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

// answerRow returns the current row of the answer.
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

// saveAnswer stores the answer and its receipt in one transaction, even after a stop, because the user has already seen
// the text.
func (t *turn) saveAnswer(ctx context.Context, a *attempt) error {
	t.warn("checkpoint the answer", a.saver.close())
	m := t.answerRow(a)
	m.ID = a.saver.id
	err := detached(ctx, func(ctx context.Context) (err error) {
		a.answer, err = t.deps.Store.FinishAnswer(ctx, t.deps.withCount(m), a.record)
		return err
	})
	if err == nil {
		t.add(a.answer)
		t.emit(AnswerStored{Message: a.answer, Receipt: record.ReceiptOf(a.record)})
	}
	return err
}

// streamFault returns an error if the stream ended normally without a usable answer.
func (a *attempt) streamFault() error {
	blank := strings.TrimSpace(a.reply.Text+a.reply.Reasoning) == "" && len(a.reply.Calls) == 0
	switch {
	case a.task.purpose == store.PurposeAnswer && a.saver == nil:
		if fault := a.to.NoRoomError(a.reply, a.expected()); fault != nil {
			return fault
		}
	case a.task.purpose != store.PurposeAnswer && a.text() != "" && a.reply.Finished.End != llm.EndDone:
		return errors.New("the connection was lost before the text was complete")
	}
	if blank || a.task.purpose != store.PurposeAnswer && a.text() == "" {
		return &llm.Error{Kind: llm.ErrEmptyAnswer, Endpoint: a.record.Endpoint, Model: a.record.Model}
	}
	return nil
}

// endNotice explains why an answer may be incomplete. It returns "" if there is nothing to explain.
func (a *attempt) endNotice() string {
	switch {
	case a.record.End == store.EndWithoutDone:
		return "the server ended the stream without a finish reason; the answer is kept as interrupted"
	case a.record.End != store.EndDone:
	case a.reply.Finished.Reason == "length":
		return "the answer is cut off: it reached the length limit of the model or of max_tokens"
	case llm.FinishKindOf(a.reply.Finished.Reason) == llm.FinishCut:
		return "the answer is cut off: the server stopped it (finish_reason " + a.reply.Finished.Reason + ")"
	case a.text() == "" && len(a.reply.Calls) == 0:
		return "the model sent reasoning but no answer"
	}
	return ""
}

// saveRecord stores the updated record of a request.
func (t *turn) saveRecord(ctx context.Context, r store.Request) error {
	return detached(ctx, func(ctx context.Context) error { return t.deps.Store.UpdateRequest(ctx, r) })
}

// recordEnd updates the record with how the request ended and what it cost.
func (a *attempt) recordEnd(d Deps, stopped bool, fault error) {
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
		r.End = store.EndDisconnected
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
	if a.saver != nil { // a request is not repeated once its answer has begun
		r.Fault = record.NewTurnFault(fault).JSON()
	}
	if e != nil && e.Body != "" {
		r.Error += "\n" + e.Body
	}
}

// cost returns the cost of a finished request. If the server did not report its tokens, they are estimated from what
// was sent and received. A request without an answer and without a report costs nothing: it was refused or never
// arrived.
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

// expected returns the number of tokens that the server is expected to count for the request.
func (a *attempt) expected() int { return a.plan.Sum.Tokens(a.plan.Sum.Total) }

// clause returns the text of an error without its full stop, for use within a sentence.
func clause(err error) string { return strings.TrimSuffix(err.Error(), ".") }

// logRequest logs a finished request: its size, its usage, and how it ended.
func (t *turn) logRequest(r store.Request, fault error) {
	t.log().Debug("request", "turn", r.Turn, "record", r.ID, "model", r.Endpoint+"/"+r.Model, "estimate", r.Estimate,
		"messages", r.Tally.Stored, "sent", r.Tally.Sent(), "repaired", r.Tally.Repaired,
		"ended", r.End, "error", record.LogCode(fault), "prompt", r.Prompt, "answer", r.Answer, "took", r.Took)
}
