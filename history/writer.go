package history

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"winnow/history/cause"
	"winnow/history/message"
)

// AddedKind is the kind of an AddedText.
type AddedKind string

// The kinds of an AddedText.
const (
	AddedMarker      AddedKind = "marker"          // replaces messages that are not sent
	AddedStart       AddedKind = "start"           // comes before an answer at the start of the request
	AddedPlaceholder AddedKind = "stand-in result" // the result of a call without one
	AddedBridge      AddedKind = "bridge"          // an answer between a tool result and a user message
	AddedSummary     AddedKind = "summary"         // replaces messages that a model summarized
	AddedRecalled    AddedKind = "recalled frame"  // the frame of the recalled texts
)

const (
	// separator is written between texts that share a message.
	separator = "\n\n"
	// startText is the user message before an answer that opens a conversation: requests must begin with one.
	startText = "[The conversation begins with an answer.]"
	// bridgeText is the answer between a tool result and a user message, for endpoints that require one.
	bridgeText = "[no answer recorded]"
)

// writer writes the selected texts as the messages of a request. It does not change the selection.
type writer struct {
	*selection
	messages []Message // the system prompt first, even if empty
	added    []AddedText
	spans    []EntrySpan
	frame    int // tokens of the chat format

	separate   bool // the next text needs a separator from the text before it
	positioned int  // how many of added have their At set
	lastUser   int  // the last candidate of the user that was written, -1 for none
	lastUserAt int  // the index of its message
	omitted    int  // messages left out since the last one that was written
	condensed  bool // the summary covers some of them
}

// written writes the request.
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
	w.setPositions(w.turnEntry(len(w.turn.entries)))
	w.finish()
	return w
}

// finish removes an empty system prompt, and gives calls ids that the endpoint accepts.
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
			a.At = 0 // before all entries
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

// writeCandidate writes one candidate of the history, or adds it to the open gap.
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
		w.setPositions(v.From)
	default:
		w.leadIn(i)
		w.writeText(w.openMessage(v.messageWith(f), v.JoinsPrevious), v, f, v.From)
		if !v.Placeholder {
			w.setPositions(v.From)
		}
	}
}

// leaveOut adds a candidate to the open gap. Placeholders and system messages leave no gap, and neither does any
// message of a request with a Scope.
func (w *writer) leaveOut(i int) {
	if v := &w.candidates[i]; v.Role == System || v.Placeholder || w.o.Scope != nil {
		return
	}
	w.omitted++
	w.condensed = w.condensed || w.chosen[i].cause == cause.Summarized
}

// leadIn closes the open gap before candidate i, which is not the user's, and ensures that a user message precedes it.
// The marker goes to the end of the question, which is always in the body. If the question cannot be sent, the marker
// becomes a user message of its own.
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

// writeStart adds a user message if the request would otherwise begin with an answer.
func (w *writer) writeStart() {
	if len(w.messages) == 1 {
		start := AddedText{Kind: AddedStart, Text: startText, Cause: Cause{Code: cause.BeginsAsUser}}
		w.add(w.openMessage(Message{Role: User}, false), start)
	}
}

// closeGap writes the marker or the summary for the open gap into a message, with the given text before and after it.
// It does nothing if no gap is open.
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
	w.add(at, a)
}

// marker returns the text that replaces n messages.
func (s *selection) marker(n int) string {
	p := &s.o.Policy
	if p.MarkerDetail && !message.IsBlank(p.MarkerCounted) {
		return strings.ReplaceAll(p.MarkerCounted, "{n}", strconv.Itoa(n))
	}
	return p.Marker
}

// moveToSystem appends a system message to the system prompt.
func (w *writer) moveToSystem(v *candidate, f rendering, entry int) {
	w.frame += frameJoint
	w.separate = true
	w.writeText(0, v, f, entry)
}

// closeHistory writes the marker of a gap before the current message to the end of the system prompt, so that the
// current message stays as the user wrote it.
func (w *writer) closeHistory() {
	front := ""
	if w.messages[0].Content != "" {
		front = separator
	}
	w.closeGap(0, front, "")
}

// writeTurn writes the running turn.
func (w *writer) writeTurn() {
	current := w.current()
	for i, f := range w.turnSent {
		v := &w.turn.candidates[i]
		entry := w.turnEntry(v.From)
		shown := entry
		if w.turn.entries[v.From].ID == 0 {
			shown = -1 // drafts have no entry
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
			w.setPositions(entry)
		}
	}
}

// turnEntry returns the index into Plan.Entries for a message of the running turn. Drafts have no entry.
func (w *writer) turnEntry(at int) int {
	n := len(w.history.entries)
	for _, e := range w.turn.entries[:at] {
		if e.ID != 0 {
			n++
		}
	}
	return n
}

// writeRecalled writes the block of recalled texts into a message.
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

// writeText appends the text of a candidate to a message and records its span; entry is -1 for a draft. Placeholder
// results have no entry and count as added text.
func (w *writer) writeText(at int, v *candidate, f rendering, entry int) {
	if v.Placeholder {
		w.add(at, AddedText{Kind: AddedPlaceholder, Text: f.text, Tokens: f.tokens, Cause: Cause{Code: cause.NoResult}})
		return
	}
	from := w.appendText(at, f.text)
	w.spans = append(w.spans, EntrySpan{
		Entry: entry, Message: at, From: from, To: from + len(f.text), Calls: v.CallsAsText,
	})
	w.separate = false
}

// add appends an added text to a message.
func (w *writer) add(at int, a AddedText) {
	if a.Tokens == 0 {
		a.Tokens = w.c.countCached(a.Text)
	}
	a.Before, a.From = at, w.appendText(at, a.Text)
	a.To = a.From + len(a.Text)
	w.added = append(w.added, a)
}

// appendText appends a text to a message and returns the byte offset where it begins.
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

// setPositions sets At of the texts that were added since the last stored message.
func (w *writer) setPositions(entry int) {
	for ; w.positioned < len(w.added); w.positioned++ {
		w.added[w.positioned].At = entry
	}
}

// openMessage begins a message, or merges it with the last one if the endpoint requires alternating roles. It returns
// the index of the message. Its text is appended later.
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
		w.add(len(w.messages)-1, AddedText{Kind: AddedBridge, Text: bridgeText, Cause: Cause{Code: cause.Bridge}})
	}
	w.messages = append(w.messages, m)
	return len(w.messages) - 1
}

// merges reports whether a message is merged with the last one.
func (w *writer) merges(last, m *Message, joins bool) bool {
	alike := last.Role == m.Role && m.Role != Tool && len(last.ToolCalls) == 0
	return alike && (w.o.Profile.MergeSameRole || joins && m.Role == Assistant && len(m.ToolCalls) == 0)
}

// join merges a message with the last one, which has the same role. Tool calls bring their reasoning and keys.
func join(last *Message, next Message) {
	if len(next.ToolCalls) > 0 {
		last.ToolCalls, last.Origin = next.ToolCalls, next.Origin
		last.Reasoning, last.Replay = next.Reasoning, next.Replay
	}
	last.Parts = slices.Concat(last.Parts, next.Parts)
	last.ID, last.Label, last.Tokens = 0, "", 0
}

// bridge returns the highest cost of a bridge after a candidate, 0 if none can be needed.
func (s *selection) bridge(v *candidate) int {
	if !s.o.Profile.NoToolToUser || v.Role != Tool {
		return 0
	}
	return s.bridgeCost()
}

func (s *selection) bridgeCost() int { return s.c.countCached(bridgeText) + frameMessage }
