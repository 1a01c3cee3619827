package ui

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/inspector"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// textPage is the text of a message or of what was added, with what the model gets of it.
func (m *Model) textPage() inspector.Page {
	on, r := m.inspector.on, m.panel.Shown()
	if on.added > 0 {
		return addedPage(r, r.Rows.Added[on.added-1])
	}
	return m.messagePage(r, on.message)
}

// messagePage is a message with its verdict: what of it the model gets, what it does not get, and what
// stands in its place.
func (m *Model) messagePage(r *panel.Request, id int64) inspector.Page {
	var p inspector.Page
	stored, known := m.storedMessage(id)
	e, judged := entryOf(r.Plan, id)
	switch {
	case judged:
		verdictLines(r, &p, e)
	case r.Ready:
		p.Line(inspector.Warning, "This request has no such message: it was said later, or on another branch.")
	default:
		p.Line(inspector.Quiet, "No plan speaks of this message yet.")
	}
	if stored.Label != "" {
		p.Line(inspector.Quiet, "its id in the file that it was imported from: %s", theme.OneLine(stored.Label))
	}
	if !known || stored.Content != "" || stored.Damaged {
		p.Add(inspector.Quiet, "\n")
	}
	switch {
	case !known:
		p.Line(inspector.Quiet, "The text is not in memory.")
		return p
	case stored.Damaged:
		p.Line(inspector.Warning, "This message is damaged. What can be read of it is not as it was stored, and is never sent:")
		p.Block(inspector.Quiet, stored.Remains)
	case stored.Content == "" && len(stored.ToolCalls)+len(stored.Parts) == 0:
		p.Add(inspector.Quiet, "\n")
		p.Line(inspector.Quiet, "There is no text.")
	case stored.Content == "":
	case !judged:
		p.Block(inspector.Said, stored.Content)
	default:
		p = append(p, inspector.SegmentsOf(stored.Content, e)...)
		p.Add(inspector.Quiet, "\n")
	}
	beside(&p, r, stored, e)
	return p
}

// verdictLines say what became of a message, why, and what it costs.
func verdictLines(r *panel.Request, p *inspector.Page, e history.Entry) {
	p.Line(inspector.Title, "%s %s", theme.Glyph(e), saying(e))
	p.Line(inspector.Quiet, "sent %s of %s characters · %s of %s tokens",
		theme.Thousands(e.CharsAfter), theme.Thousands(e.CharsBefore), r.Counted(e.TokensAfter), r.Counted(e.TokensBefore))
	for _, repair := range e.Repairs {
		p.Line(inspector.Warning, "⚠ %s %s", repair.Kind, theme.OneSentence(repair.What))
	}
	proofLine(r, p)
}

// saying is the verdict with its reason, which often names it.
func saying(e history.Entry) string {
	reason, verdict := theme.OneSentence(e.Cause.Sentence()), theme.Word(e)
	if reason == "" {
		return cmp.Or(verdict, "whole")
	}
	if strings.Contains(reason, verdict) {
		return reason
	}
	return verdict + ", " + reason
}

// proofLine says of a past request when it was sent, and whether that is what is shown.
func proofLine(r *panel.Request, p *inspector.Page) {
	if r.Past == nil {
		return
	}
	q, proof := r.Past.Request, ""
	if r.Past.Proven {
		proof = " · ✓ proven"
	}
	p.Line(inspector.Quiet, "%s · sent %s · %s%s", panel.TurnName(r.Past.Recorded), q.Created.Local().Format(time.DateTime), theme.OneLine(q.Endpoint+"/"+q.Model), proof)
	if !r.Past.Proven {
		p.Line(inspector.Warning, "! not proven: %s. The verdict is the recorded one.", strings.TrimSuffix(theme.OneSentence(r.Past.Doubt), "."))
	}
}

