package history

import (
	"strconv"
	"strings"

	"winnow/history/cause"
	"winnow/history/message"
)

// layout is the messages of a request while a renderer writes them.
type layout struct {
	system  string    // the system prompt, with what is put at its end
	list    []Message // behind a place for the system prompt
	added   []Added
	spans   []Span // those of the system prompt have the message -1
	frame   int    // tokens that the chat format costs
	reached int    // so many of the added texts stand in front of, or in, a message that is there

	lastUser       int    // the newest candidate of the user's that is in the body, -1 for none
	lastUserAt     int    // where it stands in the body
	inline         string // system messages on their way to the next message of the user
	waiting        []Span // of the system messages in inline, by the bytes of it
	openGap        gap    // the gap that is open
	summaryWritten bool   // the summary stands in the request
}

// len is how many messages the body has, message the one at an index of it.
func (l *layout) len() int               { return len(l.list) - 1 }
func (l *layout) message(i int) *Message { return &l.list[1+i] }

// gap is a run of messages that are not sent.
type gap struct {
	missing int
	summary bool // the summary stands in it
}

// renderer writes what a chooser chose: the messages of the request, and the verdict on each stored message. It
// changes nothing of the choice.
type renderer struct {
	*chooser
	layout
}

// lay writes what is chosen as messages.
func (b *chooser) lay() *renderer {
	r := &renderer{b, layout{system: b.o.System, lastUser: -1, list: make([]Message, 1, 1+b.cost.messages+len(b.turn.candidates))}}
	for i := range b.candidates {
		r.writeCandidate(i)
	}
	r.close()
	r.layTurn()
	r.reach(r.t.base.n + r.turn.base.stored(r.turn.base.n))
	if r.system != "" {
		r.frame += frameMessage
	}
	return r
}

// messages are the messages of the request, the system prompt first.
func (r *renderer) messages() []Message {
	list := r.list
	if r.system == "" {
		list = list[1:]
	} else {
		list[0] = Message{Role: System, Content: r.system}
	}
	if n := r.o.Profile.ToolIDLength; n > 0 {
		shortIDs(list, n)
	}
	return list
}

// writeCandidate writes one candidate into the request, or counts it to the open gap.
func (r *renderer) writeCandidate(i int) {
	v := &r.candidates[i]
	d := r.bodyDetailOf(i)
	if d == out {
		if v.role() != System && !v.standIn && r.o.Scope == nil {
			r.openGap.missing++
			if r.summarized && !r.summaryWritten && r.cause[i] == cause.Summarized {
				r.openGap.summary, r.summaryWritten = true, true
			}
		}
		return
	}
	said := r.t.full(i)
	f := r.rendering(i, d).of(&said)
	if said.Role == System {
		r.frame += frameJoint
		r.writeSystem(f.text, v.from)
		return
	}
	m := said.messageWith(f.text)
	m.Parts = f.parts
	before, marker, inline := len(r.added), 0, []Span(nil)
	if m.Role == User {
		m.Content = r.inline + m.Content
		inline = r.flush()
		if r.openGap.missing > 0 {
			text := r.gapText(r.openGap) + joint
			r.added = append(r.added, r.addedFor(r.openGap, text, 0, 0))
			m.Content = text + m.Content
			r.openGap, marker = gap{}, len(text)
		}
	} else {
		r.lead(i)
		before = len(r.added)
	}
	if v.standIn {
		r.added = append(r.added, Added{Kind: AddedStandIn, To: len(f.text), Text: f.text, Tokens: f.tokens, Cause: Cause{Code: cause.NoResult}})
	}
	at, from := r.put(m, v.joins)
	for k := before; k < len(r.added); k++ {
		if a := &r.added[k]; a.Kind != AddedBridge {
			a.Before, a.From, a.To = at, a.From+from, a.To+from
		}
	}
	for _, s := range inline {
		r.spans = append(r.spans, Span{Entry: s.Entry, Message: at, From: from + marker + s.From, To: from + marker + s.To})
	}
	if end := from + len(m.Content); !v.standIn {
		r.spans = append(r.spans, Span{Entry: v.from, Message: at, From: end - len(f.text), To: end, Calls: v.callsAsText})
	}
	if m.Role == User {
		r.lastUser, r.lastUserAt = i, at
	}
	if !v.standIn {
		r.reach(v.from)
	}
}

