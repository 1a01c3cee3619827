package history

import (
	"cmp"
	"slices"

	"winnow/history/cause"
)

// verdicts says what became of every message of a request that is written.
type verdicts struct {
	*writer
	sum     Sum
	entries []Entry
}

// plan writes the selection and says what became of every message.
func (s *selection) plan() Plan {
	v := verdicts{writer: s.write(), sum: Sum{
		System: s.c.remembered(s.o.System), Tools: s.o.Tools, Stored: len(s.history.entries),
		Reserve: s.budget.reserve, Window: s.o.Window, Budget: s.budget.asked,
		Limit: s.budget.limit, Bound: s.budget.bound, Ratio: s.budget.ratio, Margin: s.budget.margin,
	}}
	v.entries = make([]Entry, 0, len(s.history.entries)+len(s.turn.entries))
	v.judgeHistory()
	v.judgeTurn()
	v.readAgain()
	p := Plan{Rules: Rules, Summary: s.summary, Entries: v.entries, groups: s.history.groups}
	p.Messages = v.finish()
	p.Added, p.Spans = v.added, v.spans
	var undone []change
	p.Next, undone = s.nextToFall()
	p.Stays = s.alike(p.Messages, undone)
	for _, a := range p.Added {
		v.sum.Added += a.Tokens
	}
	v.sum.Frame = frameRequest + v.frame
	p.Sum = v.sum
	p.Sum.Total = p.Sum.parts()
	return p
}

// parts is the sum of the parts of a request.
func (s Sum) parts() int {
	return s.System + s.Tools + s.Pinned + s.Body + s.Recalled + s.Draft + s.Added + s.Frame
}

// judgeHistory gives each message of the history its verdict.
func (v *verdicts) judgeHistory() {
	v.entries = append(v.entries, v.history.entries...)
	for at, i := range v.history.places {
		e := &v.entries[at]
		switch {
		case i < 0:
		case v.inRequest(i):
			v.judgeSent(e, i)
		default:
			e.Disposition, e.Cause = Dropped, v.causeDropped(i)
			if c := v.cause[i]; c == cause.Excluded || c == cause.QuestionExcluded {
				e.Disposition = Excluded
			}
		}
		if v.o.Pending != 0 && e.ID == v.o.Pending {
			e.forgivePending()
		}
	}
}

// judgeSent is the verdict on a candidate that is in the request.
func (v *verdicts) judgeSent(e *Entry, i int) {
	e.Level, e.Place = max(v.body[i].level(), v.recall[i].level()), v.body[i].level()
	e.Pinned = v.o.Flags[e.ID] == Pin
	v.sum.Sent++
	f := v.rendering(i, v.body[i])
	e.TokensAfter = f.tokens
	if e.Recalled = v.recalled(i); e.Recalled {
		v.judgeRecalled(e, i)
		return
	}
	e.Disposition, e.Cause.Code = Kept, cmp.Or(v.cause[i], cause.Recent)
	f.show(&v.candidates[i], e)
	if v.cause[i] != cause.Pinned {
		v.sum.Body += f.tokens
		return
	}
	v.sum.Pinned += f.tokens
	if e.Cause.Code == cause.Note {
		e.Cause.Code = cause.PinnedByNote
	}
}

// judgeRecalled is the verdict on a candidate of which recall shows more than its place does.
func (v *verdicts) judgeRecalled(e *Entry, i int) {
	f := v.rendering(i, v.recall[i])
	f.show(&v.candidates[i], e)
	e.Disposition, e.Cause = Recalled, v.causeRecalled(i, f)
	if v.inOrder() {
		v.sum.Recalled += f.tokens
		e.TokensAfter, e.Place = f.tokens, e.Level
		return
	}
	tokens := v.recalledCost(i, f)
	v.sum.Recalled += tokens
	v.sum.Body += e.TokensAfter
	e.TokensAfter += tokens
}

// judgeTurn gives each stored message of the running turn its verdict.
func (v *verdicts) judgeTurn() {
	entries := slices.Clone(v.turn.entries)
	for i := range v.turn.candidates {
		c, f := &v.turn.candidates[i], v.turnRendering(i)
		if c.StandIn {
			continue
		}
		v.sum.Draft += f.tokens
		e := &entries[c.From]
		e.Disposition, e.Cause, e.Level, e.TokensAfter = Kept, Cause{Code: cause.Turn}, Whole, f.tokens
		if f.show(c, e); !f.whole() {
			e.Level = Shortened
		}
		e.Place = e.Level
	}
	for _, e := range entries {
		if e.Index += len(v.history.entries); e.ID != 0 {
			v.entries = append(v.entries, e)
		}
	}
}

