package session

import (
	"cmp"
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

// The most tokens that an answer of the recall tool may have: recallMax, but no more than this share of what a request
// may hold, and recallMin in any case.
const (
	recallMax   = 2000
	recallMin   = 200
	recallShare = 8
)

// othersAtOnce is how many messages of other conversations the recall tool looks at.
const othersAtOnce = 20

// leastBudget is how many tokens a request has to have room for before the recall tool is offered: in a smaller one the
// description of the tool takes more from the conversation than it gives back.
const leastBudget = 2000

// offerRecall has the model offered the recall tool where a request did not hold all of the conversation.
func (s *Session) offerRecall(sum history.Sum, leftOut bool) {
	if !leftOut || sum.Limit < leastBudget || s.deps.Recall == recall.Off || s.deps.Recall == "" {
		return
	}
	s.deps.own.Register(recall.Tool(s.deps.Recall == recall.Everywhere), s.recall)
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
	if q.Others && s.deps.Recall != recall.Everywhere {
		return "", errors.New("other conversations may not be read")
	}
	st := s.now()
	t := st.turn
	if t == nil {
		return "", errors.New("no turn is running")
	}
	var planned history.Plan
	var user int64
	s.set(func(*state) { planned, user = t.planned, t.messages[0].ID })
	limit := max(recallMin, min(recallMax, planned.Sum.Limit/recallShare))
	if q.Others {
		found, err := s.searchOthers(ctx, q.Text)
		text, _ := recall.Answer(q, found, limit, s.tokensOf)
		return text, err
	}
	var found []recall.Message
	var positions []int
	if !st.alone(user) {
		found, positions = t.searchMissing(st, planned, q.Text)
	}
	text, used := recall.Answer(q, found, limit, s.tokensOf)
	s.set(func(*state) { t.readAgain = positions[:used] })
	return text, nil
}

// tokensOf counts a text, roughly where nothing else counts.
func (s *Session) tokensOf(text string) int {
	return cmp.Or(s.count(text), (len(text)+3)/4)
}

// searchMissing finds the messages of the conversation before the turn that a text is about and that the turn's newest
// request does not hold whole, the best first, with their positions. What the user excluded is not found, and nothing
// where the user sent the message alone.
func (t *turn) searchMissing(
	st state, planned history.Plan, text string,
) (found []recall.Message, positions []int) {
	var groups [][]int
	if t.plans.read(st, t.past, func(r *reading) { groups = r.Search(text) }) != nil {
		return nil, nil
	}
	for _, at := range slices.Concat(groups...) {
		if at >= len(planned.Entries) || at >= st.branch.Len() {
			continue
		}
		e := planned.Entries[at]
		if st.branch.ID(at) != e.ID || !e.FellOut() && (!e.Sent() || e.Whole) {
			continue
		}
		m, err := st.branch.Message(at)
		if err != nil {
			continue // it cannot be read now: other messages are found
		}
		found = append(found, recall.Message{
			Number: at + 1, Role: m.Role, At: timeOf(m.CreatedMS), Sent: sentOf(e), Text: m.TextWithCalls(),
		})
		positions = append(positions, at)
	}
	return found, positions
}

// timeOf is a time in Unix milliseconds, zero for 0.
func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// sentOf is how much of a message a request holds, for the model.
func sentOf(e history.Entry) string {
	if !e.Sent() {
		return "not in your context"
	}
	return fmt.Sprintf("%d of %d characters are in your context", e.CharsAfter, e.CharsBefore)
}

// searchOthers finds messages of the user's other conversations, the best first. What the user excluded there is not
// found, and no title that may be made of it is given.
func (s *Session) searchOthers(ctx context.Context, text string) ([]recall.Message, error) {
	hits, err := s.deps.Store.Search(ctx, store.Search{Text: text, Limit: othersAtOnce})
	if err != nil {
		return nil, err
	}
	own := s.Info().ID
	decided := map[string]store.Decisions{}
	var found []recall.Message
	for _, h := range hits {
		if h.Session.ID == own {
			continue
		}
		of := decided[h.Session.ID].Flags
		if of == nil {
			if decided[h.Session.ID], err = s.deps.Store.Decisions(ctx, h.Session.ID); err != nil {
				return nil, err
			}
			of = decided[h.Session.ID].Flags
		}
		out, err := s.leftOut(ctx, of, h.Message)
		if err != nil {
			return nil, err
		}
		if out {
			continue
		}
		title := h.Session.Title
		if h.Session.TitleFrom != store.TitleUser && slices.Contains(slices.Collect(maps.Values(of)), history.Exclude) {
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

// takeReadAgain are the positions of the messages that the call which ran last found, nil for none.
func (t *turn) takeReadAgain() (positions []int) {
	t.set(func(*state) { positions, t.readAgain = t.readAgain, nil })
	return positions
}
