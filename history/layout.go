package history

import "strings"

// layout is the messages of a request while they are written.
type layout struct {
	system string    // the system prompt, with what is put at its end
	list   []Message // behind a place for the system prompt
	added  []Added
	spans  []Span // those of the system prompt have the message -1
	frame  int    // tokens that the chat format costs
	placed int    // so many of the added texts stand in front of, or in, a message that is there

	asked         int    // the newest candidate of the user's that is in the body, -1 for none
	askedAt       int    // where it stands in the body
	inline        string // system messages on their way to the next message of the user
	waiting       []Span // of the system messages in inline, by the bytes of it
	gap           gap    // the gap that is open
	summaryPlaced bool   // the summary stands in the request
}

// len is how many messages the body has, message the one at an index of it.
func (l *layout) len() int               { return len(l.list) - 1 }
func (l *layout) message(i int) *Message { return &l.list[1+i] }

// gap is a run of messages that are not sent.
type gap struct {
	missing int
	summary bool // the summary stands in it
}

// begin is an empty layout with room for a number of messages.
func (b *builder) beginLayout(messages int) layout {
	return layout{system: b.o.System, asked: -1, list: make([]Message, 1, 1+messages)}
}

// lay writes what is chosen as messages.
func (b *builder) lay() layout {
	l := b.beginLayout(b.cost.messages + len(b.turn.candidates))
	for i := range b.candidates {
		b.place(&l, i)
	}
	b.close(&l)
	b.end(&l)
	return l
}

// end writes what comes after the history: the running turn with the recalled block.
func (b *builder) end(l *layout) {
	b.layTurn(l)
	l.reach(len(b.t.base) + stored(b.turn.base))
	if l.system != "" {
		l.frame += frameMessage
	}
}

// messages are the messages of the request, the system prompt first.
func (l *layout) messages(b *builder) []Message {
	list := l.list
	if l.system == "" {
		list = list[1:]
	} else {
		list[0] = Message{Role: System, Content: l.system}
	}
	if n := b.o.Profile.ToolIDLength; n > 0 {
		shortIDs(list, n)
	}
	return list
}

// place writes one view into the request, or counts it to the open gap.
func (b *builder) place(l *layout, i int) {
	v := &b.candidates[i]
	d := b.placedAt(i)
	if d == out {
		if v.Role != System && !v.standIn && b.o.Scope == nil {
			l.gap.missing++
			if b.summarized && !l.summaryPlaced && b.cause[i] == CauseSummarized {
				l.gap.summary, l.summaryPlaced = true, true
			}
		}
		return
	}
	f := b.rendering(i, d)
	if v.Role == System {
		l.frame += frameJoint
		b.placeSystem(l, f.text, v.from)
		return
	}
	m := v.messageWith(f.text)
	before, marker, inline := len(l.added), 0, []Span(nil)
	if m.Role == User {
		m.Content = l.inline + m.Content
		inline = l.flush()
		if l.gap.missing > 0 {
			text := b.gapText(l.gap) + joint
			l.added = append(l.added, b.added(l.gap, text, 0, 0))
			m.Content = text + m.Content
			l.gap, marker = gap{}, len(text)
		}
	} else {
		b.lead(l, i)
		before = len(l.added)
	}
	if v.standIn {
		l.added = append(l.added, Added{Kind: AddedStandIn, To: len(f.text), Text: f.text, Tokens: f.tokens, Cause: Cause{Code: CauseNoResult}})
	}
	at, from := b.put(l, m, v.joins)
	for k := before; k < len(l.added); k++ {
		if a := &l.added[k]; a.Kind != AddedBridge {
			a.Before, a.From, a.To = at, a.From+from, a.To+from
		}
	}
	for _, s := range inline {
		l.spans = append(l.spans, Span{Entry: s.Entry, Message: at, From: from + marker + s.From, To: from + marker + s.To})
	}
	if end := from + len(m.Content); !v.standIn {
		l.spans = append(l.spans, Span{Entry: v.from, Message: at, From: end - len(f.text), To: end, Calls: v.callsAsText})
	}
	if m.Role == User {
		l.asked, l.askedAt = i, at
	}
	if !v.standIn {
		l.reach(v.from)
	}
}

