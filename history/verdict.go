package history

import (
	"cmp"
	"slices"
)

// render lays the chosen texts out and says what became of every message.
func (b *builder) render() Plan {
	p := Plan{Rules: Rules, Summary: b.summary, Entries: slices.Clone(b.t.base)}
	p.Sum = Sum{
		System: b.c.remembered(b.o.System), Tools: b.o.Tools, Stored: len(b.c.past),
		Reserve: b.budget.reserve, Window: b.o.Window, Budget: b.budget.asked, Limit: b.budget.limit, Bound: b.budget.bound,
		Ratio: b.budget.ratio, Margin: b.budget.margin,
	}
	for i := range b.candidates {
		b.judge(&p, i)
	}
	b.judgeTurn(&p)
	l := b.lay()
	p.Messages, p.Added, p.Spans = l.messages(b), l.added, l.spans
	if l.system != "" {
		for i := range p.Added {
			p.Added[i].Before++
		}
		for i := range p.Spans {
			p.Spans[i].Message++
		}
	}
	slices.SortStableFunc(p.Spans, func(a, b Span) int { return cmp.Or(a.Message-b.Message, a.From-b.From) })
	var back []change
	p.Next, back = b.next()
	p.Stays = b.alike(p.Messages, back)
	for _, a := range p.Added {
		p.Sum.Added += a.Tokens
	}
	p.Sum.Frame = frameRequest + l.frame
	s := &p.Sum
	s.Total = s.System + s.Tools + s.Pinned + s.Body + s.Recalled + s.Draft + s.Added + s.Frame
	return p
}

// judge writes the verdict on a candidate.
func (b *builder) judge(p *Plan, i int) {
	v := &b.candidates[i]
	if v.standIn {
		return
	}
	e := &p.Entries[v.from]
	if !b.inRequest(i) {
		e.Disposition, e.Cause = Dropped, b.causeDropped(i)
		if b.cause[i] == CauseExcluded || b.cause[i] == CauseQuestionExcluded {
			e.Disposition = Excluded
		}
		return
	}
	e.Level, e.Place = max(b.placeDetail[i].level(), b.recallDetail[i].level()), b.placeDetail[i].level()
	e.Pinned = b.o.Flags[v.ID] == Pin
	p.Sum.Sent++
	f := b.rendering(i, b.placeDetail[i])
	e.TokensAfter = f.tokens
	if e.Recalled = b.recalled(i); e.Recalled {
		b.judgeRecalled(p, e, i)
		return
	}
	e.Disposition, e.Cause = Kept, b.causeKept(i)
	b.show(e, i, f)
	if b.cause[i] == CausePinned {
		p.Sum.Pinned += f.tokens
		return
	}
	p.Sum.Body += f.tokens
}

// judgeRecalled writes the verdict on a candidate of which recall shows more than its place does.
func (b *builder) judgeRecalled(p *Plan, e *Entry, i int) {
	back := b.rendering(i, b.recallDetail[i])
	b.show(e, i, back)
	e.Disposition, e.Cause = Recalled, b.causeRecalled(i, back)
	if b.o.Policy.Placement == InOrder {
		p.Sum.Recalled += back.tokens
		e.TokensAfter, e.Place = back.tokens, e.Level
		return
	}
	p.Sum.Recalled += b.candidates[i].alone(back)
	p.Sum.Body += e.TokensAfter
	e.TokensAfter += b.candidates[i].alone(back)
}

// show writes into an entry which of a candidate's text is sent.
func (b *builder) show(e *Entry, i int, f rendering) {
	v := &b.candidates[i]
	f.locate(v, e)
	if !f.shortened.whole() {
		e.Disposition, e.Cause = Cut, *f.cause
	}
	if e.Whole = len(e.Cuts) == 0; v.replaced && !e.Whole {
		if e.Cause = (Cause{Code: CauseNote}); b.cause[i] == CausePinned {
			e.Cause.Code = CausePinnedByNote
		}
	}
}
