package history

import (
	"slices"

	"winnow/history/cause"
	"winnow/history/relevance"
)

// selection decides how much a request holds of each candidate. It takes the longest beginning of the priority list
// that fits.
type selection struct {
	c          *Conversation
	o          Options
	history    *prepared
	candidates []candidate // of the history
	chosen     []choice    // of each of them
	turn       *prepared   // the current message and what the running turn has added
	turnSent   []rendering // of each of its candidates
	turnFirst  bool        // the running turn takes all the room

	budget budget
	step   int // tokens of the largest block
	fixed  int // tokens of all that is sent whatever fits of the history
	gap    int // tokens of a marker at the most
	cost   cost
	days   map[int64]int // how many recalled texts are of each day

	shortened map[int]rendering // texts at the limits of the policy, by candidate
	headTails map[int]rendering // see newestCuts; nil before they are asked for

	opener    unit // the opening of the conversation, where the strategy keeps it
	asked     unit // the question of a newest turn that is too long to stand at the end as one
	last      unit // the newest turn, or the end of it
	lastWhole int  // tokens up to which it stays whole

	summary    *Summary // may stand in the request, nil for none
	covered    []bool   // the candidates that the summary stands for
	summarized bool     // it does stand there

	ranking relevance.Ranking
	hits    []relevance.Unit // what the current message is about and is not taken yet, the most relevant first
	passed  int              // how many of them were too long
	steps   [][]change       // what each increment raised, in order
	stopped increment        // what did not fit
	stop    Cause            // and why
	over    bool             // what must be sent does not fit
}

// choice is how much a request holds of a candidate, and why as far as that is known while choosing.
type choice struct {
	body   detail // in its place
	recall detail // in the block of recalled texts
	cause  cause.Code
}

// choose takes the longest beginning of the priority list that fits. The whole list is tried first: it leaves no gap,
// so it may fit where a beginning of it with its markers does not, even where nothing of it does. A summary that is to
// stand in any case stands first.
func (s *selection) choose() {
	if s.o.Policy.SummaryAlways {
		s.condense()
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
	s.condense()
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

// everything is all of the history, whole.
func (s *selection) everything() increment {
	all := increment{unit: unit{0, len(s.candidates)}, detail: whole, cause: cause.Fits}
	if s.o.Policy.MaxMessages < len(s.candidates) {
		all.cause = cause.FreeBudget
	}
	return all
}

// elastic reports whether a text may stay whole that is over the limits of the policy.
func (s *selection) elastic() bool { return s.o.Policy.Elastic || s.o.Policy.Strategy == DropNone }

// chooseAll takes the whole list where it fits, and reports whether it does. It is taken step by step, so that the last
// step back is known.
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

// change is what was chosen of a candidate before it was raised.
type change struct {
	candidate int
	before    choice
}

// raise takes an increment: each candidate of it that may be sent and is at a lower detail level, with the question
// that it answers.
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

// lower takes back what was raised last.
func (s *selection) lower(changes []change, before cost) {
	for _, c := range slices.Backward(changes) {
		s.set(c.candidate, c.before)
	}
	s.cost = before
}

// nextToFall is the messages that lose text together when the request grows, and what each candidate was before: the
// steps that raised them are taken back, the last one first, until one of them takes text away.
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
			if !s.candidates[i].Placeholder && (before.chars != now.chars || images(before.parts) != images(now.parts)) {
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

// best is the most that a request holds of a candidate: its text has -1 characters where the request does not hold it.
func (s *selection) best(i int, of choice) rendering {
	switch {
	case s.recallAdds(i, of):
		return s.rendering(i, of.recall)
	case of.body == out:
		return rendering{chars: -1}
	}
	return s.rendering(i, of.body)
}

// exclude bars what the user took out, a message with its whole tool group, and what a narrowed request is not about.
// With a question go the answers to it, but for those that are pinned.
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

// flagged is the positions of the messages with a flag, and of those in their groups.
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

// holdsGroup reports whether a set has every message of a candidate's group that may be sent.
func (s *selection) containsGroup(set IDRanges, v *candidate) bool {
	return !slices.ContainsFunc(toolGroupOf(s.history.toolGroups, v.From), func(at int) bool {
		return s.history.candidateAt[at] >= 0 && !set.Contains(s.history.entries[at].ID)
	})
}

// pin takes what the user wants whole, a message with its whole tool group.
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

// free reports whether a candidate waits for the priority list.
func (s *selection) free(i int) bool { return !s.barred(i) && s.chosen[i].body == out }

// countFree is how many messages of a unit count against the policy's number.
func (s *selection) countFree(u unit) (n int) {
	for i := u.from; i < u.to; i++ {
		if s.free(i) && !s.candidates[i].Placeholder {
			n++
		}
	}
	return n
}

// capMessages bars what is over the policy's number of messages: the opener counts first, then the newest. Tool groups
// stay together, and an answer stays with its question, so the number may be missed by less than one group and its
// question.
func (s *selection) capMessages() {
	left := s.o.Policy.MaxMessages - s.cost.messages
	if s.o.Policy.MaxMessages >= len(s.candidates) {
		return
	}
	// What the number allows of the opener is its beginning.
	for s.opener.to > s.opener.from && s.countFree(s.opener) > left {
		s.opener.to = s.history.groupBefore(s.opener.to).from
	}
	left -= s.countFree(s.opener)
	asked := -1 // the question that came in with an answer
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
		return s.history.turns[v.turn].question
	}
	return -1
}

// withoutQuestion reports whether an answer never had a question, or has one that cannot be sent.
func (s *selection) withoutQuestion(i int) bool {
	q := s.questionOf(i)
	return q < 0 || s.chosen[q].cause == cause.Excluded || narrowed(s.chosen[q].cause)
}
