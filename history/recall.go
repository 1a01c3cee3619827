package history

import (
	"iter"
	"slices"
	"strings"

	"winnow/history/relevance"
)

// The rules of what is recalled how.
const (
	maxPassed = 32  // units that are too long for what may still be recalled are passed over, so many
	longShare = 0.7 // of the score of a unit that its limits would cut
	saidShare = 1.5 // of the score of an answer, where what the assistant said is asked for

	pause = 4 * 60 * 60 * 1000 // milliseconds between two messages that are about different things

	namedScore = 2 // of a message with an image that the question names: more than any other
)

// recall is what the current message is about, the most relevant first. A text within the limits of a
// recalled one comes whole. So does a longer one, but later: cut, it seldom holds what is looked for,
// and whole, it takes the budget of many others. Where it is more than may be recalled, or longer than a
// block, it comes cut. Where the question is what the assistant said, no answer has to wait, and each counts more.
func (b *chooser) recall() iter.Seq[increment] {
	return func(yield func(increment) bool) {
		question := b.question()
		if b.o.Policy.RecallShare == 0 || question == "" {
			return
		}
		x := b.t.searchable()
		b.ranking = x.Rank(question, b.t.unitsToRank()) // valid until the next question
		said, named := x.AsksWhatWasSaid(question), strings.ToLower(question)
		for k, u := range b.ranking.Units {
			switch found := (unit{u.From, u.To}); {
			case b.limits.imageNotes && b.t.names(named, found):
				b.ranking.Units[k].Score = namedScore
			case said && b.candidates[u.From].role() == Assistant:
				b.ranking.Units[k].Score *= saidShare
			case b.cutAtLimits(found):
				b.ranking.Units[k].Score *= longShare
			}
		}
		passed := 0
		for hit := range b.ranking.Best() {
			inc := increment{unit: unit{hit.From, hit.To}, detail: brief, recall: true}
			if b.cutAtLimits(inc.unit) {
				inc.detail = whole
			}
			cost, limit := b.recallCost(inc), min(b.o.Policy.RecallMaxTokens-b.cost.recalled, b.step)
			if cost > limit && inc.detail == whole {
				inc.detail = brief
				cost = b.recallCost(inc)
			}
			if cost > limit {
				passed++
			}
			if passed == maxPassed || cost > 0 && cost <= limit && !yield(inc) {
				return
			}
		}
	}
}

// cutAtLimits reports whether a unit at the limits of recalled texts is cut.
func (b *chooser) cutAtLimits(u unit) bool {
	for i := u.from; i < u.to; i++ {
		v := &b.candidates[i]
		if !b.limits.allows(v) && (v.kind() != Assistant || v.chars > b.o.Policy.AssistantRecallChars) {
			return true
		}
	}
	return false
}

// question is the text of the current message.
func (b *chooser) question() string {
	for i := range b.turn.candidates {
		if b.turn.candidates[i].role() == User {
			return b.turn.full(i).Content
		}
	}
	return ""
}

// recallCost is what an increment adds to what is recalled, 0 where it adds nothing. Under a policy that has no notes
// for images, messages with images are not recalled.
func (b *chooser) recallCost(inc increment) int {
	cost := 0
	for i := inc.from; i < inc.to; i++ {
		v := &b.candidates[i]
		// The newest turn has its own place in the list.
		if b.barred(i) || !b.limits.imageNotes && v.image || b.last.from <= i && i < b.last.to {
			return 0
		}
		before, after := b.rendering(i, max(b.bodyDetail[i], b.recallDetail[i])), b.rendering(i, inc.detail)
		if b.inRequest(i) && !after.more(before) {
			continue
		}
		if b.ordered() {
			cost += max(0, after.tokens-before.tokens)
			if q := b.questionOf(i); q >= 0 && !b.inBody(q) {
				cost += b.rendering(q, short).tokens
			}
			continue
		}
		if cost += b.recalledCost(i, after); b.recalled(i) {
			cost -= b.recalledCost(i, before)
			continue
		}
		if cost += b.labelCost(i); b.days[v.day()] == 0 {
			cost += b.dayCost(v.day())
		}
	}
	return cost
}

