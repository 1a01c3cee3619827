package history

import (
	"bytes"
	"cmp"
	"slices"

	"winnow/history/cause"
)

// verdicts records what became of every message of a selection.
type verdicts struct {
	*selection
	Plan
}

// plan writes the selected request and the verdicts.
func (s *selection) plan() Plan {
	w := s.written()
	v := verdicts{s, Plan{
		Rules: RulesVersion, Summary: s.summary, Sum: s.budget.TokenSum,
		Messages: w.messages, Added: w.added, Spans: w.spans,
		Entries: make([]Entry, 0, len(s.history.entries)+len(s.turn.entries)), toolGroups: s.history.toolGroups,
	}}
	v.judgeHistory()
	v.judgeTurn()
	v.readAgain()
	v.findNext()
	sum := &v.Sum
	sum.System, sum.Frame, sum.Stored = s.c.countCached(s.o.System), frameRequest+w.frame, len(s.history.entries)
	for _, a := range v.Added {
		sum.Added += a.Tokens
	}
	sum.Total = sum.System + sum.Tools + sum.Pinned + sum.Body + sum.Recalled + sum.Draft + sum.Added + sum.Frame
	return v.Plan
}

// judgeHistory sets the verdict on each message of the history.
func (v *verdicts) judgeHistory() {
	v.Entries = append(v.Entries, v.history.entries...)
	for at, i := range v.history.candidateAt {
		e := &v.Entries[at]
		switch {
		case i < 0:
		case v.inRequest(i):
			v.judgeSent(e, i)
		case v.chosen[i].cause == cause.Excluded || v.chosen[i].cause == cause.QuestionExcluded:
			e.Disposition, e.Cause = Excluded, Cause{Code: v.chosen[i].cause}
		default:
			e.Disposition, e.Cause = Dropped, v.causeDropped(i)
		}
		if v.o.Pending != 0 && e.ID == v.o.Pending {
			// Placeholder results of pending calls are not repairs. The plan contains them because a new message would
			// be sent with them.
			e.Repairs = slices.DeleteFunc(slices.Clone(e.Repairs), func(r Repair) bool { return r.Kind == "C5" })
		}
	}
}

// judgeSent sets the verdict on a candidate that is sent.
func (v *verdicts) judgeSent(e *Entry, i int) {
	e.Level, e.Place = max(levels[v.chosen[i].body], levels[v.chosen[i].recall]), levels[v.chosen[i].body]
	e.Pinned = v.o.Flags[e.ID] == Pin
	v.Sum.Sent++
	f := v.rendering(i, v.chosen[i].body)
	e.TokensAfter = f.tokens
	if e.Recalled = v.recalled(i); e.Recalled {
		v.judgeRecalled(e, i)
		return
	}
	e.Disposition, e.Cause.Code = Kept, cmp.Or(v.chosen[i].cause, cause.Recent)
	f.describe(&v.candidates[i], e)
	if v.chosen[i].cause != cause.Pinned {
		v.Sum.Body += f.tokens
		return
	}
	v.Sum.Pinned += f.tokens
	if e.Cause.Code == cause.Note {
		e.Cause.Code = cause.PinnedByNote
	}
}

// judgeRecalled sets the verdict on a candidate of which recall shows more than its own place does.
func (v *verdicts) judgeRecalled(e *Entry, i int) {
	f := v.rendering(i, v.chosen[i].recall)
	f.describe(&v.candidates[i], e)
	e.Disposition, e.Cause = Recalled, v.causeRecalled(i, f)
	tokens := v.recalledCost(i, f)
	v.Sum.Recalled += tokens
	v.Sum.Body += e.TokensAfter
	e.TokensAfter += tokens
}

// judgeTurn sets the verdict on each stored message of the running turn.
func (v *verdicts) judgeTurn() {
	entries := slices.Clone(v.turn.entries)
	for i, f := range v.turnSent {
		c := &v.turn.candidates[i]
		if c.Placeholder {
			continue
		}
		v.Sum.Draft += f.tokens
		e := &entries[c.From]
		e.Disposition, e.Cause, e.Level, e.TokensAfter = Kept, Cause{Code: cause.Turn}, LevelWhole, f.tokens
		if f.describe(c, e); !f.whole() {
			e.Level = LevelShortened
		}
		e.Place = e.Level
	}
	for _, e := range entries {
		if e.Index += len(v.history.entries); e.ID != 0 {
			v.Entries = append(v.Entries, e)
		}
	}
}