// lead closes the open gap in front of candidate i, which is not the user's, and sees to it that a message of
// the user leads to it. The marker stands at the end of the question, which is in the body too. An answer
// whose question cannot be sent follows a message of the marker alone.
func (r *renderer) lead(i int) {
	g := r.openGap
	r.openGap = gap{}
	if q := r.questionOf(i); q >= 0 && q == r.lastUser {
		if g.missing > 0 {
			text := joint + r.gapText(g)
			m := r.message(r.lastUserAt)
			r.added = append(r.added, r.addedFor(g, text, r.lastUserAt, len(m.Content)))
			m.Content += text
		}
		return
	}
	if g.missing > 0 {
		text := r.gapText(g)
		at, from := r.put(Message{Role: User, Content: text}, false)
		r.added = append(r.added, r.addedFor(g, text, at, from))
		return
	}
	if r.len() == 0 {
		r.begin()
	}
}

// begin puts a message of the user in front of an answer that the request would begin with.
func (r *renderer) begin() {
	r.added = append(r.added, Added{Kind: AddedStart, To: len(startText), Text: startText, Tokens: r.c.remembered(startText), Cause: Cause{Code: cause.BeginsAsUser}})
	r.put(Message{Role: User, Content: startText}, false)
}

// gapText is what stands for a gap.
func (r *renderer) gapText(g gap) string {
	if g.summary {
		return r.summaryText()
	}
	return r.marker(g.missing)
}

// addedFor is the text that stands for a gap in the message at an index, from a byte of its content on.
func (r *renderer) addedFor(g gap, text string, at, from int) Added {
	a := Added{Kind: AddedMarker, Before: at, From: from, To: from + len(text), Text: text, Tokens: r.c.remembered(text), Cause: Cause{Code: cause.Gap, Want: g.missing}}
	if g.summary {
		a.Kind, a.Cause.Text = AddedSummary, r.summary.By
	}
	return a
}

// writeSystem takes a system message of the history to where the policy wants it.
func (r *renderer) writeSystem(text string, entry int) {
	if r.o.Policy.MidSystem == Inline && r.len() > 0 {
		r.waiting = append(r.waiting, Span{Entry: entry, From: len(r.inline), To: len(r.inline) + len(text)})
		r.inline += text + joint
		return
	}
	r.hoist(text, Span{Entry: entry, To: len(text)})
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
func (r *renderer) close() {
	if text := strings.TrimSuffix(r.inline, joint); r.inline != "" {
		r.hoist(text, r.flush()...)
	}
	if r.openGap.missing == 0 {
		return
	}
	text := r.gapText(r.openGap)
	if r.system != "" {
		text = joint + text
	}
	r.added = append(r.added, r.addedFor(r.openGap, text, -1, len(r.system)))
	r.system += text
	r.openGap = gap{}
}

// reach sets the entry of the texts that were added since the last stored message: they are in the message whose entry
// is at index at, or in front of it.
func (l *layout) reach(at int) {
	for ; l.reached < len(l.added); l.reached++ {
		// The system prompt stands in front of all messages.
		if a := &l.added[l.reached]; a.Before >= 0 {
			a.At = at
		}
	}
}

// AddedKind is what an added text is.
type AddedKind string

// The kinds of text that nobody said.
const (
	AddedMarker   AddedKind = "marker"          // it stands for messages that are not sent
	AddedStart    AddedKind = "start"           // it stands in front of an answer that opens a request
	AddedStandIn  AddedKind = "stand-in result" // it is the result of a call that has none
	AddedBridge   AddedKind = "bridge"          // it is an answer between a tool result and a message of the user
	AddedSummary  AddedKind = "summary"         // it stands for messages that a model condensed
	AddedRecalled AddedKind = "recalled frame"  // it is the frame of the recalled texts
)

// joint stands between texts that share a message.
const joint = "\n\n"

// startText stands in front of an answer that opens a conversation: a request begins with a user's
// message.
const startText = "[The conversation begins with an answer.]"

// marker stands for n messages that are not sent.
func (b *chooser) marker(n int) string {
	if b.o.Policy.MarkerDetail && !message.IsBlank(b.o.Policy.MarkerCounted) {
		return strings.ReplaceAll(b.o.Policy.MarkerCounted, "{n}", strconv.Itoa(n))
	}
	return b.o.Policy.Marker
}

// markerCost is the most that one marker can cost wherever it stands. It is reserved before a choice
// is made, so that the choice does not depend on where the gaps will be.
func (b *chooser) markerCost() int {
	text := b.marker(max(1, len(b.candidates)))
	return max(b.c.remembered(text+joint), b.c.remembered(joint+text))
}
