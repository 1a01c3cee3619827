package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"winnow/history"
	"winnow/session/recall"
	"winnow/session/store"
)

const (
	// The most tokens that an answer of the recall tool may have: recallMax, but no more than this share of what a
	// request may hold, and recallMin in any case.
	recallMax   = 2000
	recallMin   = 200
	recallShare = 8

	othersAtOnce = 20 // messages of other conversations that the recall tool looks at

	// How many tokens a request has to have room for before the recall tool is offered: in a smaller one the
	// description of the tool takes more from the conversation than it gives back.
	leastBudget = 2000
)

// offerRecall has the model offered the recall tool where a request did not hold all of the conversation.
func (s *Session) offerRecall(sum history.Sum, leftOut bool) {
	if leftOut && sum.Limit >= leastBudget && s.deps.Recall != recall.Off && s.deps.Recall != "" {
		s.own.Register(recall.Tool(s.deps.Recall == recall.Everywhere), s.recall)
	}
}

// leavesOut says that a request does not hold a message, or not all of it, which the user did not exclude. For a stored
// request Store.NewestSum says the same.
func leavesOut(plan history.Plan) bool {
	return slices.ContainsFunc(plan.Entries, func(e history.Entry) bool {
		missing := e.Disposition == history.Dropped || e.Disposition == history.Cut || e.Disposition == history.Recalled
		return missing && !e.Whole
	})
}

// recall is what the recall tool does.
func (s *Session) recall(ctx context.Context, arguments json.RawMessage) (string, error) {
	q, err := recall.ReadQuery(arguments)
	if err != nil {
		return "", err
	}
	st := s.Now()
	t := st.turn
	switch {
	case q.Others && s.deps.Recall != recall.Everywhere:
		return "", errors.New("other conversations may not be read")
	case t == nil:
		return "", errors.New("no turn is running")
	}
	var planned history.Plan
	var user int64
	s.set(func(*State) { planned, user = t.planned, t.messages[0].ID })
	limit := max(recallMin, min(recallMax, planned.Sum.Limit/recallShare))
	var found []recall.Message
	var positions []int
	if q.Others {
		if found, err = s.searchOthers(ctx, q.Text); err != nil {
			return "", err
		}
	} else if !st.alone(user) {
		found, positions = t.searchMissing(st, planned, q.Text)
	}
	text, used := recall.Answer(q, found, limit, s.deps.count)
	s.set(func(*State) { t.readAgain = positions[:min(used, len(positions))] })
	return text, nil
}

// searchMissing finds the messages of the conversation before the turn that a text is about and that the turn's newest
// request does not hold whole, the best first, with their positions. What the user excluded is not found.
func (t *turn) searchMissing(
	st State, planned history.Plan, text string,
) (found []recall.Message, positions []int) {
	var groups [][]int
	if t.plans.reads(st, t.before, func(c *history.Conversation) { groups = c.Search(text) }) != nil {
		return nil, nil
	}
	for _, at := range slices.Concat(groups...) {
		if at >= len(planned.Entries) || at >= st.Branch.Len() {
			continue
		}
		e := planned.Entries[at]
		if st.Branch.ID(at) != e.ID || !e.FellOut() && (!e.Sent() || e.Whole) {
			continue
		}
		m, err := st.Branch.Message(at)
		if err != nil {
			continue // it cannot be read now: other messages are found
		}
		hit := recall.Message{Number: at + 1, Role: m.Role, Sent: "not in your context", Text: m.TextWithCalls()}
		if e.Sent() {
			hit.Sent = fmt.Sprintf("%d of %d characters are in your context", e.CharsAfter, e.CharsBefore)
		}
		if m.CreatedMS != 0 {
			hit.At = time.UnixMilli(m.CreatedMS)
		}
		found, positions = append(found, hit), append(positions, at)
	}
	return found, positions
}

// searchOthers finds messages of the user's other conversations, the newest first. What the user excluded there is not
// found, and no title that may be made of it is given.
func (s *Session) searchOthers(ctx context.Context, text string) (found []recall.Message, err error) {
	hits, err := s.deps.Store.Search(ctx, store.Search{Text: text, Limit: othersAtOnce})
	if err != nil {
		return nil, err
	}
	own := s.Info().ID
	for _, h := range hits {
		if h.Session.ID == own {
			continue
		}
		decisions, err := s.deps.Store.Decisions(ctx, h.Session.ID)
		if err != nil {
			return nil, err
		}
		out, err := s.leftOut(ctx, decisions.Flags, h.Message)
		if err != nil {
			return nil, err
		}
		if out {
			continue
		}
		title, decided := h.Session.Title, slices.Collect(maps.Values(decisions.Flags))
		if h.Session.TitleFrom != store.TitleUser && slices.Contains(decided, history.Exclude) {
			title = "untitled"
		}
		found = append(found, recall.Message{
			From: title, Role: h.Role, At: h.At.Truncate(time.Minute), Text: h.Snippet,
		})
	}
	return found, nil
}

// leftOut says that a message of another conversation, which has these flags, is excluded: by itself, with the call
// that it is the result of, or with the question that it follows, unless it is pinned apart.
func (s *Session) leftOut(ctx context.Context, flags map[int64]history.Flag, message int64) (bool, error) {
	if flags[message] == history.Exclude {
		return true, nil
	}
	question, call, err := s.deps.Store.Answered(ctx, message)
	pinned := flags[message] == history.Pin || flags[call] == history.Pin
	return flags[call] == history.Exclude || flags[question] == history.Exclude && !pinned, err
}
