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

// writer writes what was selected as the messages of a request. It changes nothing of the selection.
type writer struct {
	*selection
	system []piece   // of the system prompt
	list   []written // the other messages
	added  []Added   // their places are known when all is written
	spans  []Span    // the same
	single []piece   // of the messages that have one piece
	frame  int       // tokens that the chat format costs

	located        int     // so many of the added texts know their entry
	lastUser       int     // the newest candidate of the user's that is written, -1 for none
	lastUserAt     int     // where it is in list
	inline         []piece // system messages on their way to the next message of the user
	missing        int     // messages that are not sent, since the last one that is
	gapSummary     bool    // the summary stands for some of them
	summaryWritten bool
}

// written is a message of the request, whose content is made of pieces.
type written struct {
	Message
	pieces []piece
}

// piece is a part of the content of a message.
type piece struct {
	text     string
	from, to int // the spans in it, by their index; their places count from its beginning
	added    int // 1 for the first of the added texts, 0 for a text that somebody said
}

// write writes the request.
func (s *selection) write() *writer {
	w := &writer{selection: s, lastUser: -1}
	n := s.cost.messages + len(s.turn.candidates) + 1
	w.list, w.single, w.spans = make([]written, 0, n), make([]piece, 0, n), make([]Span, 0, n)
	if s.o.System != "" {
		w.system = []piece{{text: s.o.System}}
	}
	for i := range s.candidates {
		w.writeCandidate(i)
	}
	w.closeHistory()
	w.writeTurn()
	w.locate(w.turnEntry(len(w.turn.entries)))
	return w
}

// finish puts the pieces of the messages together, the system prompt first, and sets the places of all that is in them.
func (w *writer) finish() []Message {
	list := w.list
	if len(w.system) > 0 {
		w.frame += frameMessage
		list = slices.Insert(list, 0, written{Message{Role: System}, w.system})
	}
	messages := make([]Message, len(list))
	for n, one := range list {
		at := 0
		for _, p := range one.pieces {
			for k := p.from; k < p.to; k++ {
				s := &w.spans[k]
				s.Message, s.From, s.To = n, at+s.From, at+s.To
			}
			if p.added > 0 {
				a := &w.added[p.added-1]
				if a.Before, a.From, a.To = n, at, at+len(p.text); one.Role == System {
					a.At = 0 // in front of all entries
				}
			}
			at += len(p.text)
		}
		messages[n] = one.Message
		messages[n].Content = contentOf(one.pieces)
	}
	if n := w.o.Profile.ToolIDLength; n > 0 {
		shortIDs(messages, n)
	}
	slices.SortStableFunc(w.spans, func(a, b Span) int { return cmp.Or(a.Message-b.Message, a.From-b.From) })
	return messages
}

// contentOf is the text of pieces.
func contentOf(pieces []piece) string {
	if len(pieces) == 1 {
		return pieces[0].text
	}
	var text strings.Builder
	for _, p := range pieces {
		text.WriteString(p.text)
	}
	return text.String()
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
		if w.o.Policy.MidSystem == Inline && len(w.list) > 0 {
			w.inline = append(w.inline, w.textOf(v, f, v.From), piece{text: joint})
			return
		}
		w.hoist(w.textOf(v, f, v.From))
		return
	}
	if v.Role != User {
		w.lead(i)
		w.writeMessage(v, f, v.From, w.alone(w.textOf(v, f, v.From)))
		return
	}
	front := append(w.closeGap("", joint), w.inline...)
	w.inline = nil
	text := w.alone(w.textOf(v, f, v.From))
	if len(front) > 0 {
		text = append(front, text...)
	}
	w.lastUser, w.lastUserAt = i, w.writeMessage(v, f, v.From, text)
}

// leaveOut counts a candidate to the open gap. What nobody said and what a narrowed request is not about leaves none.
func (w *writer) leaveOut(i int) {
	if v := &w.candidates[i]; v.Role == System || v.StandIn || w.o.Scope != nil {
		return
	}
	w.missing++
	if w.summarized && !w.summaryWritten && w.cause[i] == cause.Summarized {
		w.gapSummary, w.summaryWritten = true, true
	}
}

// lead closes the open gap in front of candidate i, which is not the user's, and sees to it that a message of the user
// leads to it. The marker stands at the end of the question, which is in the body too. An answer whose question cannot
// be sent follows a message of the marker alone.
func (w *writer) lead(i int) {
	q := w.questionOf(i)
	switch {
	case q >= 0 && q == w.lastUser:
		m := &w.list[w.lastUserAt]
		m.pieces = append(m.pieces, w.closeGap(joint, "")...)
	case w.missing > 0:
		w.put(Message{Role: User}, false, w.closeGap("", ""))
	case len(w.list) == 0:
		w.begin()
	}
}

// begin puts a message of the user in front of an answer that the request would begin with.
func (w *writer) begin() {
	w.put(Message{Role: User}, false, []piece{
		w.add(Added{Kind: AddedStart, Text: startText, Cause: Cause{Code: cause.BeginsAsUser}}),
	})
}

// add is a piece that nobody said, which costs its tokens.
func (w *writer) add(a Added) piece {
	if a.Tokens == 0 {
		a.Tokens = w.c.remembered(a.Text)
	}
	w.added = append(w.added, a)
	return piece{text: a.Text, added: len(w.added)}
}

// said is a piece that holds the texts of entries.
func (w *writer) said(text string, spans ...Span) piece {
	from := len(w.spans)
	w.spans = append(w.spans, spans...)
	return piece{text: text, from: from, to: len(w.spans)}
}

