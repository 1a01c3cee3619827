package history

import (
	"slices"

	"winnow/history/cause"
	"winnow/history/relevance"
)

// selection decides how much of each candidate a request holds. It takes the longest prefix of the priority list that
// fits.
type selection struct {
	c          *Conversation
	o          Options
	history    *prepared
	candidates []candidate // of the history
	chosen     []choice    // for each of them
	turn       *prepared   // the current message and what the running turn added
	turnSent   []rendering // for each of its candidates
	turnFirst  bool        // the running turn takes all the space

	budget budget
	step   int // tokens of the largest block
	fixed  int // tokens of everything that must be sent
	gap    int // highest cost of a gap marker in tokens
	cost   cost
	days   map[int64]int // number of recalled texts of each day

	shortened map[int]rendering // texts at the limits of the policy, by candidate
	headTails map[int]rendering // see newestCuts; nil until first needed

	opener    unit // the opening turn, if the strategy keeps it
	asked     unit // the question of a newest turn that is too long to enter as a unit
	last      unit // the newest turn, or its end
	lastWhole int  // how many tokens of it stay whole

	summary    *Summary // the usable summary, nil for none
	covered    []bool   // which candidates the summary covers
	summarized bool     // the summary is sent

	ranking relevance.Ranking
	hits    []relevance.Unit // units related to the current message that are not taken yet, the most relevant first
	passed  int              // how many of them were skipped as too long
	steps   [][]change       // what each increment raised, in order
	stopped increment        // the increment that did not fit
	stop    Cause            // why it did not fit
	over    bool             // what must be sent does not fit
}

// choice is how much of a candidate the request holds, and the cause as far as it is known during selection.
type choice struct {
	body   detail // in its own place
	recall detail // in the block of recalled texts
	cause  cause.Code
}

// choose takes the longest prefix of the priority list that fits. It first tries the whole list: without gaps there are
// no markers, so all of it may fit even if a prefix does not. A summary that is always used comes first.
func (s *selection) choose() {
	if s.o.Policy.SummaryAlways {
		s.useSummary()
	}
	if !s.turnFirst && s.chooseAll() {
		return
	}
	switch {
	case s.o.Policy.Strategy == DropNone:
		s.raise(s.everything())
		s.over = !s.fits(s.cost.messages)
		return
	case s.need() > s.budget.counted:
		s.stop.Code, s.over = cause.NothingFits, true
		return
	case s.turnFirst:
		s.stop.Code = cause.TurnFirst
		return
	}
	s.useSummary()
	for inc := range s.increments(true) {
		before := s.cost
		changes := s.raise(inc)
		if !s.fits(before.messages) {
			s.stop, s.stopped = s.causeNotFitting(before), inc
			s.lower(changes, before)
			return
		}
		s.steps = append(s.steps, changes)
	}
}

// everything returns an increment of the whole history.
func (s *selection) everything() increment {
	all := increment{unit: unit{0, len(s.candidates)}, detail: whole, cause: cause.Fits}
	if s.o.Policy.MaxMessages < len(s.candidates) {
		all.cause = cause.FreeBudget
	}
	return all
}

// elastic reports whether texts over the limits of the policy may stay whole.
func (s *selection) elastic() bool { return s.o.Policy.Elastic || s.o.Policy.Strategy == DropNone }

// chooseAll takes the whole list if it fits, and reports whether it does. It goes step by step, so that nextToFall
// knows the last one.
func (s *selection) chooseAll() bool {
	before := s.cost
	for inc := range s.increments(!s.elastic()) {
		if s.elastic() {
			inc.cause = s.everything().cause
		}
		s.steps = append(s.steps, s.raise(inc))
		if s.fixed+s.cost.body > s.budget.counted {
			break
		}
	}
	if s.fits(s.cost.messages) {
		return true
	}
	s.lower(slices.Concat(s.steps...), before)
	s.steps = nil
	return false
}

// change is the choice for a candidate before it was raised.
type change struct {
	candidate int
	before    choice
}

// raise applies an increment: it raises each candidate that may be sent and is at a lower level, together with the
// question that it answers.
func (s *selection) raise(inc increment) (changes []change) {
	set := func(i int, to choice) {
		changes = append(changes, change{i, s.chosen[i]})
		s.set(i, to)
	}
	for i := inc.from; i < inc.to; i++ {
		to := s.chosen[i]
		level := &to.body
		if inc.recall {
			level = &to.recall
		}
		if s.barred(i) || *level >= inc.detail || !inc.recall && to.cause == cause.Summarized {
			continue
		}
		*level = inc.detail
		if !inc.recall {
			to.cause = inc.cause
			if q := s.questionOf(i); q >= 0 && !s.inBody(q) && !s.barred(q) {
				set(q, choice{short, s.chosen[q].recall, cause.Question})
			}
		}
		set(i, to)
	}
	return changes
}

// lower undoes the last raise.
func (s *selection) lower(changes []change, before cost) {
	for _, c := range slices.Backward(changes) {
		s.set(c.candidate, c.before)
	}
	s.cost = before
}

// nextToFall returns the messages that lose text together if the request grows, and the changes to undo for that. It
// undoes steps from the last one back until a message loses text.
func (s *selection) nextToFall() (messages []int, undone []change) {
	then := map[int]change{}
	for _, step := range slices.Backward(s.steps) {
		for _, c := range slices.Backward(step) {
			then[c.candidate] = c
			undone = append(undone, c)
		}
		for _, c := range step {
			i, was := c.candidate, then[c.candidate].before
			before, now := s.best(i, was), s.best(i, s.chosen[i])
			if !s.candidates[i].Placeholder && (now.more(before) || before.more(now)) {
				messages = append(messages, s.candidates[i].From)
			}
		}
		if len(messages) > 0 {
			slices.Sort(messages)
			return slices.Compact(messages), undone
		}
	}
	return nil, nil
}

