package history

import "iter"

// The rules of what is recalled how.
const (
	mostPassed = 32  // units that are too long for what may still be recalled are passed over, so many
	longShare  = 0.7 // of the score of a unit that its limits would cut
)

// recall is what the current message is about, the most relevant first. A text within the limits of a
// recalled one comes whole. So does a longer one, but later: cut, it seldom holds what is looked for,
// and whole, it takes the room of many others. Where it is more than may be recalled, or longer than a
// block, it comes cut.
func (b *builder) recall() iter.Seq[increment] {
	return func(yield func(increment) bool) {
		question := b.question()
		if b.o.Policy.RecallShare == 0 || question == "" {
			return
		}
		b.about = b.t.relevant(question)
		for k, u := range b.about.Units {
			if b.cutAtLimits(span{u.From, u.To}) {
				b.about.Units[k].Score *= longShare
			}
		}
		passed := 0
		for unit := range b.about.Best() {
			inc := increment{span: span{unit.From, unit.To}, deep: brief, recall: true}
			if b.cutAtLimits(inc.span) {
				inc.deep = whole
			}
			cost, most := b.recallCost(inc), min(b.o.Policy.RecallMaxTokens-b.bill.recalled, b.step)
			if cost > most && inc.deep == whole {
				inc.deep = brief
				cost = b.recallCost(inc)
			}
			if cost > most {
				passed++
			}
			if passed == mostPassed || cost > 0 && cost <= most && !yield(inc) {
				return
			}
		}
	}
}

// cutAtLimits reports whether a unit at the limits of recalled texts is cut.
func (b *builder) cutAtLimits(u span) bool {
	for i := u.from; i < u.to; i++ {
		v := &b.views[i]
		if !b.limits.within(v) && (v.kind() != Assistant || v.chars > b.o.Policy.AssistantRecallChars) {
			return true
		}
	}
	return false
}

// question is the text of the current message.
func (b *builder) question() string {
	for i := range b.turn.views {
		if b.turn.views[i].Role == User {
			return b.turn.views[i].Content
		}
	}
	return ""
}

// recallCost is what an increment adds to what is recalled, 0 where it adds no text, or an image: that
// cannot stand in a text.
func (b *builder) recallCost(inc increment) int {
	cost := 0
	for i := inc.from; i < inc.to; i++ {
		v := &b.views[i]
		// The newest exchange has its own place in the list.
		if b.barred(i) || holdsImage(v.Parts) || b.last.from <= i && i < b.last.to {
			return 0
		}
		before, after := b.form(i, max(b.depth[i], b.back[i])), b.form(i, inc.deep)
		if b.found(i) && after.chars <= before.chars {
			continue
		}
		if b.ordered() {
			cost += max(0, after.tokens-before.tokens)
			if q := b.questionOf(i); q >= 0 && !b.placed(q) {
				cost += b.form(q, short).tokens
			}
			continue
		}
		if cost += v.alone(after); b.recalled(i) {
			cost -= v.alone(before)
			continue
		}
		if cost += b.labelCost(i); b.days[v.day()] == 0 {
			cost += b.dayCost(v.day())
		}
	}
	return cost
}

func holdsImage(parts []Part) bool {
	for _, p := range parts {
		if p.Kind == ImagePart {
			return true
		}
	}
	return false
}

// recalled reports whether recall shows more of a view than its place does.
func (b *builder) recalled(i int) bool {
	return b.brings(i, b.depth[i], b.back[i])
}

// brings reports whether recall at depth back shows more of a view than its place at depth d does.
func (b *builder) brings(i int, d, back depth) bool {
	return back != out && (d == out || b.form(i, back).chars > b.form(i, d).chars)
}
