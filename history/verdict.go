package history

import (
	"cmp"
	"slices"

	"winnow/history/cause"
)

// render lays the chosen texts out and says what became of every message.
func (b *chooser) render() Plan {
	r := b.lay()
	p := Plan{Rules: Rules, Summary: b.summary, Entries: slices.Clone(b.t.base)}
	p.Sum = Sum{
		System: b.c.remembered(b.o.System), Tools: b.o.Tools, Stored: len(b.c.past),
		Reserve: b.budget.reserve, Window: b.o.Window, Budget: b.budget.asked, Limit: b.budget.limit, Bound: b.budget.bound,
		Ratio: b.budget.ratio, Margin: b.budget.margin,
	}
	for i := range b.candidates {
		r.judge(&p, i)
	}
	r.judgeTurn(&p)
	p.Messages, p.Added, p.Spans = r.messages(), r.added, r.spans
	if r.system != "" {
		for i := range p.Added {
			p.Added[i].Before++
		}
		for i := range p.Spans {
			p.Spans[i].Message++
		}
	}
	slices.SortStableFunc(p.Spans, func(a, b Span) int { return cmp.Or(a.Message-b.Message, a.From-b.From) })
	var back []change
	p.Next, back = b.nextToFall()
	p.Stays = b.alike(p.Messages, back)
	for _, a := range p.Added {
		p.Sum.Added += a.Tokens
	}
	p.Sum.Frame = frameRequest + r.frame
	s := &p.Sum
	s.Total = s.System + s.Tools + s.Pinned + s.Body + s.Recalled + s.Draft + s.Added + s.Frame
	return p
}

// judge writes the verdict on a candidate.
func (r *renderer) judge(p *Plan, i int) {
	v := &r.candidates[i]
	if v.standIn {
		return
	}
	e := &p.Entries[v.from]
	if !r.inRequest(i) {
		e.Disposition, e.Cause = Dropped, r.causeDropped(i)
		if r.cause[i] == cause.Excluded || r.cause[i] == cause.QuestionExcluded {
			e.Disposition = Excluded
		}
		return
	}
	e.Level, e.Place = max(r.placeDetail[i].level(), r.recallDetail[i].level()), r.placeDetail[i].level()
	e.Pinned = r.o.Flags[v.ID] == Pin
	p.Sum.Sent++
	f := r.rendering(i, r.placeDetail[i])
	e.TokensAfter = f.tokens
	if e.Recalled = r.recalled(i); e.Recalled {
		r.judgeRecalled(p, e, i)
		return
	}
	e.Disposition, e.Cause = Kept, r.causeKept(i)
	r.show(e, i, f)
	if r.cause[i] == cause.Pinned {
		p.Sum.Pinned += f.tokens
		return
	}
	p.Sum.Body += f.tokens
}

// judgeRecalled writes the verdict on a candidate of which recall shows more than its place does.
func (r *renderer) judgeRecalled(p *Plan, e *Entry, i int) {
	back := r.rendering(i, r.recallDetail[i])
	r.show(e, i, back)
	e.Disposition, e.Cause = Recalled, r.causeRecalled(i, back)
	if r.o.Policy.Placement == InOrder {
		p.Sum.Recalled += back.tokens
		e.TokensAfter, e.Place = back.tokens, e.Level
		return
	}
	p.Sum.Recalled += r.candidates[i].alone(back)
	p.Sum.Body += e.TokensAfter
	e.TokensAfter += r.candidates[i].alone(back)
}

// show writes into an entry which of a candidate's text is sent.
func (r *renderer) show(e *Entry, i int, f rendering) {
	v := &r.candidates[i]
	f.locate(v, e)
	if !f.shortened.whole() {
		e.Disposition, e.Cause = Cut, *f.cause
	}
	if e.Whole = len(e.Cuts) == 0; v.Replaced && !e.Whole {
		if e.Cause = (Cause{Code: cause.Note}); r.cause[i] == cause.Pinned {
			e.Cause.Code = cause.PinnedByNote
		}
	}
}
