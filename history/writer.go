package history

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"winnow/history/cause"
	"winnow/history/message"
)

// AddedKind is what an added text is.
type AddedKind string

// The kinds of text that nobody said.
const (
	AddedMarker      AddedKind = "marker"          // it stands for messages that are not sent
	AddedStart       AddedKind = "start"           // it stands in front of an answer that opens a request
	AddedPlaceholder AddedKind = "stand-in result" // it is the result of a call that has none
	AddedBridge      AddedKind = "bridge"          // it is an answer between a tool result and a message of the user
	AddedSummary     AddedKind = "summary"         // it stands for messages that a model condensed
	AddedRecalled    AddedKind = "recalled frame"  // it is the frame of the recalled texts
)

const (
	// joint stands between texts that share a message.
	separator = "\n\n"
	// startText stands in front of an answer that opens a conversation: a request begins with a user's message.
	startText = "[The conversation begins with an answer.]"
	// bridgeText stands between a tool result and a user's message, where the endpoint wants an answer there.
	bridgeText = "[no answer recorded]"
)

// writer writes what was selected as the messages of a request. It changes nothing of the selection.
type writer struct {
	*selection
	messages []Message // the system prompt first, which has no text where there is none
	added    []AddedText
	spans    []EntrySpan
	frame    int // tokens that the chat format costs

	separate   bool // the next text stands apart from what its message already says
	placed     int  // so many of the added texts know their entry
	lastUser   int  // the newest candidate of the user's that is written, -1 for none
	lastUserAt int  // its message
	omitted    int  // messages that are not sent, since the last one that is
	condensed  bool // the summary stands for some of them
}

// written is the request as it is selected.
func (s *selection) written() *writer {
	w := &writer{selection: s, lastUser: -1}
	w.messages = append(make([]Message, 0, s.cost.messages+len(s.turn.candidates)+2), Message{
		Role: System, Content: s.o.System,
	})
	for i := range s.candidates {
		w.writeCandidate(i)
	}
	w.closeHistory()
	w.writeTurn()
	w.placeAdded(w.turnEntry(len(w.turn.entries)))
	w.finish()
	return w
}

// finish takes an empty system prompt off, and gives calls the ids that the endpoint takes.
func (w *writer) finish() {
	system := 1
	if w.messages[0].Content == "" {
		system = 0
	}
	w.messages = w.messages[1-system:]
	w.frame += system * frameMessage
	for k := range w.added {
		a := &w.added[k]
		if a.Before == 0 {
			a.At = 0 // in front of all entries
		}
		a.Before += system - 1
	}
	for k := range w.spans {
		w.spans[k].Message += system - 1
	}
	if n := w.o.Profile.ToolIDLength; n > 0 {
		shortIDs(w.messages, n)
	}
	slices.SortStableFunc(w.spans, func(a, b EntrySpan) int { return cmp.Or(a.Message-b.Message, a.From-b.From) })
}

// writeCandidate writes one candidate of the history, or counts it to the open gap.
func (w *writer) writeCandidate(i int) {
	v := &w.candidates[i]
	f := w.rendering(i, w.chosen[i].body)
	switch {
	case !w.inBody(i):
		w.leaveOut(i)
	case v.Role == System:
		w.moveToSystem(v, f, v.From)
	case v.Role == User:
		w.lastUser, w.lastUserAt = i, w.openMessage(v.messageWith(f), v.JoinsPrevious)
		w.closeGap(w.lastUserAt, "", separator)
		w.writeText(w.lastUserAt, v, f, v.From)
		w.placeAdded(v.From)
	default:
		w.leadIn(i)
		w.writeText(w.openMessage(v.messageWith(f), v.JoinsPrevious), v, f, v.From)
		if !v.Placeholder {
			w.placeAdded(v.From)
		}
	}
}

