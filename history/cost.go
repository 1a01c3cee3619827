package history

import "winnow/history/cause"

// cost is what the chosen texts cost so far. It is a value: a step that does not fit is undone by
// taking the old one back.
type cost struct {
	body            int // tokens of the texts in the body, with their frames
	gaps            int // runs of messages that the body leaves out
	withoutQuestion int // answers in the body without a question of theirs
	recalled        int // tokens of the recalled texts, with their labels
	chars           int // characters of the history as sent
	messages        int // how many they are
	turn            int // what the running turn costs whole beyond its results at their limit
}

// need is the tokens of the whole request as far as it is chosen.
func (b *chooser) need() int { return b.fixed + b.cost.turn + b.past(b.cost) }

// past is the tokens of the history with its markers and what is recalled.
func (b *chooser) past(of cost) int {
	cost := of.body + of.gaps*b.gap
	if of.gaps > 0 && b.o.System == "" {
		cost += frameMessage // of a marker at the end of a system prompt that is not there
	}
	if of.withoutQuestion > 0 {
		// Each may follow a message that holds nothing but a marker, or what a request begins with.
		cost += of.withoutQuestion*frameMessage + b.c.remembered(startText)
	}
	if b.ordered() {
		return cost
	}
	return cost + b.blockCost(of.recalled)
}

// ordered reports whether recalled messages are in their place in the body, and not in a block of their own.
func (b *chooser) ordered() bool { return b.o.Policy.Placement == InOrder }

// fits checks every bound of the policy after a step, before which the request held so many messages. The
// newest messages up to MinMessages, with the question of the last of them, may go beyond the bounds on the
// history, never beyond those of the request.
func (b *chooser) fits(before int) bool {
	if b.need() > b.budget.counted {
		return false
	}
	if p := b.o.Policy; p.Strategy == DropOldest && (b.cost.messages <= p.MinMessages || before < p.MinMessages) {
		return true
	}
	return b.past(b.cost) <= b.budget.history && b.cost.chars <= b.budget.chars
}

// shortfall is why an increment did not fit, with its sum; was is the cost without it.
func (b *chooser) shortfall(was cost) Cause {
	before, after := b.past(was), b.past(b.cost)
	available := b.budget.counted - b.fixed - was.turn
	if after <= available {
		available = b.budget.history
	}
	if after <= available {
		return Cause{Code: cause.OverChars, Want: b.cost.chars - was.chars, Have: max(0, b.budget.chars-was.chars)}
	}
	return Cause{Code: cause.OverBudget, Want: b.budget.tokens(after - before), Have: b.budget.tokens(max(0, available-before))}
}

// set gives a candidate its detail level in its place, and the one that recall shows of it.
func (b *chooser) set(i int, body, recall detail) {
	inBody, found := b.inBody(i), b.inRequest(i)
	b.charge(i, -1)
	b.bodyDetail[i], b.recallDetail[i] = body, recall
	b.charge(i, 1)
	if !inBody && b.inBody(i) {
		b.enter(i)
	}
	if !found && b.inRequest(i) && !b.candidates[i].standIn {
		b.cost.messages++
	}
}

// charge adds or takes away what a candidate's texts cost.
func (b *chooser) charge(i, sign int) {
	own := b.rendering(i, b.bodyDetailOf(i))
	b.cost.body += sign * own.price()
	b.cost.chars += sign * own.length
	switch {
	case !b.recalled(i):
	case b.ordered():
		b.cost.recalled += sign * own.tokens
	default:
		best := b.rendering(i, b.recallDetail[i])
		b.cost.recalled += sign * (b.recalledCost(i, best) + b.labelCost(i) + b.nextLabel(i))
		b.cost.recalled += b.date(i, sign)
		b.cost.chars += sign * best.length
	}
}

// bodyDetailOf is the detail level of a candidate in the body: recall in order shows it there.
func (b *chooser) bodyDetailOf(i int) detail {
	if b.ordered() && b.recalled(i) {
		return b.recallDetail[i]
	}
	return b.bodyDetail[i]
}

// inBody reports whether a candidate is in the body, inRequest whether it is in the request at all.
func (b *chooser) inBody(i int) bool { return b.bodyDetailOf(i) != out }

func (b *chooser) inRequest(i int) bool { return b.bodyDetail[i] != out || b.recallDetail[i] != out }

// enter adds the cost of a candidate that has just entered the body: its frame, and a gap that it opens or closes.
func (b *chooser) enter(i int) {
	v := &b.candidates[i]
	b.cost.body += frameMessage + b.bridge(v)
	if v.role() == Assistant && b.withoutQuestion(i) {
		b.cost.withoutQuestion++
	}
	before, after := b.neighbour(i, -1), b.neighbour(i, 1)
	gapBefore := before >= 0 && !b.inBody(before)
	gapAfter := after >= 0 && !b.inBody(after)
	switch {
	case gapBefore && gapAfter:
		b.cost.gaps++
	case !gapBefore && !gapAfter:
		b.cost.gaps--
	}
}

// neighbour is the next candidate in a direction that has a place in the request's body, -1 for none.
func (b *chooser) neighbour(i, step int) int {
	for i += step; i >= 0 && i < len(b.candidates); i += step {
		if b.candidates[i].role() != System {
			return i
		}
	}
	return -1
}

// questionOf is the candidate of the user's message that candidate i answers: the newest one before it. It is -1 for
// what opens an imported conversation, and for what is no answer.
func (b *chooser) questionOf(i int) int {
	if v := &b.candidates[i]; v.role() == Assistant || v.role() == Tool {
		return b.t.turns[v.turn].asked
	}
	return -1
}

// withoutQuestion reports whether an answer never had a question, or has one that cannot be sent.
func (b *chooser) withoutQuestion(i int) bool {
	q := b.questionOf(i)
	return q < 0 || b.cause[q] == cause.Excluded || b.outOfScope(q)
}
