package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"winnow/history"
	"winnow/session/recall"
)

const (
	// The maximum number of tokens in a result of the recall tool is 1/recallShare of the request's limit, but at least
	// recallMin and at most recallMax.
	recallMax   = 2000
	recallMin   = 200
	recallShare = 8

	// leastBudget is the smallest request limit, in tokens, for which the recall tool is offered. In smaller requests,
	// the description of the tool costs more than it gains.
	leastBudget = 2000
)

// offerRecall registers the recall tool if a request left out a part of the conversation.
func (s *Session) offerRecall(sum history.TokenSum, leftOut bool) {
	if leftOut && sum.Limit >= leastBudget && s.deps.OfferRecall {
		s.ownTools.Register(recall.Tool, s.recall)
	}
}

// recall implements the recall tool: it finds messages before the turn that match a query and that the turn's newest
// request does not hold whole, the best match first. It does not find excluded messages.
func (s *Session) recall(_ context.Context, arguments json.RawMessage) (string, error) {
	query, err := recall.ParseQuery(arguments)
	if err != nil {
		return "", err
	}
	st := s.State()
	t := st.turn
	if t == nil {
		return "", errors.New("no turn is running")
	}
	var plan history.Plan
	s.set(func(*State) { plan = t.planned })
	var groups [][]int
	if !st.alone(t.user) {
		// If the conversation cannot be read, nothing is found.
		_ = t.plans.withConversation(st, t.before, func(c *history.Conversation) { groups = c.Search(query) })
	}
	var found []recall.FoundMessage
	var positions []int
	for _, at := range slices.Concat(groups...) {
		if at >= len(plan.Entries) || at >= st.Branch.Len() {
			continue
		}
		e := plan.Entries[at]
		m, err := st.Branch.Message(at)
		if err != nil || m.ID != e.ID || !e.DroppedByLimit() && (!e.Sent() || e.Whole) {
			continue
		}
		hit := recall.FoundMessage{Number: at + 1, Role: m.Role, Sent: "not in your context", Text: m.TextWithCalls()}
		if e.Sent() {
			hit.Sent = fmt.Sprintf("%d of %d characters are in your context", e.CharsAfter, e.CharsBefore)
		}
		if m.CreatedMS != 0 {
			hit.At = time.UnixMilli(m.CreatedMS)
		}
		found, positions = append(found, hit), append(positions, at)
	}
	limit := max(recallMin, min(recallMax, plan.Sum.Limit/recallShare))
	text, used := recall.FormatAnswer(query, found, limit, s.deps.Count)
	s.set(func(*State) { t.readAgain = positions[:used] })
	return text, nil
}
