package history

// bill is what the chosen texts cost so far. It is a value: a step that does not fit is undone by
// taking the old one back. Both placements are counted, and what is chosen fits in either.
type bill struct {
	steady   body // recalled texts stand in front of the current message
	ordered  body // recalled texts stand in their place
	recalled int  // tokens of the texts in front of the current message, with their labels
	chars    int  // characters of the history as sent
	messages int  // how many they are
	turn     int  // what the running turn costs whole beyond its results at their limit
}

// body is what the messages of the history cost in their places.
type body struct {
	tokens int // with their frames
	gaps   int // runs of messages that are left out
	first  int // the first view that is sent
}

// need is the tokens of the whole request as far as it is chosen.
func (b *builder) need() int { return b.fixed + b.bill.turn + b.past(b.bill) }

// past is the tokens of the history with its markers and what is recalled, in the dearer placement.
func (b *builder) past(of bill) int {
	return max(of.steady.tokens+b.markers(of.steady)+b.blockCost(of.recalled), of.ordered.tokens+b.markers(of.ordered))
}

// fits checks every bound of the policy. The newest messages up to MinMessages may go beyond the
// bounds on the history, never beyond those of the request.
func (b *builder) fits() bool {
	if b.need() > b.room.counted {
		return false
	}
	if p := b.o.Policy; p.Strategy == DropOldest && b.bill.messages <= p.MinMessages {
		return true
	}
	return b.past(b.bill) <= b.room.history && b.bill.chars <= b.room.chars
}

// shortfall is the reason for what did not fit, with its sum; was is the bill without it.
func (b *builder) shortfall(was bill) string {
	before, after := b.past(was), b.past(b.bill)
	most, unit := b.room.counted-b.fixed-was.turn, ""
	if after <= most {
		most = b.room.history
	}
	if after <= most {
		before, after, most, unit = was.chars, b.bill.chars, b.room.chars, " characters"
	}
	needed, left := after-before, max(0, most-before)
	if unit == "" {
		needed, left = b.room.tokens(needed), b.room.tokens(left)
	}
	return "dropped: next in line, needed " + grouped(needed) + unit + ", " + grouped(left) + " left"
}

// set brings a view to a depth in its place and one in front of the current message.
func (b *builder) set(i int, d, back depth) {
	sent, found := b.depth[i] != out, b.depth[i] != out || b.back[i] != out
	b.charge(i, -1)
	b.depth[i], b.back[i] = d, back
	b.charge(i, 1)
	if !sent && d != out {
		b.enter(&b.bill.steady, i, b.sent)
	}
	if !found {
		b.enter(&b.bill.ordered, i, b.found)
		if !b.views[i].made {
			b.bill.messages++
		}
	}
}

// charge adds or takes away what a view's texts cost.
func (b *builder) charge(i, sign int) {
	own := b.form(i, b.depth[i])
	best := own
	b.bill.recalled += b.date(i, sign)
	if b.recalled(i) {
		best = b.form(i, b.back[i])
		b.bill.recalled += sign * (b.views[i].alone(best) + b.labelCost(i))
		b.bill.chars += sign * best.length
	}
	b.bill.steady.tokens += sign * own.price()
	b.bill.ordered.tokens += sign * best.price()
	b.bill.chars += sign * own.length
}

// sent reports whether a view stands in its place in the request, found whether it is in the request
// at all.
func (b *builder) sent(i int) bool  { return b.depth[i] != out }
func (b *builder) found(i int) bool { return b.depth[i] != out || b.back[i] != out }

// enter counts a view that was left out and is not any more.
func (b *builder) enter(of *body, i int, in func(int) bool) {
	of.first = min(of.first, i)
	of.tokens += frameMessage + b.bridge(&b.views[i])
	before := b.neighbour(i, -1)
	after := b.neighbour(i, 1)
	gapBefore := before >= 0 && !in(before)
	gapAfter := after >= 0 && !in(after)
	switch {
	case gapBefore && gapAfter:
		of.gaps++
	case !gapBefore && !gapAfter:
		of.gaps--
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
