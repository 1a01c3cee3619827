package history

// bill is what the chosen texts cost so far. It is a value: a step that does not fit is undone by
// taking the old one back.
type bill struct {
	body     int // tokens of the texts in the body, with their frames
	gaps     int // runs of messages that the body leaves out
	unasked  int // answers in the body without a question of theirs
	recalled int // tokens of the texts that recall brought, with their labels
	chars    int // characters of the history as sent
	messages int // how many they are
	turn     int // what the running turn costs whole beyond its results at their limit
}

// need is the tokens of the whole request as far as it is chosen.
func (b *builder) need() int { return b.fixed + b.bill.turn + b.past(b.bill) }

// past is the tokens of the history with its markers and what is recalled.
func (b *builder) past(of bill) int {
	cost := of.body + of.gaps*b.gap
	if of.gaps > 0 && b.o.System == "" {
		cost += frameMessage // of a marker at the end of a system prompt that is not there
	}
	if of.unasked > 0 {
		// Each may follow a message that holds nothing but a marker, or what a request begins with.
		cost += of.unasked*frameMessage + b.c.remembered(startText)
	}
	if b.ordered() {
		return cost
	}
	return cost + b.blockCost(of.recalled)
}

// ordered says that what is recalled stands in its place in the body.
func (b *builder) ordered() bool { return b.o.Policy.Placement == InOrder }

// fits checks every bound of the policy after a step, before which the request held so many messages. The
// newest messages up to MinMessages, with the question of the last of them, may go beyond the bounds on the
// history, never beyond those of the request.
func (b *builder) fits(before int) bool {
	if b.need() > b.room.counted {
		return false
	}
	if p := b.o.Policy; p.Strategy == DropOldest && (b.bill.messages <= p.MinMessages || before < p.MinMessages) {
		return true
	}
	return b.past(b.bill) <= b.room.history && b.bill.chars <= b.room.chars
}

// shortfall is why something did not fit, with its sum; was is the bill without it.
func (b *builder) shortfall(was bill) Cause {
	before, after := b.past(was), b.past(b.bill)
	most := b.room.counted - b.fixed - was.turn
	if after <= most {
		most = b.room.history
	}
	if after <= most {
		return Cause{Code: CauseOverChars, Want: b.bill.chars - was.chars, Have: max(0, b.room.chars-was.chars)}
	}
	return Cause{Code: CauseOverBudget, Want: b.room.tokens(after - before), Have: b.room.tokens(max(0, most-before))}
}

// set brings a view to a depth in its place and one that recall gives it.
func (b *builder) set(i int, d, back depth) {
	placed, found := b.placed(i), b.found(i)
	b.charge(i, -1)
	b.depth[i], b.back[i] = d, back
	b.charge(i, 1)
	if !placed && b.placed(i) {
		b.enter(i)
	}
	if !found && b.found(i) && !b.views[i].made {
		b.bill.messages++
	}
}

// charge adds or takes away what a view's texts cost.
func (b *builder) charge(i, sign int) {
	own := b.form(i, b.placedAt(i))
	b.bill.body += sign * own.price()
	b.bill.chars += sign * own.length
	switch {
	case !b.recalled(i):
	case b.ordered():
		b.bill.recalled += sign * own.tokens
	default:
		best := b.form(i, b.back[i])
		b.bill.recalled += sign * (b.views[i].alone(best) + b.labelCost(i))
		b.bill.recalled += b.date(i, sign)
		b.bill.chars += sign * best.length
	}
}

// placedAt is how much of a view stands in the body.
func (b *builder) placedAt(i int) depth {
	if b.ordered() && b.recalled(i) {
		return b.back[i]
	}
	return b.depth[i]
}

// placed reports whether a view stands in the body, found whether it is in the request at all.
func (b *builder) placed(i int) bool { return b.placedAt(i) != out }
func (b *builder) found(i int) bool  { return b.depth[i] != out || b.back[i] != out }

// enter counts a view that the body left out and does not any more.
func (b *builder) enter(i int) {
	v := &b.views[i]
	b.bill.body += frameMessage + b.bridge(v)
	if v.Role == Assistant && b.unasked(i) {
		b.bill.unasked++
	}
	before, after := b.neighbour(i, -1), b.neighbour(i, 1)
	gapBefore := before >= 0 && !b.placed(before)
	gapAfter := after >= 0 && !b.placed(after)
	switch {
	case gapBefore && gapAfter:
		b.bill.gaps++
	case !gapBefore && !gapAfter:
		b.bill.gaps--
	}
}

// neighbour is the next view in a direction that has a place in the request's body, -1 for none.
func (b *builder) neighbour(i, step int) int {
	for i += step; i >= 0 && i < len(b.views); i += step {
		if b.views[i].Role != System {
			return i
		}
	}
	return -1
}

// questionOf is the view of the user's message that view i answers: the newest one before it. It is -1 for
// what opens an imported conversation, and for what is no answer.
func (b *builder) questionOf(i int) int {
	if v := &b.views[i]; v.Role == Assistant || v.Role == Tool {
		return b.t.exchanges[v.exchange].asked
	}
	return -1
}

// unasked says that an answer never had a question, or one that the user excluded.
func (b *builder) unasked(i int) bool {
	q := b.questionOf(i)
	return q < 0 || b.why[q] == CauseExcluded || b.outOfScope(q)
}
