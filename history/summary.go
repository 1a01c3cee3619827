package history

import (
	"iter"
	"slices"

	"winnow/history/cause"
	"winnow/history/message"
)

// Summary is a text that stands for older messages of a conversation. Somebody else has written it: history asks for it
// with Condense or Older, decides whether it may be used and places it.
type Summary struct {
	ID       int64    // the store's key
	Messages IDRanges // the messages that it was made from and stands for
	Text     string   // what stands in the request
	By       string   // the model that wrote it
}

// IDs is a set of messages of one branch, as rising runs of ids from the first to the last. A message that
// stands between the ends of a run on its branch belongs to the set.
type IDRanges [][2]int64

// Holds reports whether the set has a message.
func (s IDRanges) Contains(id int64) bool {
	return slices.ContainsFunc(s, func(run [2]int64) bool { return run[0] <= id && id <= run[1] })
}

// IDsOf is the set of those messages of a branch, which are its ids in order, for which in holds.
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

// Summarized says that a summary stands in the request.
func (p Plan) HasSummary() bool {
	return slices.ContainsFunc(p.Added, func(a AddedText) bool { return a.Kind == AddedSummary })
}

// findSummary takes the first of the summaries that may be used: none of the messages that it was made from is
// excluded, because nobody can say what of its text comes from that one. It stands for a tool group as a whole or not
// at all.
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

// condense lets the summary stand for what it was made from, all but the opener and what is pinned, where it fits and
// saves something: it may need a message of its own, and for each gap that it leaves a marker, a message for that and a
// bridge. What it replaces counts at the detail level that it has where everything fits.
func (s *selection) condense() {
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

// replaceable says for each candidate whether the summary takes its place. A question stays while one of its answers
// does.
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

// summaryText is the text of the summary in its frame.
func (s *selection) summaryText() string {
	return "[Summary of what was said before]\n" + message.ToValidUTF8(s.summary.Text) + "\n[End of the summary]"
}

// Older are the messages that a model is to summarize when the user asks for it now, the oldest first: all before the
// newest turn that no summary stands for. The new summary stands for the messages of the one that comes with them too,
// nil for none.
func (c *Conversation) Summarizable(o Options) (list []Message, before *Summary) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.selectFor(o) // What does not fit can be summarized all the same.
	return s.oldest(0), s.summary
}

// Condense are the messages that a model is to summarize before the request that o describes is built, the oldest
// first: where not everything fits whole, so many of those that no summary stands for that the policy's share of the
// budget is free again. The newest turn is never among them. It is empty where no summary is asked for, or everything
// fits. The new summary stands for the messages of the one that comes with them too, nil for none.
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

// unsummarized is the candidates before the newest turn that a summary may hold, and that none stands for. What the
// user excluded is none: no model gets it, to summarize it or otherwise.
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

// oldest are the oldest turns that a model may summarize, until the messages that are left of these take no more than
// some tokens.
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
