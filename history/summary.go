package history

import (
	"slices"

	"winnow/history/cause"
	"winnow/history/message"
)

// Summary is a text that stands for older messages of a conversation. Somebody else has written it: history
// asks for it with Condense or Older, decides whether it may be used and places it.
type Summary struct {
	ID       int64  // the store's key
	Messages IDs    // the messages that it was made from and stands for
	Text     string // what stands in the request
	By       string // the model that wrote it
}

// The frame of a summary.
const (
	summaryHead = "[Summary of what was said before]\n"
	summaryTail = "\n[End of the summary]"
)

// Summarized says that a summary stands in the request.
func (p Plan) Summarized() bool {
	return slices.ContainsFunc(p.Added, func(a Added) bool { return a.Kind == AddedSummary })
}

// findSummary takes the first of the summaries that may be used. A summary may be used only while none of the
// messages that it was made from is excluded: nobody can say what of its text comes from that one.
func (b *chooser) findSummary() {
	if b.o.Scope != nil {
		return
	}
	for i := range b.o.Summaries {
		if s := &b.o.Summaries[i]; b.usable(s) {
			b.summary, b.covered = s, b.cover(s)
			return
		}
	}
}

func (b *chooser) usable(s *Summary) bool {
	for at := range b.flaggedRows(Exclude) {
		if s.Messages.Holds(b.c.base.at(at).id) {
			return false
		}
	}
	if len(b.o.Flags) == 0 {
		return true
	}
	for i := range b.c.base.n { // A message that is left out for another reason may be excluded too.
		if id := b.c.base.at(i).id; b.o.Flags[id] == Exclude && s.Messages.Holds(id) {
			return false
		}
	}
	return true
}

// cover says for each candidate whether a summary stands for it. It stands for a tool group as a whole or not at
// all.
func (b *chooser) cover(s *Summary) []bool {
	open := map[int]bool{}
	for _, v := range b.candidates {
		if !v.standIn && !s.Messages.Holds(b.t.id(&v)) {
			open[v.group] = true
		}
	}
	covered := make([]bool, len(b.candidates))
	for i, v := range b.candidates {
		covered[i] = !open[v.group] && v.role() != System
	}
	return covered
}

// covers reports whether the summary stands for a candidate.
func (b *chooser) covers(i int) bool { return b.summary != nil && b.covered[i] }

// condense lets the summary stand for what it was made from, all but the opener and what is pinned, where it
// fits and the whole conversation costs less with it than without.
func (b *chooser) condense() {
	if b.summarized || b.summary == nil || !b.o.Policy.Summarizes() {
		return
	}
	replaced := b.replaceable()
	cost := b.summaryCost()
	if b.summaryPrice(replaced) >= b.worth(replaced) || b.need()+cost > b.budget.counted {
		return
	}
	b.fixed += cost
	b.summarized = true
	for i, replace := range replaced {
		if replace {
			b.cause[i] = cause.Summarized
		}
	}
}

// replaceable says for each candidate whether the summary takes its place. A question stays while one of its answers
// does.
func (b *chooser) replaceable() []bool {
	replaced := make([]bool, len(b.candidates))
	for i := range b.candidates {
		replaced[i] = b.covers(i) && !b.barred(i) && b.bodyDetail[i] == out && (i < b.opener.from || i >= b.opener.to)
	}
	for i := range b.candidates {
		if q := b.questionOf(i); q >= 0 && !replaced[i] && !b.barred(i) {
			replaced[q] = false
		}
	}
	return replaced
}

// worth is what the candidates that the summary replaces would cost, at the detail level that they have where everything
// fits.
func (b *chooser) worth(replaced []bool) int {
	deepest := whole
	if !b.o.Policy.Elastic {
		deepest = short
	}
	worth := 0
	for i, replace := range replaced {
		if replace {
			worth += b.rendering(i, deepest).tokens + frameMessage
		}
	}
	return worth
}

func (b *chooser) summaryCost() int {
	text := b.summaryText()
	return max(b.c.remembered(text+joint), b.c.remembered(joint+text))
}

