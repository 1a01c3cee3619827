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

// asked is one request on its way: its record, and the answer as far as it has arrived.
type asked struct {
	to       *target.Model
	request  llm.Request
	decision record.Decision
	record   store.Request
	plan     history.Plan
	forecast record.Forecast // of an answer's request: what the requests before tell about it
	began    time.Time
	reply    llm.Reply
	saver    *saver // nil until the first piece arrived

	withdrawn int64 // an earlier request that the server read whole after all, 0 for none
}

// record stores the record of a request that is about to leave. Every request passes here, whatever it is for.
func (s *Session) record(ctx context.Context, a *asked, e errand) error {
	body, err := a.to.Client.Body(a.request)
	if err != nil {
		return err
	}
	a.record, err = s.Records().Add(ctx, record.Leaving{
		Request: store.Request{
			Turn: e.turn, User: e.user, Purpose: e.purpose, Endpoint: a.to.Client.Endpoint().Name,
			Model: a.request.Model, Created: s.deps.Now(),
		},
		Decision: a.decision, Made: a.plan, Prefix: a.forecast.Prefix, Body: body,
	})
	if err != nil {
		return err
	}
	if log := s.log(); log.Enabled(ctx, slog.LevelDebug) {
		logPlan(log, a.record, a.plan, s.Branch())
	}
	return nil
}

// stream sends the request and takes what comes back, until an error. A piece of an answer is kept before it is shown.
func (s *Session) stream(ctx context.Context, a *asked, keep func() error, show func(Event)) error {
	for event, err := range a.to.Client.Stream(ctx, a.request) {
		if err != nil {
			return err
		}
		a.reply.Add(event)
		var piece Event
		switch event := event.(type) {
		case llm.Waiting:
			if err := s.again(ctx, a, event, show); err != nil {
				return err
			}
		case llm.TextDelta:
			piece = Delta{Text: event.Text}
		case llm.ReasoningDelta:
			piece = Delta{Reasoning: event.Text}
		case llm.ToolDelta:
			piece = Calling{Slot: event.Index, Name: event.Name, Arguments: event.Arguments}
		}
		if piece == nil || keep == nil {
			continue
		}
		if err := keep(); err != nil {
			return err
		}
		show(piece)
	}
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
func (a *asked) cost(count history.Counter) pricing.Cost {
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

// blank says that what arrived holds nothing that can be read.
func (a *asked) blank() bool {
	return strings.TrimSpace(a.reply.Text+a.reply.Reasoning) == "" && len(a.reply.Calls) == 0
}

// empty is the error of an answer without anything in it.
func (a *asked) empty() error {
	return &llm.Error{Kind: llm.Empty, Endpoint: a.record.Endpoint, Model: a.record.Model}
}

// A request that winnow makes by itself, for a summary or a title, is recorded, costed and announced like the user's.
// Its answer is no message of the conversation.

// text sends a request that is recorded, waits for all of its text and completes the record. A retry is
// shown.
func (s *Session) text(ctx context.Context, a *asked, show func(Event)) (string, error) {
	a.began = s.deps.Now()
	fault := s.stream(ctx, a, nil, show)
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
func (a *asked) inputCost() string {
	cost := a.to.InputCost(a.plan.Sum)
	if !cost.Known() {
		return ""
	}
	return ", " + cost.String()
}

// clause is an error's sentence without its full stop: more follows.
func clause(err error) string { return strings.TrimSuffix(err.Error(), ".") }