// alone is a list of one piece. Most messages are one: their pieces share an allocation.
func (w *writer) alone(p piece) []piece {
	w.single = append(w.single, p)
	n := len(w.single)
	return w.single[n-1 : n : n]
}

// closeGap is what stands for the open gap, with what is in front of it and behind it, none where no gap is open.
func (w *writer) closeGap(front, behind string) []piece {
	if w.missing == 0 {
		return nil
	}
	a := Added{Kind: AddedMarker, Text: w.marker(w.missing), Cause: Cause{Code: cause.Gap, Want: w.missing}}
	if w.gapSummary {
		a.Kind, a.Text, a.Cause.Text = AddedSummary, w.summaryText(), w.summary.By
	}
	a.Text = front + a.Text + behind
	w.missing, w.gapSummary = 0, false
	return []piece{w.add(a)}
}

// marker stands for n messages that are not sent.
func (r *request) marker(n int) string {
	if r.o.Policy.MarkerDetail && !message.IsBlank(r.o.Policy.MarkerCounted) {
		return strings.ReplaceAll(r.o.Policy.MarkerCounted, "{n}", strconv.Itoa(n))
	}
	return r.o.Policy.Marker
}

// hoist puts pieces at the end of the system prompt.
func (w *writer) hoist(pieces ...piece) {
	if len(w.system) > 0 {
		w.system = append(w.system, piece{text: joint})
	}
	w.system = append(w.system, pieces...)
}

// closeHistory puts what found no later message of the history at the end of the system prompt: the gap in front of the
// current message too, which stands as it was written.
func (w *writer) closeHistory() {
	if n := len(w.inline); n > 0 {
		w.hoist(w.inline[:n-1]...)
	}
	front := ""
	if len(w.system) > 0 {
		front = joint
	}
	w.system = append(w.system, w.closeGap(front, "")...)
}

// writeTurn writes the running turn, the current message first.
func (w *writer) writeTurn() {
	current := w.current()
	for i := range w.turn.candidates {
		v, f := &w.turn.candidates[i], w.turnRendering(i)
		entry := w.turnEntry(v.From)
		shown := entry
		if w.turn.entries[v.From].ID == 0 {
			shown = -1 // a draft has none
		}
		if v.Role == System {
			w.frame += frameJoint
			w.hoist(w.textOf(v, f, shown))
			continue
		}
		if len(w.list) == 0 && v.Role != User {
			w.begin()
		}
		var front []piece
		if i == current && !w.inOrder() {
			block, images := w.recalledBlock()
			front, f.parts = block, slices.Concat(images, f.parts)
		}
		w.writeMessage(v, f, entry, append(front, w.textOf(v, f, shown)))
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

// textOf is the text of a candidate, which is that of an entry or nobody's.
func (w *writer) textOf(v *candidate, f rendering, entry int) piece {
	if v.StandIn {
		return w.add(Added{Kind: AddedStandIn, Text: f.text, Tokens: f.tokens, Cause: Cause{Code: cause.NoResult}})
	}
	return w.said(f.text, Span{Entry: entry, To: len(f.text), Calls: v.CallsAsText})
}

// writeMessage writes a candidate as a message of these pieces and returns the index of the message that holds it.
func (w *writer) writeMessage(v *candidate, f rendering, entry int, pieces []piece) int {
	at := w.put(v.messageWith(f), v.Joins, pieces)
	if !v.StandIn {
		w.locate(entry)
	}
	return at
}

// locate sets the entry of the texts that were added since the last stored message: they are in the message whose entry
// is at an index, or in front of it.
func (w *writer) locate(entry int) {
	for ; w.located < len(w.added); w.located++ {
		w.added[w.located].At = entry
	}
}

// put writes a message to the end of the body, or joins it to the last one where the endpoint wants the roles to
// alternate. It returns the index of the message that holds it.
func (w *writer) put(m Message, joins bool, pieces []piece) int {
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
		if w.merges(&last.Message, &m, joins) {
			last.join(m, pieces)
			return n - 1
		}
		if w.o.Profile.NoToolToUser && last.Role == Tool && m.Role == User {
			bridge := w.add(Added{Kind: AddedBridge, Text: bridgeText, Cause: Cause{Code: cause.Bridge}})
			w.list = append(w.list, written{Message{Role: Assistant}, []piece{bridge}})
			w.frame += frameMessage
		}
	}
	w.list = append(w.list, written{m, pieces})
	return len(w.list) - 1
}

// merges says that a message is no message of its own behind last, but joined to it.
func (w *writer) merges(last, m *Message, joins bool) bool {
	alike := last.Role == m.Role && m.Role != Tool && len(last.ToolCalls) == 0
	return alike && (w.o.Profile.MergeSameRole || joins && m.Role == Assistant && len(m.ToolCalls) == 0)
}

// join puts a message behind the text of one of the same role. Calls stay with what came with them: the text in front
// of them becomes theirs.
func (m *written) join(next Message, pieces []piece) {
	if len(next.ToolCalls) > 0 {
		m.ToolCalls, m.Reasoning, m.Origin, m.Replay = next.ToolCalls, next.Reasoning, next.Origin, next.Replay
	}
	hasText := func(p piece) bool { return p.text != "" }
	if slices.ContainsFunc(m.pieces, hasText) && slices.ContainsFunc(pieces, hasText) {
		m.pieces = append(m.pieces, piece{text: joint})
	}
	m.pieces = append(m.pieces, pieces...)
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