// lead closes the open gap in front of candidate i, which is not the user's, and sees to it that a message of
// the user leads to it. The marker stands at the end of the question, which is in the body too. An answer
// whose question cannot be sent follows a message of the marker alone.
func (b *builder) lead(l *layout, i int) {
	g := l.gap
	l.gap = gap{}
	if q := b.questionOf(i); q >= 0 && q == l.asked {
		if g.missing > 0 {
			text := joint + b.gapText(g)
			m := l.message(l.askedAt)
			l.added = append(l.added, b.added(g, text, l.askedAt, len(m.Content)))
			m.Content += text
		}
		return
	}
	if g.missing > 0 {
		text := b.gapText(g)
		at, from := b.put(l, Message{Role: User, Content: text}, false)
		l.added = append(l.added, b.added(g, text, at, from))
		return
	}
	if l.len() == 0 {
		l.added = append(l.added, Added{Kind: AddedStart, To: len(startText), Text: startText, Tokens: b.c.remembered(startText), Cause: Cause{Code: CauseBeginsAsUser}})
		b.put(l, Message{Role: User, Content: startText}, false)
	}
}

// gapText is what stands for a gap.
func (b *builder) gapText(g gap) string {
	if g.summary {
		return b.summaryText()
	}
	return b.marker(g.missing)
}

// added is the text that stands for a gap in the message at an index, from a byte of its content on.
func (b *builder) added(g gap, text string, at, from int) Added {
	a := Added{Kind: AddedMarker, Before: at, From: from, To: from + len(text), Text: text, Tokens: b.c.remembered(text), Cause: Cause{Code: CauseGap, Want: g.missing}}
	if g.summary {
		a.Kind, a.Cause.Text = AddedSummary, b.summary.By
	}
	return a
}

// placeSystem takes a system message of the history to where the policy wants it.
func (b *builder) placeSystem(l *layout, text string, entry int) {
	if b.o.Policy.MidSystem == Inline && l.len() > 0 {
		l.waiting = append(l.waiting, Span{Entry: entry, From: len(l.inline), To: len(l.inline) + len(text)})
		l.inline += text + joint
		return
	}
	l.hoist(text, Span{Entry: entry, To: len(text)})
}

// flush empties what waits for a message of the user, and returns where in it each system message is.
func (l *layout) flush() []Span {
	waiting := l.waiting
	l.inline, l.waiting = "", nil
	return waiting
}

// hoist puts a text at the end of the system prompt; spans are the parts of it that are of an entry.
func (l *layout) hoist(text string, spans ...Span) {
	if l.system != "" {
		l.system += joint
	}
	for _, s := range spans {
		l.spans = append(l.spans, Span{Entry: s.Entry, Message: -1, From: len(l.system) + s.From, To: len(l.system) + s.To})
	}
	l.system += text
}

// close puts what found no later message of the history at the end of the system prompt: the gap in
// front of the current message too, which stands as it was written.
func (b *builder) close(l *layout) {
	if text := strings.TrimSuffix(l.inline, joint); l.inline != "" {
		l.hoist(text, l.flush()...)
	}
	if l.gap.missing == 0 {
		return
	}
	text := b.gapText(l.gap)
	if l.system != "" {
		text = joint + text
	}
	l.added = append(l.added, b.added(l.gap, text, -1, len(l.system)))
	l.system += text
	l.gap = gap{}
}

// reach says that the texts added since the last message that somebody said stand in, or in front of,
// the one whose entry is at index at.
func (l *layout) reach(at int) {
	for ; l.placed < len(l.added); l.placed++ {
		// The system prompt stands in front of all messages.
		if a := &l.added[l.placed]; a.Before >= 0 {
			a.At = at
		}
	}
}