// beside is what a message holds beside its text: parts, reasoning and calls, with what of them is
// sent.
func beside(p *inspector.Page, r *panel.Request, stored store.Message, e history.Entry) {
	if len(stored.Parts) == 0 && stored.Reasoning == "" && len(stored.ToolCalls) == 0 {
		return
	}
	c := carrierOf(r, e)
	for _, part := range stored.Parts {
		fate, t := c.part(part)
		p.Heading("%s %s · %s", theme.PartKind(part), theme.OneLine(part.Name), strings.Join(append(theme.PartFacts(part, r.Plan.Sum), fate), " · "))
		p.Block(t, part.Text)
	}
	if stored.Reasoning != "" {
		fate, t := c.reasoning(stored.Reasoning)
		p.Heading("reasoning · %s · %s", theme.Plural(utf8.RuneCountInString(stored.Reasoning), "character"), fate)
		p.Block(t, stored.Reasoning)
	}
	for k, call := range stored.ToolCalls {
		sent, fate, t := c.call(stored.ToolCalls, k)
		p.Heading("call of %s · id %s · %s", theme.OneLine(call.Name), theme.QuotedID(call.ID), fate)
		p.Block(t, call.Arguments)
		if sent != nil {
			p.Line(inspector.Quiet, "sent as %s · id %s", theme.OneLine(sent.Name), theme.QuotedID(sent.ID))
			p.Block(inspector.Added, sent.Arguments)
		}
	}
}

// addedPage is a text that nobody said.
func addedPage(r *panel.Request, a history.Added) inspector.Page {
	var p inspector.Page
	p.Line(inspector.Title, "✚ %s: %s", a.Kind, theme.OneSentence(a.Cause.Sentence()))
	p.Line(inspector.Quiet, "nobody said this: winnow puts it into the request · %s", theme.Plural(r.Plan.Sum.Tokens(a.Tokens), "token"))
	proofLine(r, &p)
	p.Add(inspector.Quiet, "\n")
	p.Block(inspector.Added, a.Text)
	return p
}

// sentPage is what of the request carries the subject, as it is sent, and the passage to begin at, -1 for
// the top.
func (m *Model) sentPage() (p inspector.Page, first int) {
	on, r := m.inspector.on, m.panel.Shown()
	if on.added > 0 {
		return m.addedSent(r, r.Rows.Added[on.added-1]), -1
	}
	e, ok := entryOf(r.Plan, on.message)
	if !ok {
		return m.messagePage(r, on.message), -1
	}
	proofLine(r, &p)
	c := carrierOf(r, e)
	if len(c.at) == 0 && !c.found {
		notSent(r, &p, e)
		return p, -1
	}
	messages := m.messagesOf(r)
	for _, i := range c.at {
		messages.write(&p, i)
	}
	first = -1
	if c.found {
		p.Heading("↺ recalled into message %s of the request, in front of your message", theme.Thousands(c.block.Message+1))
		text := r.Plan.Messages[c.block.Message].Content
		p.Add(inspector.Rest, text[:c.block.From])
		first = len(p)
		p.Add(inspector.Part, text[c.block.From:c.block.To])
		p.Block(inspector.Rest, text[c.block.To:])
	}
	if first < 0 || len(c.at) > 0 {
		return p, -1
	}
	return p, max(0, first-1)
}

// notSent says that nothing of a message is in the request, and what stands for it.
func notSent(r *panel.Request, p *inspector.Page, e history.Entry) {
	if e.Sent() {
		p.Line(inspector.Quiet, "It is sent joined to other messages; the text of the whole request has it.")
		return
	}
	p.Line(inspector.Title, "%s %s", theme.Glyph(e), saying(e))
	p.Line(inspector.Said, "Nothing of this message is in the request.")
	if e.Disposition != history.Dropped && e.Disposition != history.Excluded {
		return
	}
	for _, a := range r.Rows.Added {
		if gap := a.Kind == history.AddedMarker || a.Kind == history.AddedSummary; gap && (a.At > e.Index || a.Before == 0 && a.At == 0) {
			p.Heading("✚ %s: %s", a.Kind, theme.OneSentence(a.Cause.Sentence()))
			p.Block(inspector.Added, a.Text)
			return
		}
	}
	p.Line(inspector.Quiet, "Nothing stands for it.")
}

// addedSent is the message of the request that holds an added text.
func (m *Model) addedSent(r *panel.Request, a history.Added) inspector.Page {
	var p inspector.Page
	proofLine(r, &p)
	if a.Before < 0 || a.Before >= len(r.Plan.Messages) {
		p.Line(inspector.Quiet, "It stands in no message of the request.")
		return p
	}
	m.messagesOf(r).write(&p, a.Before)
	return p
}

// sentMessages writes the messages of a request as they are sent.
type sentMessages struct {
	*panel.Request
	stored   func(int64) (store.Message, bool)
	shown    [][]int                  // the entries whose text each of them is
	recalled map[int][]inspector.Span // the block of recalled texts, by the message that it stands in
}

