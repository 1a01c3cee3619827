package inspector

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"winnow/history"
	"winnow/history/cause"
	"winnow/session/store"
	"winnow/ui/theme"
)

// messagePage is a message with its verdict: what of it the model gets, what it does not get, and what it gets
// instead.
func (in *Model) messagePage(id int64) Page {
	var p Page
	r := &in.Request
	stored, known := in.stored(id)
	e, judged := r.Plan.EntryOf(id)
	switch {
	case judged:
		verdictLines(r, &p, stored, e)
	case r.Ready:
		p.line(Warning, "This request does not contain the message: it came later, or is on another branch.")
	default:
		p.line(Quiet, "This message has no verdict yet.")
	}
	p.add(Quiet, "\n")
	switch {
	case !known:
		p.line(Quiet, "The text is not in memory.")
	case stored.Damaged:
		p.line(Warning, "This message is damaged. The readable part differs from what was stored, and is never sent:")
		p.block(Unsent, stored.Remains)
	case stored.Content == "" && len(stored.ToolCalls)+len(stored.Parts) == 0:
		p.line(Quiet, "The message has no text.")
	case !judged:
		p.block(Plain, stored.Content)
	case stored.Content != "":
		p = append(p, withMarkers(SegmentsOf(stored.Content, e))...)
		p.add(Quiet, "\n")
	}
	in.beside(&p, stored, e)
	return p
}

// withMarkers is the text of a message, in which what was added in the place of text that is cut is a marker with its
// length.
func withMarkers(list Page) Page {
	var p Page
	for i, s := range list {
		cut := i > 0 && list[i-1].Kind == Unsent || i+1 < len(list) && list[i+1].Kind == Unsent
		if s.Kind != Added || !cut {
			p = append(p, s)
			continue
		}
		p.add(Marker, strings.TrimRight(s.Text, "\r\n"))
		p.add(Aside, "added in place, "+theme.Plural(utf8.RuneCountInString(s.Text), "character"))
	}
	return p
}

// verdictLines say what became of a message, why, and what it costs.
func verdictLines(r *Request, p *Page, stored store.Message, e history.Entry) {
	glyph, verdict := theme.Glyph(e), cmp.Or(theme.Verdict(e), "whole")
	if glyph == "◐" {
		verdict += " characters"
	}
	p.add(Glyph, glyph)
	p.add(Title, speaker(stored, e))
	p.add(Verdict, "  "+verdict)
	p.add(Aside, r.tokens(e))
	p.add(Quiet, "\n")
	if reason := why(e); !strings.HasSuffix(verdict, reason) {
		p.add(Quiet, theme.UpperFirst(reason))
	}
	if glyph != "◐" {
		p.add(Aside, theme.Plural(e.CharsBefore, "character"))
	}
	p.add(Quiet, "\n")
	for _, repair := range e.Repairs {
		p.line(Quiet, "%s", theme.OneSentence(repair.Sentence()))
	}
	proofLine(r, p)
}

// speaker names who said a message: the model by its own name.
func speaker(stored store.Message, e history.Entry) string {
	if e.Role == history.Assistant && stored.Model != "" {
		return theme.OneLine(stored.Model[strings.LastIndexByte(stored.Model, '/')+1:])
	}
	return theme.Speaker(e.Role)
}

// tokens are the tokens of a message, and what is saved where less than all of it is sent.
func (r *Request) tokens(e history.Entry) string {
	before, after := r.Plan.Sum.Tokens(e.TokensBefore), r.Plan.Sum.Tokens(e.TokensAfter)
	if after < before {
		return about(after) + " of " + about(before) + " tokens, saves " + about(before-after)
	}
	return about(after) + strings.TrimLeft(theme.Plural(after, "token"), "0123456789,")
}

// about is an estimate.
func about(n int) string {
	if n == 0 {
		return "0"
	}
	return "~" + theme.Thousands(n)
}