// readAgain gives the messages another cause of which a result in the request holds what a recall found in them.
func (v *verdicts) readAgain() {
	see := func(positions []int) {
		for _, at := range positions {
			if at < 0 || at >= len(v.entries) {
				continue
			}
			switch e := &v.entries[at]; {
			case e.FellOut():
				e.Cause = Cause{Code: cause.ReadAgain}
			case e.Disposition == Cut:
				e.Cause = Cause{Code: cause.CutReadAgain, Have: e.CharsAfter, Want: e.CharsBefore}
			}
		}
	}
	for i := range v.candidates {
		if c := &v.candidates[i]; len(c.ReadAgain) > 0 && !c.StandIn && v.inRequest(i) {
			see(c.ReadAgain)
		}
	}
	for _, c := range v.turn.candidates {
		see(c.ReadAgain)
	}
}

// causeDropped is why candidate i is not sent.
func (s *selection) causeDropped(i int) Cause {
	switch {
	case s.cause[i] == cause.MessageCap:
		return Cause{Code: cause.MessageCap, Limit: s.o.Policy.MaxMessages}
	case s.barred(i), s.cause[i] == cause.Summarized:
		return Cause{Code: s.cause[i]}
	case s.stopped.to == 0 && s.stop.Code != cause.None, s.stopped.holds(i):
		return s.stop
	case s.stopped.recall:
		return Cause{Code: cause.BudgetTaken}
	}
	return Cause{Code: cause.Older}
}

// show writes into an entry what of its text is sent and what is in its place, by the code points of the stored text.
func (f rendering) show(v *candidate, e *Entry) {
	have, want := e.CharsBefore, e.CharsBefore
	switch {
	case v.Replaced:
		f.showReplaced(e)
		have, want = f.chars, v.chars
	case v.Lead+v.Tail > 0:
		f.showFramed(v, e)
		have = e.CharsAfter
	case !f.whole():
		have = f.chars
		e.Cuts, e.Inserted = []Range{f.cut}, []Insert{{f.cut.From, f.note}}
	}
	if !v.Replaced {
		e.CharsAfter = have
	}
	if !f.whole() {
		e.Disposition, e.Cause = Cut, *f.cause
		e.Cause.Have, e.Cause.Want = have, want
	} else if f.cause != nil && f.cause.Code == cause.ImageNote {
		e.Disposition, e.Cause = Cut, *f.cause
	}
	if e.Whole = len(e.Cuts) == 0; v.Replaced && !e.Whole {
		e.Cause = Cause{Code: cause.Note}
	}
}

// showReplaced is show for a message that another text is sent for.
func (f rendering) showReplaced(e *Entry) {
	if e.CharsBefore > 0 {
		e.Cuts = []Range{{0, e.CharsBefore}}
	}
	if f.text != "" {
		e.Inserted = []Insert{{0, f.text}}
	}
}

// showFramed is show for a message that is sent with more text in front of its own or behind it.
func (f rendering) showFramed(v *candidate, e *Entry) {
	n, text := e.CharsBefore, []rune(v.Content)
	tail := len(text) - v.Tail
	own := func(at int) int { return max(0, min(at-v.Lead, n)) }
	from, to := own(f.cut.From), own(f.cut.To)
	if e.CharsAfter = n - (to - from); from < to {
		e.Cuts = []Range{{from, to}}
	}
	note := ""
	if v.Lead <= f.cut.From && f.cut.From < tail {
		note = f.note
	}
	for _, in := range []Insert{{0, f.sent(text, 0, v.Lead)}, {from, note}, {n, f.sent(text, tail, len(text))}} {
		if in.Text != "" {
			e.Inserted = append(e.Inserted, in)
		}
	}
}

// sent is what of the code points of a candidate's text from one place to another is sent, with the note where the cut
// begins among them.
func (f rendering) sent(text []rune, from, to int) string {
	if f.whole() || f.cut.To <= from || to <= f.cut.From {
		return string(text[from:to])
	}
	if from > f.cut.From {
		return string(text[min(f.cut.To, to):to])
	}
	return string(text[from:f.cut.From]) + f.note + string(text[min(f.cut.To, to):to])
}