// best returns the rendering that shows the most of a candidate for a choice. If the choice holds nothing of it, chars
// is -1.
func (s *selection) best(i int, of choice) rendering {
	switch {
	case s.recallAdds(i, of):
		return s.rendering(i, of.recall)
	case of.body == out:
		return rendering{chars: -1}
	}
	return s.rendering(i, of.body)
}

// exclude bars the messages that the user excluded, each with its tool group, and those outside the scope. The answers
// to an excluded question are barred too, unless they are pinned.
func (s *selection) exclude() {
	excluded, pinned, scope := s.flagged(s.history, Exclude), s.flagged(s.history, Pin), s.o.Scope
	for i := range s.candidates {
		v := &s.candidates[i]
		switch {
		case excluded[v.From]:
			s.chosen[i].cause = cause.Excluded
		case scope != nil && !s.containsGroup(scope.Messages, v):
			s.chosen[i].cause = scope.For
		}
	}
	for i := range s.candidates {
		q := s.questionOf(i)
		if q >= 0 && s.chosen[q].cause == cause.Excluded && !s.barred(i) && !pinned[s.candidates[i].From] {
			s.chosen[i].cause = cause.QuestionExcluded
		}
	}
}

// flagged returns the positions of the messages that have a flag, and of the other messages of their groups.
func (s *selection) flagged(t *prepared, f Flag) map[int]bool {
	flagged := map[int]bool{}
	for at := range t.entries {
		if len(s.o.Flags) > 0 && s.o.Flags[t.entries[at].ID] == f {
			for _, member := range toolGroupOf(t.toolGroups, at) {
				flagged[member] = true
			}
		}
	}
	return flagged
}

// containsGroup reports whether a set contains every sendable message of a candidate's group.
func (s *selection) containsGroup(set IDRanges, v *candidate) bool {
	return !slices.ContainsFunc(toolGroupOf(s.history.toolGroups, v.From), func(at int) bool {
		return s.history.candidateAt[at] >= 0 && !set.Contains(s.history.entries[at].ID)
	})
}

// pin takes the pinned messages whole, each with its tool group.
func (s *selection) pin() {
	pinned := s.flagged(s.history, Pin)
	for i := range s.candidates {
		if pinned[s.candidates[i].From] {
			s.raise(increment{unit: unit{i, i + 1}, detail: whole, cause: cause.Pinned})
		}
	}
}

// barred reports whether the priority list must not raise a candidate.
func (s *selection) barred(i int) bool {
	switch s.chosen[i].cause {
	case cause.Excluded, cause.QuestionExcluded, cause.MessageCap:
		return true
	}
	return narrowed(s.chosen[i].cause) || s.candidates[i].Role == System
}

// free reports whether the priority list may still take a candidate.
func (s *selection) free(i int) bool { return !s.barred(i) && s.chosen[i].body == out }

// countFree returns how many messages of a unit count towards the policy's limit on messages.
func (s *selection) countFree(u unit) (n int) {
	for i := u.from; i < u.to; i++ {
		if s.free(i) && !s.candidates[i].Placeholder {
			n++
		}
	}
	return n
}

// capMessages bars the messages over the policy's limit on their number. The opener counts first, then the newest. Tool
// groups stay together and answers stay with their questions, so slightly fewer messages than the limit may remain.
func (s *selection) capMessages() {
	left := s.o.Policy.MaxMessages - s.cost.messages
	if s.o.Policy.MaxMessages >= len(s.candidates) {
		return
	}
	// If the opener is longer than the limit, only its beginning stays.
	for s.opener.to > s.opener.from && s.countFree(s.opener) > left {
		s.opener.to = s.history.groupBefore(s.opener.to).from
	}
	left -= s.countFree(s.opener)
	asked := -1 // the question that was counted with its answer
	taken := func(i int) bool { return i == asked || s.opener.holds(i) }
	for end := len(s.candidates); end > 0; {
		g := s.history.groupBefore(end)
		end = g.from
		if taken(g.from) {
			continue
		}
		n, q := s.countFree(g), s.questionOf(g.from)
		if n > 0 && q >= 0 && !taken(q) {
			n += s.countFree(unit{q, q + 1})
		}
		if n <= left {
			if left -= n; n > 0 && q >= 0 {
				asked = q
			}
			continue
		}
		left = 0
		for i := g.from; i < g.to; i++ {
			if s.free(i) {
				s.chosen[i].cause = cause.MessageCap
			}
		}
	}
}

// neighbour returns the next candidate in direction step that is not a system message, or -1.
func (s *selection) neighbour(i, step int) int {
	for i += step; i >= 0 && i < len(s.candidates); i += step {
		if s.candidates[i].Role != System {
			return i
		}
	}
	return -1
}

// questionOf returns the candidate of the user message that candidate i answers: the newest one before it. It is -1 for
// user and system messages, and for answers at the start of an imported conversation.
func (s *selection) questionOf(i int) int {
	if v := &s.candidates[i]; v.Role == Assistant || v.Role == Tool {
		return s.history.turns[v.turn].question
	}
	return -1
}

// withoutQuestion reports whether an answer has no question, or one that cannot be sent.
func (s *selection) withoutQuestion(i int) bool {
	q := s.questionOf(i)
	return q < 0 || s.chosen[q].cause == cause.Excluded || narrowed(s.chosen[q].cause)
}
