package session

import "winnow/history"

// Prefix is how much of a request a server may have read before, in counted tokens.
type Prefix struct {
	Tokens      int  // the messages that the request and the one before it begin with alike, and the tool schemas in front of them
	IfNextDrops int  // how many of those stay when the plan's Next loses its text
	Known       bool // false where there is nothing to compare with
}

// sent is a request that something was answered to.
type sent struct {
	to       string // the model, "endpoint/model"
	tools    int    // tokens of the tool schemas
	messages []history.Message
	upto     []int // tokens of the first n messages, with the tool schemas from the first message on
}

// Prefix compares a plan of the model in use with the request that was answered last in this
// conversation: what both begin with alike, a server may still know. It is not known before the first
// answer, where that request went to another model, and after Open until LoadPast.
func (s *Session) Prefix(plan history.Plan) Prefix {
	s.mu.Lock()
	before, to := s.before.sent, s.model.Ref()
	s.mu.Unlock()
	if before == nil || before.to != to {
		return Prefix{}
	}
	if before.tools != plan.Sum.Tools {
		return Prefix{Known: true} // They are what a model reads first.
	}
	alike := history.Alike(before.messages, plan.Messages)
	return Prefix{Tokens: before.upto[alike], IfNextDrops: before.upto[min(alike, plan.Stays)], Known: true}
}

// weigh counts a request of a plan, as far as that is not counted yet: what it begins with as the
// request before, and texts of the branch that are sent whole.
func (s *Session) weigh(ref string, plan history.Plan) *sent {
	if s.deps.Count == nil {
		return nil
	}
	now := &sent{to: ref, tools: plan.Sum.Tools, messages: plan.Messages, upto: make([]int, 1, len(plan.Messages)+1)}
	s.mu.Lock()
	before, counts := s.before.sent, map[string]int{}
	for i, e := range plan.Entries {
		if e.Whole && i < len(s.branch) && s.branch[i].ID == e.ID && s.branch[i].Tokens > 0 {
			counts[s.branch[i].Content] = s.branch[i].Tokens
		}
	}
	s.mu.Unlock()
	if before != nil && before.tools == now.tools {
		now.upto = append(now.upto[:0], before.upto[:1+history.Alike(before.messages, now.messages)]...)
	}
	count := func(text string) int {
		if n, known := counts[text]; known {
			return n
		}
		return s.deps.Count(text)
	}
	for n := len(now.upto) - 1; n < len(now.messages); n++ {
		cost := history.Cost(now.messages[n], count)
		if n == 0 {
			cost += now.tools
		}
		now.upto = append(now.upto, now.upto[n]+cost)
	}
	return now
}
