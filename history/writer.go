package history

import (
	"slices"
	"strconv"
	"strings"

	"winnow/history/cause"
	"winnow/history/message"
)

// writer writes what was selected as the messages of a request. It changes nothing of the selection.
type writer struct {
	*selection
	system  string    // the system prompt, with what is put at its end
	list    []Message // without the system prompt
	added   []Added   // Before is an index into list, -1 for the system prompt
	spans   []Span    // Message is the same
	frame   int       // tokens that the chat format costs
	located int       // so many of the added texts know their entry

	lastUser       int    // the newest candidate of the user's that is written, -1 for none
	lastUserAt     int    // where it is in list
	inline         string // system messages on their way to the next message of the user
	waiting        []Span // of the system messages in inline, by the bytes of it
	openGap        gap    // the gap that is open
	summaryWritten bool
}

// gap is a run of messages that are not sent.
type gap struct {
	missing int
	summary bool // the summary stands in it
}

// write writes the request.
func (s *selection) write() *writer {
	w := &writer{selection: s, system: s.o.System, lastUser: -1}
	w.list = make([]Message, 0, s.cost.messages+len(s.turn.candidates)+1)
	for i := range s.candidates {
		w.writeCandidate(i)
	}
	w.closeHistory()
	w.writeTurn()
	w.locate(w.turnEntry(len(w.turn.entries)))
	if w.system != "" {
		w.frame += frameMessage
	}
	return w
}

// messages are the messages of the request, the system prompt first.
func (w *writer) messages() []Message {
	list := w.list
	if w.system != "" {
		list = slices.Insert(list, 0, Message{Role: System, Content: w.system})
	}
	if n := w.o.Profile.ToolIDLength; n > 0 {
		shortIDs(list, n)
	}
	return list
}

// writeCandidate writes one candidate of the history, or counts it to the open gap.
func (w *writer) writeCandidate(i int) {
	v, d := &w.candidates[i], w.detailInBody(i)
	if d == out {
		w.leaveOut(i)
		return
	}
	f := w.rendering(i, d)
	if v.Role == System {
		w.frame += frameJoint
		w.writeSystem(f.text, v.From)
		return
	}
	m := v.messageWith(f.text)
	m.Parts = f.parts
	if m.Role != User {
		w.lead(i)
	}
	added, front, waiting := len(w.added), 0, []Span(nil)
	if m.Role == User {
		m.Content, waiting = w.front()
		front = len(m.Content)
		m.Content += f.text
		w.lastUser = i
	}
	if v.StandIn {
		w.add(Added{Kind: AddedStandIn, To: len(f.text), Text: f.text, Tokens: f.tokens}, cause.NoResult)
	}
	at, from := w.put(m, v.Joins)
	if m.Role == User {
		w.lastUserAt = at
	}
	w.place(added, at, from)
	for _, s := range waiting {
		w.spans = append(w.spans, Span{Entry: s.Entry, Message: at, From: from + s.From, To: from + s.To})
	}
	if !v.StandIn {
		from += front
		own := Span{Entry: v.From, Message: at, From: from, To: from + len(f.text), Calls: v.CallsAsText}
		w.spans = append(w.spans, own)
		w.locate(v.From)
	}
}

// leaveOut counts a candidate to the open gap. What nobody said and what a narrowed request is not about leaves none.
func (w *writer) leaveOut(i int) {
	if v := &w.candidates[i]; v.Role == System || v.StandIn || w.o.Scope != nil {
		return
	}
	w.openGap.missing++
	if w.summarized && !w.summaryWritten && w.cause[i] == cause.Summarized {
		w.openGap.summary, w.summaryWritten = true, true
	}
}

// front is what stands in front of the next message of the user: the marker of the open gap and the system messages
// that wait, with the spans of these.
func (w *writer) front() (text string, waiting []Span) {
	if w.openGap.missing > 0 {
		text = w.gapText() + joint
		w.addGap(text, 0, 0)
	}
	for _, s := range w.waiting {
		s.From, s.To = s.From+len(text), s.To+len(text)
		waiting = append(waiting, s)
	}
	text += w.inline
	w.inline, w.waiting = "", nil
	return text, waiting
}

