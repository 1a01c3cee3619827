package history

import (
	"math"
	"slices"
)

// layout is a request while it is written.
type layout struct {
	body []Message
	margin
	placed int // so many of the added texts stand in front of a message that is there
	remains
}

// render lays the chosen texts out and says what became of every message.
func (b *builder) render() Plan {
	p := Plan{Rules: Rules, Summary: b.summary, Entries: slices.Clone(b.t.base)}
	p.Sum = Sum{
		System: b.c.remembered(b.o.System), Tools: b.o.Tools, Frame: frameRequest, Stored: len(b.c.past),
		Reserve: b.room.reserve, Window: b.o.Window, Budget: b.room.asked, Limit: b.room.limit, Bound: b.room.bound,
		Ratio: b.room.ratio, Margin: b.room.margin,
	}
	begin := margin{system: b.o.System}
	l := layout{body: make([]Message, 0, b.bill.messages+len(b.turn.views)), margin: begin, remains: remains{without: begin, stays: math.MaxInt}}
	p.Next, l.back = b.next()
	for i := range b.views {
		b.place(&p, &l, i)
	}
	p.Added = append(p.Added, b.close(&l.margin)...)
	b.close(&l.without)
	if l.system != l.without.system {
		l.stays, l.behind = -1, false
	}
	b.appendTurn(&p, &l)
	l.reach(&p, len(p.Entries))
	p.Stays = b.firm(&p, &l)
	p.Messages = make([]Message, 0, 1+len(l.body))
	if l.system != "" {
		p.Messages = append(p.Messages, Message{Role: System, Content: l.system})
		p.Sum.Frame += frameMessage
		p.Stays++
		for i := range p.Added {
			p.Added[i].Before++
		}
	}
	p.Messages = append(p.Messages, l.body...)
	p.Stays = max(0, p.Stays)
	if n := b.o.Profile.ToolIDLength; n > 0 {
		shortIDs(p.Messages, n)
	}
	for _, a := range p.Added {
		p.Sum.Added += a.Tokens
	}
	s := &p.Sum
	s.Total = s.System + s.Tools + s.Pinned + s.Body + s.Recalled + s.Draft + s.Added + s.Frame
	return p
}

// place writes one view into the request, or counts it to the open gap.
func (b *builder) place(p *Plan, l *layout, i int) {
	v := &b.views[i]
	b.judge(p, i)
	d := b.depth[i]
	if b.o.Policy.Placement == InOrder && b.recalled(i) {
		d = b.back[i]
	}
	if d == out {
		if v.Role != System && !v.made && b.o.Scope == nil {
			b.miss(&l.margin, i)
			b.miss(&l.without, i)
		}
		return
	}
	f := b.form(i, d)
	if v.Role == System {
		p.Sum.Frame += frameJoint
		b.instruct(&l.margin, f.text)
		b.instruct(&l.without, f.text)
		return
	}
	from := len(l.body)
	b.open(p, l, v)
	m := v.said(f.text)
	var marks []Added
	if m.Role == User {
		marks = b.mark(l)
		m.Content, l.inline = l.inline+m.Content, ""
		for k := len(marks) - 1; k >= 0; k-- {
			m.Content = marks[k].Text + m.Content
		}
	}
	if v.made {
		marks = append(marks, Added{Kind: kindResult, Text: f.text, Tokens: f.tokens, Reason: sentenceNoResult})
	}
	then := b.then(l, i, d)
	if then != out {
		b.remain(l, m, v.joins)
	}
	at := b.put(p, l, m, v.joins)
	l.begun = true
	switch {
	case then == out:
		b.leave(l, i, from, at)
	case then != d && b.form(i, then).text != f.text:
		l.shorten(at)
	}
	for _, a := range marks {
		a.Before = at
		p.Added = append(p.Added, a)
	}
	if !v.made {
		l.reach(p, v.from)
	}
}

// reach says that the texts added since the last message that somebody said stand in, or in front of,
// the one whose entry is at index at.
func (l *layout) reach(p *Plan, at int) {
	for ; l.placed < len(p.Added); l.placed++ {
		// The system prompt stands in front of all messages.
		if a := &p.Added[l.placed]; a.Before >= 0 {
			a.At = at
		}
	}
}

// judge writes the verdict on a view.
func (b *builder) judge(p *Plan, i int) {
	v := &b.views[i]
	if v.made {
		return
	}
	e := &p.Entries[v.from]
	if !b.found(i) {
		e.Disposition, e.Reason = Dropped, b.dropped(i)
		if b.why[i] == whyExcluded {
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
	e.Disposition, e.Reason = Kept, b.why[i].kept()
	b.show(e, i, f)
	if b.why[i] == whyPinned {
		p.Sum.Pinned += f.tokens
		return
	}
	p.Sum.Body += f.tokens
}

// judgeRecalled writes the verdict on a view of which recall shows more than its place does.
func (b *builder) judgeRecalled(p *Plan, e *Entry, i int) {
	back := b.form(i, b.back[i])
	b.show(e, i, back)
	e.Disposition, e.Reason = Recalled, b.whyRecalled(i, back)
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
		e.Disposition, e.Reason = Cut, f.note
	}
	if e.Whole = len(e.Cuts) == 0; v.replaced && !e.Whole {
		if e.Reason = sentenceNote; b.why[i] == whyPinned {
			e.Reason = sentencePinned
		}
	}
}

// open ends a gap in front of a message that is sent, and sees to it that a request begins with a
// user's message.
func (b *builder) open(p *Plan, l *layout, v *view) {
	l.endGap()
	if len(l.body) > 0 || v.Role == User {
		return
	}
	m := Message{Role: User, Content: b.opening(&l.margin)}
	if len(l.markers) > 0 {
		gap := l.markers[0]
		l.markers = l.markers[1:]
		p.Added = append(p.Added, b.added(gap, m.Content, 0))
	} else {
		p.Added = append(p.Added, Added{Kind: kindStart, Text: startText, Tokens: b.c.remembered(startText), Reason: "a request begins with a message of the user"})
	}
	b.put(p, l, m, false)
}

// opening is what a request begins with where an answer would be first.
func (b *builder) opening(m *margin) string {
	if len(m.markers) > 0 {
		return b.gapText(m.markers[0])
	}
	return startText
}

// mark is what stands in front of the next user's message: the waiting markers.
func (b *builder) mark(l *layout) []Added {
	var list []Added
	for _, gap := range l.markers {
		list = append(list, b.added(gap, b.gapText(gap)+joint, 0))
	}
	l.markers = nil
	return list
}

// gapText is what stands for a gap.
func (b *builder) gapText(gap pending) string {
	if gap.summary {
		return b.summaryText()
	}
	return b.marker(gap.missing)
}

func (b *builder) added(gap pending, text string, at int) Added {
	reason := "stands for " + grouped(gap.missing) + " messages that are not sent"
	if gap.missing == 1 {
		reason = "stands for 1 message that is not sent"
	}
	a := Added{Kind: kindMarker, Before: at, Text: text, Tokens: b.c.remembered(text), Reason: reason}
	if gap.summary {
		a.Kind = kindSummary
		a.Reason += ", condensed by " + b.summary.By
	}
	return a
}