// summaryPrice is the most that the summary adds to a request: its text, a marker for each further gap that it
// leaves, and the messages that the gaps may need.
func (b *chooser) summaryPrice(replaced []bool) int {
	price := b.summaryCost()
	if b.o.System == "" {
		price += frameMessage // A text at the end of the system prompt is a system prompt then.
	}
	gaps, open, before := 0, false, -1 // before is the newest candidate that stays
	for i, v := range b.candidates {
		switch {
		case v.role() == System:
		case replaced[i]:
			if !open {
				gaps, open = gaps+1, true
			}
		case !b.barred(i):
			if open && v.role() != User && b.withoutQuestion(i) {
				price += frameMessage // The marker is a message of its own.
			}
			if open && before >= 0 {
				price += b.bridge(&b.candidates[before])
			}
			open, before = false, i
		}
	}
	if open && before >= 0 {
		price += b.bridge(&b.candidates[before])
	}
	return price + max(0, gaps-1)*b.gap
}

func (b *chooser) summaryText() string {
	return summaryHead + message.Clean(b.summary.Text) + summaryTail
}

// older is the candidate with which the newest turn begins: a summary never stands for that.
func (b *chooser) older() int {
	if len(b.t.turns) == 0 {
		return 0
	}
	return b.t.turns[len(b.t.turns)-1].from
}

// Older are the messages that a model is to summarize when the user asks for it now, the oldest first: all
// before the newest turn that no summary stands for. It is empty where there are none, and where the source fails. The new summary
// stands for the messages of the one that comes with them too, nil for none.
func (c *Conversation) Older(o Options) (list []Message, before *Summary) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, _ := c.chosen(o) // What does not fit can be summarized all the same.
	for i := range b.older() {
		if b.unsummarized(i) {
			list = append(list, b.c.message(b.candidates[i].from))
		}
	}
	return c.unfailed(list), b.summary
}

// unfailed is a list of messages, none where one of them could not be read.
func (c *Conversation) unfailed(list []Message) []Message {
	if c.failed != nil {
		return nil
	}
	return list
}

// unsummarized reports whether a candidate is a message that a summary may hold, and that none stands for. What the user
// excluded is none: no model gets it, to summarize it or otherwise.
func (b *chooser) unsummarized(i int) bool {
	v := &b.candidates[i]
	return !v.standIn && v.role() != System && b.cause[i] != cause.Excluded && b.cause[i] != cause.QuestionExcluded && !b.covers(i)
}

// Condense are the messages that a model is to summarize before the request that o describes is built, the
// oldest first: where not everything fits whole, so many of those that no summary stands for that the
// policy's share of the budget is free again. The newest turn is never among them. It is empty where no
// summary is asked for, everything fits, or the source fails. The new summary stands for the messages of the one that comes with
// them too, nil for none.
func (c *Conversation) Condense(o Options) (list []Message, before *Summary) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, err := c.chosen(o)
	if err != nil || o.Policy.SummarizeRatio == 0 || o.Scope != nil {
		return nil, nil
	}
	to := b.older()
	rest, cut := 0, false
	for i := range to {
		if !b.unsummarized(i) {
			continue
		}
		rest += b.candidates[i].tokens + frameMessage
		cut = cut || !b.barred(i) && (b.bodyDetail[i] == out || !b.rendering(i, b.bodyDetail[i]).shortened.whole())
	}
	if !cut {
		return nil, nil
	}
	limit := float64(b.budget.counted-b.fixed) * (1 - o.Policy.SummarizeRatio)
	for i := 0; i < to; i++ {
		if !b.unsummarized(i) {
			continue
		}
		if n := len(list); float64(rest) <= limit && n > 0 && b.candidates[i].turn != b.candidates[i-1].turn {
			break
		}
		rest -= b.candidates[i].tokens + frameMessage
		list = append(list, b.c.message(b.candidates[i].from))
	}
	return c.unfailed(list), b.summary
}