func (m *Model) messagesOf(r *panel.Request) sentMessages {
	return sentMessages{r, m.storedMessage, r.Plan.Shown(), recalledIn(r)}
}

// write writes one with its heading.
func (s sentMessages) write(p *inspector.Page, i int) {
	p.Heading("%s", s.heading(i))
	s.writeBody(p, i)
}

// sections are all of them.
func (s sentMessages) sections() []inspector.Section {
	var list []inspector.Section
	seen := map[string]int{}
	for i, sent := range s.Plan.Messages {
		key := string(sent.Role) + " " + s.whose(i)
		seen[key]++
		part := inspector.Section{
			Key:     key + " " + strconv.Itoa(seen[key]),
			Heading: s.heading(i),
			Gist:    theme.Plural(utf8.RuneCountInString(sent.Content), "character"),
		}
		if sent.Content != "" {
			part.Gist += " · " + theme.OneLine(sent.Content)
		} else if n := len(sent.ToolCalls); n > 0 {
			part.Gist = theme.Plural(n, "call")
		}
		s.writeBody(&part.Body, i)
		list = append(list, part)
	}
	return list
}

// heading names one: its number, role and ids.
func (s sentMessages) heading(i int) string {
	sent := s.Plan.Messages[i]
	facts := []string{"#" + theme.Thousands(i+1) + " of " + theme.Thousands(len(s.Plan.Messages)), theme.OneLine(string(sent.Role))}
	if whose := s.whose(i); whose != "" {
		facts = append(facts, whose)
	}
	if sent.Role == history.Tool {
		facts = append(facts, "answers the call "+theme.QuotedID(sent.ToolCallID))
	}
	return strings.Join(facts, " · ")
}

// writeBody writes what one holds: text, parts, calls. What nobody said has its sign.
func (s sentMessages) writeBody(p *inspector.Page, i int) {
	sent := s.Plan.Messages[i]
	for _, part := range sent.Parts {
		p.Line(inspector.Quiet, "[%s %s]", theme.PartKind(part), strings.Join(append([]string{theme.OneLine(part.Name)}, theme.PartFacts(part, s.Plan.Sum)...), " · "))
		p.Block(inspector.Said, part.Sent())
	}
	*p = append(*p, inspector.Marked(sent.Content, s.notSaid(i))...)
	if sent.Content != "" {
		p.Add(inspector.Quiet, "\n")
	}
	if sent.Reasoning != "" {
		p.Line(inspector.Quiet, "reasoning, sent back:")
		p.Block(inspector.Said, sent.Reasoning)
	}
	for _, call := range sent.ToolCalls {
		p.Line(inspector.Quiet, "calls %s · id %s", theme.OneLine(call.Name), theme.QuotedID(call.ID))
		p.Block(inspector.Said, call.Arguments)
	}
	if sent.Content == "" && len(sent.ToolCalls) == 0 && len(sent.Parts) == 0 {
		p.Line(inspector.Quiet, "(no text)")
	}
}

// whose says whose text a message of the request is.
func (s sentMessages) whose(i int) string {
	shown, r := s.shown[i], s.Request
	switch n := len(shown); {
	case n == 1:
		return "message " + theme.Thousands(r.Plan.Entries[shown[0]].Index+1)
	case n > 1:
		var names []string
		for _, k := range shown {
			names = append(names, theme.Thousands(r.Plan.Entries[k].Index+1))
		}
		return "messages " + strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	case r.Plan.Messages[i].Role == history.System:
		return "system prompt"
	}
	for _, a := range r.Rows.Added {
		if a.Before == i && a.Text == r.Plan.Messages[i].Content {
			return "✚ " + string(a.Kind)
		}
	}
	if r.Past == nil && r.Plan.Messages[i].Role == history.User {
		return "your draft"
	}
	return ""
}

// notSaid finds what of a message of the request nobody said, and what of it is recalled.
func (s sentMessages) notSaid(i int) []inspector.Span {
	list := slices.Clone(s.recalled[i])
	for _, a := range s.Plan.Added {
		if a.Before == i && a.Cause.Code != history.CauseRecalledBlock && a.From < a.To {
			list = append(list, inspector.Span{From: a.From, To: a.To, Kind: inspector.Added})
		}
	}
	for _, span := range s.Plan.Spans {
		if span.Message == i && span.Entry >= 0 && !span.Recalled {
			list = append(list, s.inserted(span)...)
		}
	}
	return list
}