// why is the reason of a verdict without the verdict, "" where that says it all: a message is whole because it fits.
func why(e history.Entry) string {
	if e.Cause.Code == cause.Fits || e.Cause.Code == cause.FreeBudget {
		return ""
	}
	sentence := theme.OneSentence(e.Cause.Sentence())
	if _, reason, ok := strings.Cut(sentence, ": "); ok {
		sentence = reason
	}
	return sentence
}

// proofLine says of a past request when it was sent, and whether that is what is shown.
func proofLine(r *Request, p *Page) {
	if r.Past == nil {
		return
	}
	q, proof := r.Past.Request, ""
	if r.Past.Proven {
		proof = " · ✓ proven"
	}
	p.line(Quiet, "%s · sent %s · %s%s", r.Name, q.Created.Local().Format(time.DateTime),
		theme.OneLine(q.Endpoint+"/"+q.Model), proof)
	if !r.Past.Proven {
		p.line(Warning, "! not proven: %s. The verdict is the recorded one.",
			strings.TrimSuffix(theme.OneSentence(r.Past.Doubt), "."))
	}
}

// beside is what a message holds beside its text, as it is stored. The view of the message as it is sent has what is
// sent of that.
func (in *Model) beside(p *Page, stored store.Message, e history.Entry) {
	kind := Plain
	if !e.Sent() {
		kind = Unsent
	}
	for _, part := range stored.Parts {
		p.heading(theme.PartKind(part)+" "+theme.OneLine(part.Name), theme.PartFacts(part, in.Plan.Sum)...)
		p.block(kind, part.Text)
	}
	if stored.Reasoning != "" {
		p.heading("reasoning", theme.Plural(utf8.RuneCountInString(stored.Reasoning), "character"))
		p.block(kind, stored.Reasoning)
	}
	c := sourceOf(&in.Plan, e)
	for k, call := range stored.ToolCalls {
		_, as := c.call(stored.ToolCalls, k)
		p.heading("call of "+theme.OneLine(call.Name), "id "+theme.QuotedID(call.ID), as)
		p.block(kind, call.Arguments)
	}
}

// sentPage is what of the request carries the message, as it is sent.
func (in *Model) sentPage() Page {
	var p Page
	proofLine(&in.Request, &p)
	e, _ := in.Plan.EntryOf(in.On.Message)
	shown, at := in.Plan.Shown(), slices.Compact(sourceOf(&in.Plan, e).at)
	for _, i := range at {
		in.writeMessage(&p, i, shown[i])
	}
	if len(at) > 0 {
		return p
	}
	if e.Sent() {
		p.line(Quiet, "It is joined with other messages: the whole request has it.")
		return p
	}
	p.line(Plain, "Nothing of this message is in the request.")
	for _, a := range in.Plan.Added {
		if (a.Kind == history.AddedMarker || a.Kind == history.AddedSummary) && a.At > e.Index {
			p.heading(string(a.Kind)+", sent instead", theme.OneSentence(a.Cause.Sentence()))
			p.block(Added, a.Text)
			break
		}
	}
	return p
}

// requestPage is the whole request as it is sent.
func (in *Model) requestPage() Page {
	p := in.requestHead()
	for i, entries := range in.Plan.Shown() {
		in.writeMessage(&p, i, entries)
	}
	return p
}

// writeMessage writes a message of the request, whose text is that of some entries: its role, whose text it is, its
// ids, and what it holds.
func (in *Model) writeMessage(p *Page, i int, entries []int) {
	sent := in.Plan.Messages[i]
	facts := []string{in.whose(i, entries)}
	if sent.Role == history.Tool {
		facts = append(facts, "answers the call "+theme.QuotedID(sent.ToolCallID))
	}
	p.heading(fmt.Sprintf("%*s  %s", len(theme.Thousands(len(in.Plan.Messages))), theme.Thousands(i+1),
		theme.OneLine(string(sent.Role))), facts...)
	in.writeBody(p, i)
}