// lead closes the open gap in front of candidate i, which is not the user's, and sees to it that a message of the user
// leads to it. The marker stands at the end of the question, which is in the body too. An answer whose question cannot
// be sent follows a message of the marker alone.
func (w *writer) lead(i int) {
	missing := w.openGap.missing > 0
	q := w.questionOf(i)
	switch answers := q >= 0 && q == w.lastUser; {
	case answers && missing:
		text, m := joint+w.gapText(), &w.list[w.lastUserAt]
		w.addGap(text, w.lastUserAt, len(m.Content))
		m.Content += text
	case answers:
	case missing:
		text := w.gapText()
		at, from := w.put(Message{Role: User, Content: text}, false)
		w.addGap(text, at, from)
	case len(w.list) == 0:
		w.begin()
	}
}

// begin puts a message of the user in front of an answer that the request would begin with.
func (w *writer) begin() {
	w.add(Added{Kind: AddedStart, To: len(startText), Text: startText}, cause.BeginsAsUser)
	w.put(Message{Role: User, Content: startText}, false)
}

// add notes a text that nobody said, which costs its tokens.
func (w *writer) add(a Added, code cause.Code) {
	if a.Cause.Code = code; a.Tokens == 0 {
		a.Tokens = w.c.remembered(a.Text)
	}
	w.added = append(w.added, a)
}

// addGap notes the text that stands for the open gap in the message at an index, from a byte of its content on, and
// closes the gap.
func (w *writer) addGap(text string, at, from int) {
	a := Added{Kind: AddedMarker, Before: at, From: from, To: from + len(text), Text: text}
	if a.Cause.Want = w.openGap.missing; w.openGap.summary {
		a.Kind, a.Cause.Text = AddedSummary, w.summary.By
	}
	w.add(a, cause.Gap)
	w.openGap = gap{}
}

// place says in which message the texts are that were added to its content, from one of them on.
func (w *writer) place(added, at, from int) {
	for k := added; k < len(w.added); k++ {
		if a := &w.added[k]; a.Kind != AddedBridge {
			a.Before, a.From, a.To = at, a.From+from, a.To+from
		}
	}
}

// gapText is what stands for the open gap.
func (w *writer) gapText() string {
	if w.openGap.summary {
		return w.summaryText()
	}
	return w.marker(w.openGap.missing)
}

// marker stands for n messages that are not sent.
func (r *request) marker(n int) string {
	if r.o.Policy.MarkerDetail && !message.IsBlank(r.o.Policy.MarkerCounted) {
		return strings.ReplaceAll(r.o.Policy.MarkerCounted, "{n}", strconv.Itoa(n))
	}
	return r.o.Policy.Marker
}

// writeSystem takes a system message of the history to where the policy wants it.
func (w *writer) writeSystem(text string, entry int) {
	if w.o.Policy.MidSystem == Inline && len(w.list) > 0 {
		from := len(w.inline)
		w.waiting = append(w.waiting, Span{Entry: entry, From: from, To: from + len(text)})
		w.inline += text + joint
		return
	}
	w.hoist(text, Span{Entry: entry, To: len(text)})
}

// hoist puts a text at the end of the system prompt; spans are the parts of it that are of an entry.
func (w *writer) hoist(text string, spans ...Span) {
	if w.system != "" {
		w.system += joint
	}
	for _, s := range spans {
		from := len(w.system)
		w.spans = append(w.spans, Span{Entry: s.Entry, Message: -1, From: from + s.From, To: from + s.To})
	}
	w.system += text
}

// closeHistory puts what found no later message of the history at the end of the system prompt: the gap in front of the
// current message too, which stands as it was written.
func (w *writer) closeHistory() {
	if w.inline != "" {
		w.hoist(strings.TrimSuffix(w.inline, joint), w.waiting...)
		w.inline, w.waiting = "", nil
	}
	if w.openGap.missing == 0 {
		return
	}
	text := w.gapText()
	if w.system != "" {
		text = joint + text
	}
	w.addGap(text, -1, len(w.system))
	w.system += text
}

// locate sets the entry of the texts that were added since the last stored message: they are in the message whose entry
// is at an index, or in front of it. The system prompt stands in front of all messages.
func (w *writer) locate(entry int) {
	for ; w.located < len(w.added); w.located++ {
		if a := &w.added[w.located]; a.Before >= 0 {
			a.At = entry
		}
	}
}

