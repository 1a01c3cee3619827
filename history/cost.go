package history

import "winnow/history/cause"

// cost is what the selected texts cost so far. It is a value: a step that does not fit is undone by taking the old one
// back.
type cost struct {
	body            int // tokens of the texts in the body, with their frames
	gaps            int // runs of messages that the body leaves out
	withoutQuestion int // answers in the body without a question of theirs
	recalled        int // tokens of the recalled texts, with their labels
	chars           int // characters of the history as sent
	messages        int // how many they are
}

// need is the tokens of the whole request as far as it is selected.
func (s *selection) need() int { return s.fixed + s.past(s.cost) }

// past is the tokens of the history with its markers and what is recalled.
func (s *selection) past(of cost) int {
	tokens := of.body + of.gaps*s.gap
	if of.gaps > 0 && s.o.System == "" {
		tokens += frameMessage // of a marker at the end of a system prompt that is not there
	}
	if of.withoutQuestion > 0 {
		// Each may follow a message that holds nothing but a marker, or what a request begins with.
		tokens += of.withoutQuestion*frameMessage + s.c.remembered(startText)
	}
	if of.recalled > 0 && !s.inOrder() {
		tokens += of.recalled + s.c.remembered(recallHead) + s.c.remembered(recallTail)
	}
	return tokens
}

// inOrder reports whether recalled messages are in their place in the body, and not in a block of their own.
func (s *selection) inOrder() bool { return s.o.Policy.Placement == InOrder }

// fits checks every bound of the policy after a step, before which the request held so many messages. The newest
// messages up to MinMessages, with the question of the last of them, may go beyond the bounds on the history, never
// beyond those of the request.
func (s *selection) fits(before int) bool {
	if s.need() > s.budget.counted {
		return false
	}
	if p := s.o.Policy; p.Strategy == DropOldest && (s.cost.messages <= p.MinMessages || before < p.MinMessages) {
		return true
	}
	return s.past(s.cost) <= s.budget.history && s.cost.chars <= s.budget.chars
}

// shortfall is why an increment did not fit, with its sum; was is the cost without it.
func (s *selection) shortfall(was cost) Cause {
	before, after := s.past(was), s.past(s.cost)
	available := s.budget.counted - s.fixed
	if after <= available {
		available = s.budget.history
	}
	if after <= available {
		return Cause{Code: cause.OverChars, Want: s.cost.chars - was.chars, Have: max(0, s.budget.chars-was.chars)}
	}
	want, have := s.budget.tokens(after-before), s.budget.tokens(max(0, available-before))
	return Cause{Code: cause.OverBudget, Want: want, Have: have}
}

// set gives a candidate its detail level in its place, and the one that recall shows of it.
func (s *selection) set(i int, body, recall detail) {
	inBody, inRequest := s.inBody(i), s.inRequest(i)
	s.charge(i, -1)
	s.body[i], s.recall[i] = body, recall
	s.charge(i, 1)
	if !inBody && s.inBody(i) {
		s.enter(i)
	}
	if !inRequest && s.inRequest(i) && !s.candidates[i].StandIn {
		s.cost.messages++
	}
}

// charge adds or takes away what a candidate's texts cost.
func (s *selection) charge(i, sign int) {
	own := s.rendering(i, s.detailInBody(i))
	s.cost.body += sign * own.price()
	s.cost.chars += sign * own.length
	if s.inOrder() {
		if s.recalled(i) {
			s.cost.recalled += sign * own.tokens
		}
		return
	}
	s.cost.recalled += sign * s.labelCosts(i)
	if s.recalled(i) {
		best := s.rendering(i, s.recall[i])
		s.cost.recalled += sign*s.recalledCost(i, best) + s.date(i, sign)
		s.cost.chars += sign * best.length
	}
}

// detailInBody is the detail level of a candidate in the body: recall in order shows it there.
func (s *selection) detailInBody(i int) detail {
	if s.inOrder() && s.recalled(i) {
		return s.recall[i]
	}
	return s.body[i]
}

// inBody reports whether a candidate is in the body, inRequest whether it is in the request at all.
func (s *selection) inBody(i int) bool { return s.detailInBody(i) != out }

func (s *selection) inRequest(i int) bool { return s.body[i] != out || s.recall[i] != out }

// enter adds the cost of a candidate that has just entered the body: its frame, and a gap that it opens or closes.
func (s *selection) enter(i int) {
	v := &s.candidates[i]
	s.cost.body += frameMessage + s.bridge(v)
	if v.Role == Assistant && s.withoutQuestion(i) {
		s.cost.withoutQuestion++
	}
	before, after := s.neighbour(i, -1), s.neighbour(i, 1)
	gapBefore := before >= 0 && !s.inBody(before)
	gapAfter := after >= 0 && !s.inBody(after)
	switch {
	case gapBefore && gapAfter:
		s.cost.gaps++
	case !gapBefore && !gapAfter:
		s.cost.gaps--
	}
}

// neighbour is the next candidate in a direction that has a place in the request's body, -1 for none.
func (s *selection) neighbour(i, step int) int {
	for i += step; i >= 0 && i < len(s.candidates); i += step {
		if s.candidates[i].Role != System {
			return i
		}
	}
	return -1
}

// questionOf is the candidate of the user's message that candidate i answers: the newest one before it. It is -1 for
// what opens an imported conversation, and for what is no answer.
func (s *selection) questionOf(i int) int {
	if v := &s.candidates[i]; v.Role == Assistant || v.Role == Tool {
		return s.history.turns[v.turn].asked
	}
	return -1
}

// withoutQuestion reports whether an answer never had a question, or has one that cannot be sent.
func (s *selection) withoutQuestion(i int) bool {
	q := s.questionOf(i)
	return q < 0 || s.cause[q] == cause.Excluded || s.outOfScope(q)
}