// recalledCost is what a text costs in the block of recalled ones, with the names of the images that are attached to it.
func (b *chooser) recalledCost(i int, f rendering) int {
	cost := b.candidates[i].alone(f)
	for _, p := range f.parts {
		if p.Kind == ImagePart {
			cost += b.c.remembered(p.Attached())
		}
	}
	return cost
}

// names reports whether a text names an image of a unit.
func (t *thread) names(text string, u unit) bool {
	for i := u.from; i < u.to; i++ {
		v := &t.candidates[i]
		if v.image && slices.ContainsFunc(t.partsOf(v), func(p Part) bool {
			return p.Kind == ImagePart && p.Name != "" && strings.Contains(text, strings.ToLower(p.Name))
		}) {
			return true
		}
	}
	return false
}

func holdsImage(parts []Part) bool { return images(parts) > 0 }

// recalled reports whether recall shows more of a candidate than its place does.
func (b *chooser) recalled(i int) bool {
	return b.recallAdds(i, b.bodyDetail[i], b.recallDetail[i])
}

// recallAdds reports whether recall at one detail level shows more of a candidate than its place at another.
func (b *chooser) recallAdds(i int, body, recall detail) bool {
	return recall != out && (body == out || b.rendering(i, recall).more(b.rendering(i, body)))
}

// unitsToRank are a thread's tool groups and single messages with their tokens.
func (t *thread) unitsToRank() []relevance.Unit {
	units := t.units[:0]
	group := -1
	for i := range t.candidates {
		v := &t.candidates[i]
		if i == 0 || v.group != group {
			group = v.group
			units = append(units, relevance.Unit{From: i, Apart: i > 0 && t.pauseBefore(i)})
		}
		u := &units[len(units)-1]
		u.To = i + 1
		u.Tokens += v.tokens
	}
	t.units = units
	return units
}

// pauseBefore reports whether the conversation had a long pause in front of candidate i.
func (t *thread) pauseBefore(i int) bool {
	before, now := t.candidates[i-1].created, t.candidates[i].created
	return before != 0 && now-before > pause
}

// Expect prepares for requests with these options: where they look for texts, what is appended from now on becomes
// searchable at once, and its text need not be asked for again.
func (c *Conversation) Expect(o Options) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.Policy.RecallShare > 0 && c.index == nil && c.forEndpoint(o.narrowed()) == &c.thread {
		c.index = relevance.NewIndex()
	}
}

// searchable is the index of all candidates.
func (t *thread) searchable() *relevance.Index {
	if t.index == nil {
		t.index = relevance.NewIndex()
	}
	for i := t.index.Len(); i < len(t.candidates); i++ {
		v := t.full(i)
		t.index.Add(searched(&v.Message))
	}
	return t.index
}

// searched is what is looked for in a message: its text with its calls.
func searched(m *Message) relevance.Text {
	x := relevance.Text{Content: m.Content, Speaker: m.Name, Asks: m.Role == User}
	if len(m.ToolCalls) > 0 {
		x.Content = m.TextWithCalls()
	}
	return x
}

// unsearch takes the candidates from index kept on out of the index.
func (t *thread) unsearch(kept int) {
	if t.index == nil {
		return
	}
	for i := t.index.Len() - 1; i >= kept; i-- {
		v := t.full(i)
		t.index.Remove(searched(&v.Message).Content)
	}
}

// leastFound is the score that Search finds a group of messages with: those that have words of the question, and their
// next neighbours, which may be the answer.
const leastFound = 0.3

// Search lists the groups of messages that a question is about, the most relevant first, by their positions in the
// conversation: a message that calls tools with the results of its calls, or one message alone. A message that cannot
// be sent, such as a quarantined one, is not found.
func (c *Conversation) Search(question string) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		c.mu.Lock()
		var found [][]int
		for hit := range c.searchable().Rank(question, c.unitsToRank()).Best() {
			if hit.Score < leastFound {
				break
			}
			var list []int
			for i := hit.From; i < hit.To; i++ {
				if v := &c.candidates[i]; !v.standIn {
					list = append(list, v.from)
				}
			}
			found = append(found, list)
		}
		c.mu.Unlock()
		for _, list := range found {
			if len(list) > 0 && !yield(list) {
				return
			}
		}
	}
}
