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