// inserted finds what winnow put into the text of an entry.
func (s sentMessages) inserted(at history.Span) []inspector.Span {
	e := s.Plan.Entries[at.Entry]
	stored, ok := s.stored(e.ID)
	if !ok || len(e.Inserted) == 0 || e.Recalled {
		return nil // what stands in the place of a recalled message is another cut than its verdict tells
	}
	var list []inspector.Span
	from := at.From
	for _, p := range inspector.SegmentsOf(stored.Content, e) {
		if p.Kind == inspector.Unsent {
			continue
		}
		if p.Kind == inspector.Added {
			list = append(list, inspector.Span{From: from, To: from + len(p.Text), Kind: inspector.Added})
		}
		from += len(p.Text)
	}
	if from != at.To {
		return nil // the record is of another text
	}
	return list
}

// recalledIn is where the recalled texts are, by message of the request, with the frame around them.
func recalledIn(r *panel.Request) map[int][]inspector.Span {
	found := map[int][]inspector.Span{}
	for _, a := range r.Plan.Added {
		if a.Cause.Code != history.CauseRecalledBlock {
			continue
		}
		at := a.From
		frame := func(to int) {
			if at < to {
				found[a.Before] = append(found[a.Before], inspector.Span{From: at, To: to, Kind: inspector.Added})
			}
		}
		for _, span := range r.Plan.Spans {
			if span.Message != a.Before || !span.Recalled {
				continue
			}
			frame(span.From)
			found[a.Before] = append(found[a.Before], inspector.Span{From: span.From, To: span.To, Kind: inspector.Part})
			at = span.To
		}
		frame(a.To)
	}
	return found
}

// carrier is what of a request carries a message: the request's own messages that have its text, alone
// or joined to others, and the recalled block.
type carrier struct {
	at    []int             // indexes into the plan's messages, of those that have its text
	sent  []history.Message // those messages
	block history.Span      // its part of the recalled block
	found bool              // there is such a part
	told  bool              // its tool calls are written out in one of these texts
}

// carrierOf finds what carries a message.
func carrierOf(r *panel.Request, e history.Entry) carrier {
	var c carrier
	if !e.Sent() {
		return c
	}
	k := slices.IndexFunc(r.Plan.Entries, func(o history.Entry) bool { return o.ID == e.ID })
	for _, span := range r.Plan.SpansOf(k) {
		if c.told = c.told || span.Calls; span.Recalled {
			c.block, c.found = span, true
			continue
		}
		c.at, c.sent = append(c.at, span.Message), append(c.sent, r.Plan.Messages[span.Message])
	}
	return c
}

// part says what became of a part.
func (c carrier) part(p history.Part) (string, inspector.Kind) {
	for _, m := range c.sent {
		for _, sent := range m.Parts {
			switch {
			case sent.Name != p.Name:
			case sent.Kind == p.Kind:
				return "sent", inspector.Said
			default:
				return "not sent; a note stands for it", inspector.Unsent
			}
		}
	}
	if p.Text != "" && c.found {
		return "sent in the recalled block", inspector.Said
	}
	return "not sent", inspector.Unsent
}

// reasoning says what became of the model's reasoning.
func (c carrier) reasoning(own string) (string, inspector.Kind) {
	for _, m := range c.sent {
		if m.Reasoning == own {
			return "sent back to the model", inspector.Said
		}
	}
	return "not sent", inspector.Unsent
}

// call says what became of the call k of a message, and what is sent for it where that is not the same.
func (c carrier) call(calls []history.ToolCall, k int) (sent *history.ToolCall, fate string, t inspector.Kind) {
	own := calls[k]
	var list []history.ToolCall
	for _, m := range c.sent {
		list = append(list, m.ToolCalls...)
	}
	i := slices.IndexFunc(list, func(s history.ToolCall) bool { return s.ID == own.ID && s.Arguments == own.Arguments })
	if i < 0 && len(list) == len(calls) {
		i = k
	}
	switch {
	case i < 0 && c.told:
		return nil, "told as text", inspector.Unsent
	case i < 0 && len(list) > 0:
		return nil, "not sent as it is: see how it was mended", inspector.Unsent
	case i < 0:
		return nil, "not sent", inspector.Unsent
	case list[i].Name != own.Name || list[i].Arguments != own.Arguments:
		return &list[i], "mended", inspector.Unsent
	case list[i].ID != own.ID:
		return nil, "sent with the id " + theme.OneLine(list[i].ID), inspector.Said
	}
	return nil, "sent", inspector.Said
}