// leaveOut counts a candidate as part of the open gap. Stand-ins and system messages leave no gap, and neither does
// anything in a request with a Scope.
func (w *writer) leaveOut(i int) {
	if v := &w.candidates[i]; v.Role == System || v.Placeholder || w.o.Scope != nil {
		return
	}
	w.omitted++
	w.condensed = w.condensed || w.chosen[i].cause == cause.Summarized
}

// lead closes the open gap in front of candidate i, which is not the user's, and sees to it that a message of the user
// leads to it. The marker stands at the end of the question, which is in the body too. An answer whose question cannot
// be sent follows a message of the marker alone.
func (w *writer) leadIn(i int) {
	q := w.questionOf(i)
	switch {
	case q >= 0 && q == w.lastUser:
		w.closeGap(w.lastUserAt, separator, "")
	case w.omitted > 0:
		w.closeGap(w.openMessage(Message{Role: User}, false), "", "")
	default:
		w.writeStart()
	}
}

// begin puts a message of the user in front of an answer that the request would begin with.
func (w *writer) writeStart() {
	if len(w.messages) == 1 {
		start := AddedText{Kind: AddedStart, Text: startText, Cause: Cause{Code: cause.BeginsAsUser}}
		w.addText(w.openMessage(Message{Role: User}, false), start)
	}
}

// closeGap writes into a message what stands for the open gap, with what is in front of it and behind it, nothing where
// no gap is open.
func (w *writer) closeGap(at int, front, behind string) {
	if w.omitted == 0 {
		return
	}
	a := AddedText{Kind: AddedMarker, Text: w.marker(w.omitted), Cause: Cause{Code: cause.Gap, Want: w.omitted}}
	if w.condensed && !(Plan{Added: w.added}).HasSummary() {
		a.Kind, a.Text, a.Cause.Text = AddedSummary, w.summaryText(), w.summary.By
	}
	a.Text = front + a.Text + behind
	w.omitted, w.condensed = 0, false
	w.addText(at, a)
}

// marker stands for n messages that are not sent.
func (s *selection) marker(n int) string {
	p := &s.o.Policy
	if p.MarkerDetail && !message.IsBlank(p.MarkerCounted) {
		return strings.ReplaceAll(p.MarkerCounted, "{n}", strconv.Itoa(n))
	}
	return p.Marker
}

// hoist writes a system message to the end of the system prompt.
func (w *writer) moveToSystem(v *candidate, f rendering, entry int) {
	w.frame += frameJoint
	w.separate = true
	w.writeText(0, v, f, entry)
}

// closeHistory puts the marker of a gap in front of the current message at the end of the system prompt: the current
// message stands as it was written.
func (w *writer) closeHistory() {
	front := ""
	if w.messages[0].Content != "" {
		front = separator
	}
	w.closeGap(0, front, "")
}

