package history

import (
	"iter"
	"slices"

	"winnow/history/cause"
	"winnow/history/message"
)

// Summary is a text that replaces older messages of a conversation. This package does not write it: it says which
// messages to summarize (DueForSummary, Summarizable), and decides whether a summary is used.
type Summary struct {
	ID       int64    // the store's key
	Messages IDRanges // the messages that it was made from and replaces
	Text     string   // the text of the summary
	By       string   // the model that wrote it
}

// IDRanges is a set of messages of one branch, as rising ranges of ids, first and last included. Messages between the
// ends of a range on that branch belong to the set.
type IDRanges [][2]int64

// Contains reports whether the set has a message.
func (s IDRanges) Contains(id int64) bool {
	return slices.ContainsFunc(s, func(run [2]int64) bool { return run[0] <= id && id <= run[1] })
}

// IDRangesOf returns the set of the messages of a branch for which in reports true. branch yields the ids in order.
func IDRangesOf(branch iter.Seq[int64], in func(id int64) bool) IDRanges {
	var s IDRanges
	running := false
	for id := range branch {
		held := in(id)
		switch {
		case held && running:
			s[len(s)-1][1] = id
		case held:
			s = append(s, [2]int64{id, id})
		}
		running = held
	}
	return s
}

// HasSummary reports whether the request contains a summary.
func (p Plan) HasSummary() bool {
	return slices.ContainsFunc(p.Added, func(a AddedText) bool { return a.Kind == AddedSummary })
}

// findSummary takes the first usable summary. One that was made from an excluded message is not usable, because nobody
// can tell which of its words come from that message. It covers tool groups only as a whole.
func (s *selection) findSummary() {
	excluded := s.flagged(s.history, Exclude)
	for k := range s.o.Summaries {
		sum := &s.o.Summaries[k]
		tainted := false
		for at := range excluded {
			tainted = tainted || sum.Messages.Contains(s.history.entries[at].ID)
		}
		if tainted || s.o.Scope != nil {
			continue
		}
		s.summary = sum
		for i := range s.candidates {
			v := &s.candidates[i]
			s.covered[i] = v.Role != System && s.containsGroup(sum.Messages, v)
		}
		return
	}
}

// condense replaces the covered messages, except the opener and pinned ones, with the summary if it fits and saves
// tokens. The summary may need a message of its own, and each gap that it leaves may need a marker, a message and a
// bridge. Replaced messages are counted at the level that they would have if everything fits.
func (s *selection) useSummary() {
	if s.summarized || s.summary == nil || !s.o.Policy.Summarizes() {
		return
	}
	deepest := whole
	if !s.o.Policy.Elastic {
		deepest = short
	}
	text := s.summaryText()
	tokens := max(s.c.countCached(text+separator), s.c.countCached(separator+text))
	replaced, saved := s.replaceable(), -tokens-frameMessage
	for i, replace := range replaced {
		if !replace {
			continue
		}
		if saved += s.rendering(i, deepest).tokens + frameMessage; i == 0 || !replaced[i-1] {
			saved -= s.gap + frameMessage + s.bridgeCost()
		}
	}
	if saved <= 0 || s.need()+tokens > s.budget.counted {
		return
	}
	s.fixed += tokens
	s.summarized = true
	for i, replace := range replaced {
		if replace {
			s.chosen[i].cause = cause.Summarized
		}
	}
}

// replaceable reports for each candidate whether the summary may replace it. A question stays as long as one of its
// answers does.
func (s *selection) replaceable() []bool {
	replaced := make([]bool, len(s.candidates))
	for i := range s.candidates {
		replaced[i] = s.covered[i] && s.free(i) && !s.opener.holds(i)
	}
	for i := range s.candidates {
		if q := s.questionOf(i); q >= 0 && !replaced[i] && !s.barred(i) {
			replaced[q] = false
		}
	}
	return replaced
}

// summaryText returns the summary in its frame.
func (s *selection) summaryText() string {
	return "[Summary of what was said before]\n" + message.ToValidUTF8(s.summary.Text) + "\n[End of the summary]"
}

// Summarizable returns the messages to summarize when the user asks for a summary, the oldest first: all before the
// newest turn that no usable summary covers. The new summary should also cover the messages of before, the summary in
// use, which is nil for none.
func (c *Conversation) Summarizable(o Options) (list []Message, before *Summary) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.selectFor(o) // A request that is too long can still be summarized.
	return s.oldest(0), s.summary
}

// DueForSummary returns the messages to summarize before the request is sent, the oldest first, so that the share of
// the budget that the policy asks for becomes free. The newest turn is never among them. It returns none if the policy
// asks for no summary or everything fits. The new summary should also cover the messages of before, the summary in use,
// which is nil for none.
func (c *Conversation) DueForSummary(o Options) (list []Message, before *Summary) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.selectFor(o)
	if s.over || o.Policy.SummarizeRatio == 0 || o.Scope != nil {
		return nil, nil
	}
	for _, i := range s.unsummarized() {
		if s.free(i) || !s.barred(i) && !s.rendering(i, s.chosen[i].body).whole() {
			return s.oldest(int(float64(s.budget.counted-s.fixed) * (1 - o.Policy.SummarizeRatio))), s.summary
		}
	}
	return nil, nil
}

// unsummarized returns the candidates before the newest turn that may be summarized and are not yet. Excluded messages
// are left out: no model may see them.
func (s *selection) unsummarized() (list []int) {
	turns := s.history.turns
	for i := 0; len(turns) > 0 && i < turns[len(turns)-1].from; i++ {
		v := &s.candidates[i]
		excluded := s.chosen[i].cause == cause.Excluded || s.chosen[i].cause == cause.QuestionExcluded
		if !v.Placeholder && v.Role != System && !excluded && !s.covered[i] {
			list = append(list, i)
		}
	}
	return list
}

// oldest returns the oldest turns that may be summarized, enough that the remaining ones take at most the given tokens.
func (s *selection) oldest(tokens int) (list []Message) {
	rest, may := 0, s.unsummarized()
	for _, i := range may {
		rest += s.candidates[i].tokens + frameMessage
	}
	for _, i := range may {
		if rest <= tokens && len(list) > 0 && s.candidates[i].turn != s.candidates[i-1].turn {
			break
		}
		rest -= s.candidates[i].tokens + frameMessage
		list = append(list, s.c.messages[s.candidates[i].From])
	}
	return list
}
