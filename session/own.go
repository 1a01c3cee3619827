package session

import (
	"context"
	"errors"
	"strings"

	"winnow/history"
	"winnow/llm"
)

// A request of winnow's own, for a summary or a title, is recorded, costed and announced like the user's. Its
// answer is no message of the conversation.

// question is what winnow asks in place of the user.
func question(text string) history.Message {
	return history.Message{Role: history.User, Content: text, Status: history.Complete}
}

// askOwn sends a request that is recorded, waits for all of its text and completes the record. A retry is
// shown.
func (s *Session) askOwn(ctx context.Context, a *asked, show func(Event)) (string, error) {
	a.began = s.deps.Now()
	var fault error
	for event, err := range a.to.Client.Stream(ctx, a.request) {
		if err != nil {
			fault = err
			break
		}
		a.reply.Add(event)
		if waiting, ok := event.(llm.Waiting); ok {
			show(Waiting{waiting})
			if fault = a.again(); fault != nil {
				break
			}
		}
	}
	text := strings.TrimSpace(a.reply.Text)
	switch {
	case fault != nil || ctx.Err() != nil:
	case text == "":
		fault = errors.New("the model wrote nothing")
	case a.reply.Finished.End != llm.Done:
		fault = errors.New("the connection was lost before the text was complete")
	}
	a.close(s.deps.Now(), ctx.Err() != nil, fault)
	cost := a.cost(s.count)
	a.record.Cost, a.record.CostFrom = int64(cost.Amount), string(cost.From)
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
