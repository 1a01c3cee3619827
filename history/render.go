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
		Reserve: b.room.reserve, Window: b.o.Window, Budget: b.room.asked, Limit: b.room.limit, Bound: b.room.bound,
		Ratio: b.room.ratio, Margin: b.room.margin,
	}
	for i := range b.views {
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

// judge writes the verdict on a view.
func (b *builder) judge(p *Plan, i int) {
	v := &b.views[i]
	if v.made {
		return
	}
	e := &p.Entries[v.from]
	if !b.found(i) {
		e.Disposition, e.Cause = Dropped, b.causeDropped(i)
		if b.why[i] == CauseExcluded || b.why[i] == CauseQuestionExcluded {
			e.Disposition = Excluded
		}
		return
	}
	e.Level, e.Place = max(b.depth[i].level(), b.back[i].level()), b.depth[i].level()
	e.Pinned = b.o.Flags[v.ID] == Pin
	p.Sum.Sent++
	f := b.form(i, b.depth[i])
	e.TokensAfter = f.tokens
	if e.Recalled = b.recalled(i); e.Recalled {
		b.judgeRecalled(p, e, i)
		return
	}
	e.Disposition, e.Cause = Kept, b.causeKept(i)
	b.show(e, i, f)
	if b.why[i] == CausePinned {
		p.Sum.Pinned += f.tokens
		return
	}
	p.Sum.Body += f.tokens
}

// judgeRecalled writes the verdict on a view of which recall shows more than its place does.
func (b *builder) judgeRecalled(p *Plan, e *Entry, i int) {
	back := b.form(i, b.back[i])
	b.show(e, i, back)
	e.Disposition, e.Cause = Recalled, b.causeRecalled(i, back)
	if b.o.Policy.Placement == InOrder {
		p.Sum.Recalled += back.tokens
		e.TokensAfter, e.Place = back.tokens, e.Level
		return
	}
	p.Sum.Recalled += b.views[i].alone(back)
	p.Sum.Body += e.TokensAfter
	e.TokensAfter += b.views[i].alone(back)
}

// show writes into an entry which of a view's text is sent.
func (b *builder) show(e *Entry, i int, f form) {
	v := &b.views[i]
	f.locate(v, e)
	if !f.shortened.whole() {
		e.Disposition, e.Cause = Cut, *f.cause
	}
	if e.Whole = len(e.Cuts) == 0; v.replaced && !e.Whole {
		if e.Cause = (Cause{Code: CauseNote}); b.why[i] == CausePinned {
			e.Cause.Code = CausePinnedByNote
		}
	}
}