// readAgain changes the cause of messages that were left out or cut, but that a recall result in the request quotes.
func (v *verdicts) readAgain() {
	see := func(positions []int) {
		for _, at := range positions {
			if at < 0 || at >= len(v.Entries) {
				continue
			}
			switch e := &v.Entries[at]; {
			case e.DroppedByLimit():
				e.Cause = Cause{Code: cause.ReadAgain}
			case e.Disposition == Cut:
				e.Cause = Cause{Code: cause.CutReadAgain, Have: e.CharsAfter, Want: e.CharsBefore}
			}
		}
	}
	for i := range v.candidates {
		if c := &v.candidates[i]; len(c.RecallPositions) > 0 && !c.Placeholder && v.inRequest(i) {
			see(c.RecallPositions)
		}
	}
	for _, c := range v.turn.candidates {
		see(c.RecallPositions)
	}
}

// causeDropped returns why candidate i is not sent.
func (s *selection) causeDropped(i int) Cause {
	switch {
	case s.chosen[i].cause == cause.MessageCap:
		return Cause{Code: cause.MessageCap, Limit: s.o.Policy.MaxMessages}
	case s.barred(i), s.chosen[i].cause == cause.Summarized:
		return Cause{Code: s.chosen[i].cause}
	case s.stopped.to == 0 && s.stop.Code != cause.None, s.stopped.holds(i):
		return s.stop
	case s.stopped.recall:
		return Cause{Code: cause.BudgetTaken}
	}
	return Cause{Code: cause.Older}
}

// findNext finds what is dropped next, and how many messages then stay the same, by writing the request again without
// it.
func (v *verdicts) findNext() {
	var undone []change
	v.NextToDrop, undone = v.nextToFall()
	if len(undone) == 0 {
		v.Unchanged = len(v.Messages)
		return
	}
	chosen := v.chosen
	v.chosen = slices.Clone(chosen)
	for _, c := range undone {
		v.chosen[c.candidate] = c.before
	}
	v.Unchanged = CommonPrefix(v.Messages, v.written().messages)
	v.chosen = chosen
}

// CommonPrefix returns how many messages at the start of two requests to one model are the same. The server's cache of
// the first request covers these in the second.
func CommonPrefix(before, now []Message) int {
	n := 0
	for n < len(before) && n < len(now) && sameContent(&before[n], &now[n]) {
		n++
	}
	return n
}

// sameContent reports whether both messages look the same to a model.
func sameContent(a, b *Message) bool {
	return a.Role == b.Role && a.Content == b.Content && a.ToolCallID == b.ToolCallID &&
		a.Reasoning == b.Reasoning && a.Replay == b.Replay &&
		slices.Equal(a.ToolCalls, b.ToolCalls) && slices.EqualFunc(a.Parts, b.Parts, func(a, b Part) bool {
		return a.Kind == b.Kind && a.MediaType == b.MediaType && a.AsText() == b.AsText() && bytes.Equal(a.Data, b.Data)
	})
}

// describe records in an entry which code points of the stored text are sent and what replaces the others.
func (f rendering) describe(v *candidate, e *Entry) {
	have, want := f.chars, v.chars
	if !v.Replaced {
		f.describeOwn(v, e)
		have, want = e.CharsAfter, e.CharsBefore
	} else if e.addInsertion(0, f.text); e.CharsBefore > 0 {
		e.Cuts = []CharRange{{0, e.CharsBefore}} // A different text replaces all of it.
	}
	if !f.whole() || f.cause.Code == cause.ImageNote {
		e.Disposition, e.Cause = Cut, f.cause
	}
	if !f.whole() {
		e.Cause.Have, e.Cause.Want = have, want
	}
	if e.Whole = len(e.Cuts) == 0; v.Replaced && !e.Whole {
		e.Cause = Cause{Code: cause.Note}
	}
}

// describeOwn is describe for a message whose own text is sent, possibly with text added before and after it by
// repairs.
func (f rendering) describeOwn(v *candidate, e *Entry) {
	n, tail := e.CharsBefore, v.chars-v.Tail
	own := func(at int) int { return max(0, min(at-v.Lead, n)) }
	from, to := own(f.cut.From), own(f.cut.To)
	if e.CharsAfter = n - (to - from); from < to {
		e.Cuts = []CharRange{{from, to}}
	}
	e.addInsertion(0, f.between(v, 0, v.Lead))
	if v.Lead <= f.cut.From && f.cut.From < tail {
		e.addInsertion(from, f.note)
	}
	e.addInsertion(n, f.between(v, tail, v.chars))
}

// addInsertion records text that was added, unless it is empty.
func (e *Entry) addInsertion(at int, text string) {
	if text != "" {
		e.Inserted = append(e.Inserted, Insertion{at, text})
	}
}

// between returns what is sent of a range of the candidate's text, in code points, including the note if the cut begins
// in that range.
func (f rendering) between(v *candidate, from, to int) string {
	if from == to {
		return ""
	}
	text, cut := []rune(v.Content), f.cut
	if f.whole() {
		cut = CharRange{to, to}
	}
	head, rest := string(text[from:max(from, min(to, cut.From))]), string(text[min(to, max(from, cut.To)):to])
	if from <= cut.From && cut.From < to {
		return head + f.note + rest
	}
	return head + rest
}