// requestHead is what is said of the request as a whole.
func (in *Model) requestHead() Page {
	var p Page
	r, s := &in.Request, in.Plan.Sum
	total := theme.Plural(s.Used(), "token")
	if s.Limit > 0 {
		total = theme.Thousands(s.Used()) + " of " + theme.Plural(s.Limit, "token")
	}
	p.line(Plain, "%s · ~%s", theme.Plural(len(r.Plan.Messages), "message"), total)
	if r.Note != "" {
		p.line(Warning, "! %s", theme.OneSentence(r.Note))
	}
	if settings := in.settings(); settings != "" {
		p.line(Quiet, "%s.", theme.UpperFirst(settings))
	}
	proofLine(r, &p)
	return p
}

// whose says whose text a message of the request is: that of some entries, or of nobody.
func (in *Model) whose(i int, entries []int) string {
	var names []string
	for _, k := range entries {
		names = append(names, theme.Thousands(in.Plan.Entries[k].Index+1))
	}
	sent := in.Plan.Messages[i]
	switch {
	case len(names) == 1:
		return "message " + names[0]
	case len(names) > 1:
		return "messages " + theme.InWords(names)
	case sent.Role == history.System:
		return "system prompt"
	}
	for _, a := range in.Plan.Added {
		if a.Before == i && a.Text == sent.Content {
			return "added: " + string(a.Kind)
		}
	}
	return "your draft"
}

// writeBody writes what a message of the request holds: text, parts, calls.
func (in *Model) writeBody(p *Page, i int) {
	sent := in.Plan.Messages[i]
	for _, part := range sent.Parts {
		p.line(Quiet, "[%s %s]", theme.PartKind(part),
			strings.Join(append([]string{theme.OneLine(part.Name)}, theme.PartFacts(part, in.Plan.Sum)...), " · "))
		p.block(Plain, part.Sent())
	}
	p.block(Plain, sent.Content)
	if sent.Reasoning != "" {
		p.line(Quiet, "reasoning, sent back:")
		p.block(Plain, sent.Reasoning)
	}
	for _, call := range sent.ToolCalls {
		p.line(Quiet, "calls %s · id %s", theme.OneLine(call.Name), theme.QuotedID(call.ID))
		p.block(Plain, call.Arguments)
	}
	if sent.Content == "" && len(sent.ToolCalls)+len(sent.Parts) == 0 {
		p.line(Quiet, "(no text)")
	}
}

// source is what of a request is made of a message: the request's own messages that have its text, alone, joined to
// others or recalled.
type source struct {
	at     []int             // indexes into the plan's messages
	sent   []history.Message // those that have it in its place
	asText bool              // its tool calls are written out in one of these texts
	text   string            // its own text in them
}

// sourceOf finds what is made of a message.
func sourceOf(plan *history.Plan, e history.Entry) (c source) {
	k := slices.IndexFunc(plan.Entries, func(o history.Entry) bool { return o.ID == e.ID })
	for _, span := range plan.Spans {
		if span.Entry != k || !e.Sent() {
			continue
		}
		c.at = append(c.at, span.Message)
		c.asText = c.asText || span.Calls
		if m := plan.Messages[span.Message]; !span.Recalled {
			c.sent = append(c.sent, m)
			c.text += m.Content[min(span.From, len(m.Content)):min(span.To, len(m.Content))]
		}
	}
	return c
}

// call is the call k of a message as it is sent, nil where it is not sent as a call, and says what became of it.
func (c source) call(calls []history.ToolCall, k int) (sent *history.ToolCall, as string) {
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
	case i < 0 && c.asText:
		return nil, "sent as text"
	case i < 0:
		return nil, "not sent"
	case list[i].Name != own.Name || list[i].Arguments != own.Arguments:
		return &list[i], "repaired"
	case list[i].ID != own.ID:
		return &list[i], "sent with the id " + theme.OneLine(list[i].ID)
	}
	return &list[i], "sent"
}