// writeTurn writes the running turn, the current message first.
func (w *writer) writeTurn() {
	current := w.current()
	for i := range w.turn.candidates {
		v, f := &w.turn.candidates[i], w.turnRendering(i)
		entry := w.turnEntry(v.From)
		if w.turn.entries[v.From].ID == 0 {
			entry = -1 // a draft has none
		}
		if v.Role == System {
			w.frame += frameJoint
			w.hoist(f.text, Span{Entry: entry, To: len(f.text)})
			continue
		}
		if len(w.list) == 0 && v.Role != User {
			w.begin()
		}
		added, spans, m := len(w.added), len(w.spans), v.messageWith(f.text)
		if i == current && !w.inOrder() {
			w.recallInto(&m)
		}
		front := len(m.Content) - len(f.text)
		if v.StandIn {
			w.add(Added{Kind: AddedStandIn, To: len(f.text), Text: f.text, Tokens: f.tokens}, cause.NoResult)
		}
		at, from := w.put(m, v.Joins)
		w.place(added, at, from)
		for k := spans; k < len(w.spans); k++ {
			s := &w.spans[k]
			s.Message, s.From, s.To = at, s.From+from, s.To+from
		}
		if !v.StandIn {
			from += front
			own := Span{Entry: entry, Message: at, From: from, To: from + len(f.text), Calls: v.CallsAsText}
			w.spans = append(w.spans, own)
			w.locate(w.turnEntry(v.From))
		}
	}
}

// turnEntry is the index in the plan of the entry of a message of the running turn. Drafts have none.
func (w *writer) turnEntry(at int) int {
	n := len(w.history.entries)
	for _, e := range w.turn.entries[:at] {
		if e.ID != 0 {
			n++
		}
	}
	return n
}

// recallInto puts the block of recalled texts in front of the current message, and the images of the recalled messages
// in front of the current message's own.
func (w *writer) recallInto(m *Message) {
	block := w.recalledBlock()
	if block.text == "" {
		return
	}
	w.spans = append(w.spans, block.spans...)
	w.add(Added{Kind: AddedRecalled, To: len(block.text), Text: block.frame, Tokens: block.tokens}, cause.RecalledBlock)
	m.Content = block.text + joint + m.Content
	if len(block.images) > 0 {
		m.Parts = slices.Concat(block.images, m.Parts)
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

const (
	// joint stands between texts that share a message.
	joint = "\n\n"
	// startText stands in front of an answer that opens a conversation: a request begins with a user's message.
	startText = "[The conversation begins with an answer.]"
	// bridgeText stands between a tool result and a user's message, where the endpoint wants an answer there.
	bridgeText = "[no answer recorded]"
)

// put writes a message to the end of the body, or joins it to the last one where the endpoint wants the roles to
// alternate. It returns the index of the message that holds it and the byte that its text begins at there.
func (w *writer) put(m Message, joins bool) (at, from int) {
	m.Name = ""
	if m.Role != Assistant {
		m.ToolCalls = nil
	}
	if m.Role != Tool {
		m.ToolCallID = ""
	}
	w.frame += frameMessage
	if n := len(w.list); n > 0 {
		last := &w.list[n-1]
		if w.merges(last, &m, joins) {
			join(last, m)
			return n - 1, len(last.Content) - len(m.Content)
		}
		if w.o.Profile.NoToolToUser && last.Role == Tool && m.Role == User {
			w.add(Added{Kind: AddedBridge, Before: n, To: len(bridgeText), Text: bridgeText}, cause.Bridge)
			w.list = append(w.list, Message{Role: Assistant, Content: bridgeText})
			w.frame += frameMessage
		}
	}
	w.list = append(w.list, m)
	return len(w.list) - 1, 0
}

// merges says that a message is no message of its own behind last, but joined to it.
func (w *writer) merges(last, m *Message, joins bool) bool {
	alike := last.Role == m.Role && m.Role != Tool && len(last.ToolCalls) == 0
	return alike && (w.o.Profile.MergeSameRole || joins && m.Role == Assistant && len(m.ToolCalls) == 0)
}

// join puts a message behind the text of one of the same role. Calls stay with what came with them: the text in front
// of them becomes theirs.
func join(m *Message, next Message) {
	if len(next.ToolCalls) > 0 {
		m.ToolCalls, m.Reasoning, m.Origin, m.Replay = next.ToolCalls, next.Reasoning, next.Origin, next.Replay
	}
	if m.Content != "" && next.Content != "" {
		m.Content += joint
	}
	m.Content += next.Content
	m.Parts = slices.Concat(m.Parts, next.Parts)
	m.ID, m.Label, m.Tokens = 0, "", 0
}

// bridge is what a bridge may cost behind a candidate, 0 where none can be needed.
func (r *request) bridge(v *candidate) int {
	if !r.o.Profile.NoToolToUser || v.Role != Tool {
		return 0
	}
	return r.bridgeCost()
}

func (r *request) bridgeCost() int { return r.c.remembered(bridgeText) + frameMessage }