// writeTurn writes the running turn, the current message first.
func (w *writer) writeTurn() {
	current := w.current()
	for i, f := range w.turnSent {
		v := &w.turn.candidates[i]
		entry := w.turnEntry(v.From)
		shown := entry
		if w.turn.entries[v.From].ID == 0 {
			shown = -1 // a draft has none
		}
		if v.Role == System {
			w.moveToSystem(v, f, shown)
			continue
		}
		if v.Role != User {
			w.writeStart()
		}
		var block recalledBlock
		if i == current {
			block = w.recalledTexts()
			f.parts = slices.Concat(block.images, f.parts)
		}
		at := w.openMessage(v.messageWith(f), v.JoinsPrevious)
		w.writeRecalled(at, block)
		w.writeText(at, v, f, shown)
		if !v.Placeholder {
			w.placeAdded(entry)
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

// quote writes the block of recalled texts into a message.
func (w *writer) writeRecalled(at int, b recalledBlock) {
	if b.text == "" {
		return
	}
	from := w.appendText(at, b.text)
	for _, s := range b.spans {
		s.Message, s.From, s.To = at, from+s.From, from+s.To
		w.spans = append(w.spans, s)
	}
	w.added = append(w.added, AddedText{
		Kind: AddedRecalled, Before: at, From: from, To: from + len(b.text), Text: b.frame, Tokens: b.tokens,
		Cause: Cause{Code: cause.RecalledBlock},
	})
	w.appendText(at, separator)
}

// say writes the text of a candidate to the end of a message, with the span of its entry, -1 for a draft. A stand-in
// for a missing result has no entry: it is added as a text that nobody said.
func (w *writer) writeText(at int, v *candidate, f rendering, entry int) {
	if v.Placeholder {
		w.addText(at, AddedText{Kind: AddedPlaceholder, Text: f.text, Tokens: f.tokens, Cause: Cause{Code: cause.NoResult}})
		return
	}
	from := w.appendText(at, f.text)
	w.spans = append(w.spans, EntrySpan{
		Entry: entry, Message: at, From: from, To: from + len(f.text), Calls: v.CallsAsText,
	})
	w.separate = false
}

// add writes a text that nobody said into a message.
func (w *writer) addText(at int, a AddedText) {
	if a.Tokens == 0 {
		a.Tokens = w.c.countCached(a.Text)
	}
	a.Before, a.From = at, w.appendText(at, a.Text)
	a.To = a.From + len(a.Text)
	w.added = append(w.added, a)
}

// put writes a text to the end of a message, and returns where it begins.
func (w *writer) appendText(at int, text string) int {
	m := &w.messages[at]
	if text != "" {
		if w.separate && m.Content != "" {
			m.Content += separator
		}
		w.separate = false
	}
	m.Content += text
	return len(m.Content) - len(text)
}

// locate sets the entry of the texts that were added since the last stored message: they are in the message whose entry
// is at an index, or in front of it.
func (w *writer) placeAdded(entry int) {
	for ; w.placed < len(w.added); w.placed++ {
		w.added[w.placed].At = entry
	}
}

// open begins a message at the end of the body, or joins it to the last one where the endpoint wants the roles to
// alternate. It returns the index of the message that holds it. Its text is written later.
func (w *writer) openMessage(m Message, joins bool) int {
	m.Name, m.Content = "", ""
	if m.Role != Assistant {
		m.ToolCalls = nil
	}
	if m.Role != Tool {
		m.ToolCallID = ""
	}
	w.frame += frameMessage
	last := &w.messages[len(w.messages)-1]
	w.separate = w.merges(last, &m, joins)
	if w.separate {
		join(last, m)
		return len(w.messages) - 1
	}
	if w.o.Profile.NoToolToUser && last.Role == Tool && m.Role == User {
		w.frame += frameMessage
		w.messages = append(w.messages, Message{Role: Assistant})
		w.addText(len(w.messages)-1, AddedText{Kind: AddedBridge, Text: bridgeText, Cause: Cause{Code: cause.Bridge}})
	}
	w.messages = append(w.messages, m)
	return len(w.messages) - 1
}

// merges says that a message is no message of its own behind last, but joined to it.
func (w *writer) merges(last, m *Message, joins bool) bool {
	alike := last.Role == m.Role && m.Role != Tool && len(last.ToolCalls) == 0
	return alike && (w.o.Profile.MergeSameRole || joins && m.Role == Assistant && len(m.ToolCalls) == 0)
}

// join puts a message behind one of the same role. Calls stay with what came with them: the text in front of them
// becomes theirs.
func join(last *Message, next Message) {
	if len(next.ToolCalls) > 0 {
		last.ToolCalls, last.Origin = next.ToolCalls, next.Origin
		last.Reasoning, last.Replay = next.Reasoning, next.Replay
	}
	last.Parts = slices.Concat(last.Parts, next.Parts)
	last.ID, last.Label, last.Tokens = 0, "", 0
}

// bridge is what a bridge may cost behind a candidate, 0 where none can be needed.
func (s *selection) bridge(v *candidate) int {
	if !s.o.Profile.NoToolToUser || v.Role != Tool {
		return 0
	}
	return s.bridgeCost()
}

func (s *selection) bridgeCost() int { return s.c.countCached(bridgeText) + frameMessage }
