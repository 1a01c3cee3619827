package inspector

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"

	"winnow/history"
	"winnow/history/cause"
	"winnow/session/store"
	"winnow/ui/theme"
)

// messagePage is a message with its verdict: what of it the model gets, what it does not get, and what
// it gets instead.
func (in *Model) messagePage(id int64) Page {
	var p Page
	r := &in.Request
	stored, known := in.stored(id)
	e, judged := r.Plan.EntryOf(id)
	switch {
	case judged:
		verdictLines(r, &p, stored, e)
	case r.Ready:
		p.Line(Warning, "This request does not contain the message: it came later, or is on another branch.")
	default:
		p.Line(Quiet, "This message has no verdict yet.")
	}
	if stored.Label != "" {
		p.Line(Quiet, "its id in the file that it was imported from: %s", theme.OneLine(stored.Label))
	}
	if !known || stored.Content != "" || stored.Damaged {
		p.Add(Quiet, "\n")
	}
	switch {
	case !known:
		p.Line(Quiet, "The text is not in memory.")
		return p
	case stored.Damaged:
		p.Line(Warning, "This message is damaged. The readable part differs from what was stored, and is never sent:")
		p.Block(Unsent, stored.Remains)
	case stored.Content == "" && len(stored.ToolCalls)+len(stored.Parts) == 0:
		p.Add(Quiet, "\n")
		p.Line(Quiet, "The message has no text.")
	case stored.Content == "":
	case !judged:
		p.Block(Plain, stored.Content)
	default:
		p = append(p, marking(SegmentsOf(stored.Content, e))...)
		p.Add(Quiet, "\n")
	}
	beside(&p, r, stored, e)
	return p
}

// marking says of what was put in the place of text that is cut that it was, and how long it is.
func marking(list []Segment) []Segment {
	var p Page
	for i, s := range list {
		cut := i > 0 && list[i-1].Kind == Unsent || i+1 < len(list) && list[i+1].Kind == Unsent
		if s.Kind != Added || !cut {
			p = append(p, s)
			continue
		}
		text := strings.TrimRight(s.Text, "\r\n")
		p.Add(Marker, text)
		p.Add(Aside, "added in place, "+theme.Plural(utf8.RuneCountInString(s.Text), "character"))
		p.Add(Marker, s.Text[len(text):])
	}
	return p
}

// verdictLines say what became of a message, why, and what it costs.
func verdictLines(r *Request, p *Page, stored store.Message, e history.Entry) {
	glyph, verdict := theme.Glyph(e), cmp.Or(theme.Verdict(e), "whole")
	if glyph == "◐" {
		verdict += " characters"
	}
	p.Add(Glyph, glyph+" ")
	p.Add(Title, speaker(stored, e))
	p.Add(Verdict, "  "+verdict)
	p.Add(Aside, "  "+r.sums(e))
	p.Add(Quiet, "\n")
	if reason := why(e); reason != "" && !strings.HasSuffix(verdict, reason) {
		p.Add(Quiet, theme.UpperFirst(reason))
	}
	if glyph != "◐" {
		p.Add(Aside, "  "+lengths(e))
	}
	p.Add(Quiet, "\n")
	for _, repair := range e.Repairs {
		p.Line(Quiet, "%s", theme.OneSentence(repair.Sentence()))
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

// sums are the tokens of a message, and what is saved where less than all of it is sent.
func (r *Request) sums(e history.Entry) string {
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

// lengths are how long the text of a message is, and how much of it is sent.
func lengths(e history.Entry) string {
	if e.CharsAfter == e.CharsBefore || !e.Sent() {
		return theme.Plural(e.CharsBefore, "character")
	}
	return theme.Thousands(e.CharsAfter) + " of " + theme.Plural(e.CharsBefore, "character")
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
	switch e.Cause.Code {
	case cause.UserLimit, cause.AssistantLimit, cause.ToolLimit:
		sentence += " characters"
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
	p.Line(Quiet, "%s · sent %s · %s%s", r.Name, q.Created.Local().Format(time.DateTime),
		theme.OneLine(q.Endpoint+"/"+q.Model), proof)
	if !r.Past.Proven {
		p.Line(Warning, "! not proven: %s. The verdict is the recorded one.",
			strings.TrimSuffix(theme.OneSentence(r.Past.Doubt), "."))
	}
}

// beside is what a message holds beside its text: parts, reasoning and calls, with what of them is
// sent.
func beside(p *Page, r *Request, stored store.Message, e history.Entry) {
	if len(stored.Parts) == 0 && stored.Reasoning == "" && len(stored.ToolCalls) == 0 {
		return
	}
	c := sourceOf(r, e)
	for _, part := range stored.Parts {
		fate, t := c.part(part)
		p.Heading(theme.PartKind(part)+" "+theme.OneLine(part.Name), append(theme.PartFacts(part, r.Plan.Sum), fate)...)
		p.Block(t, part.Text)
	}
	if stored.Reasoning != "" {
		fate, t := c.reasoning(stored.Reasoning)
		p.Heading("reasoning", theme.Plural(utf8.RuneCountInString(stored.Reasoning), "character"), fate)
		p.Block(t, stored.Reasoning)
	}
	for k, call := range stored.ToolCalls {
		sent, fate, t := c.call(stored.ToolCalls, k)
		p.Heading("call of "+theme.OneLine(call.Name), "id "+theme.QuotedID(call.ID), fate)
		p.Block(t, call.Arguments)
		if sent != nil {
			p.Line(Quiet, "sent as %s · id %s", theme.OneLine(sent.Name), theme.QuotedID(sent.ID))
			p.Block(Sent, sent.Arguments)
		}
	}
}

// addedPage is a text that nobody said.
func addedPage(r *Request, a history.Added) Page {
	var p Page
	p.Add(Glyph, addedMark+" ")
	p.Add(Title, string(a.Kind))
	p.Add(Verdict, "  "+theme.OneSentence(a.Cause.Sentence()))
	p.Add(Aside, "  "+theme.Plural(r.Plan.Sum.Tokens(a.Tokens), "token"))
	p.Add(Quiet, "\n")
	p.Line(Quiet, "winnow added this to the request")
	proofLine(r, &p)
	p.Add(Quiet, "\n")
	p.Block(Added, a.Text)
	return p
}

// counted writes a number of tokens in the server's measure, so that the parts add up to the total.
func (r *Request) counted(n int) string { return theme.Thousands(r.Plan.Sum.Tokens(n)) }
