package inspector

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"

	"winnow/history"
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
		verdictLines(r, &p, e)
	case r.Ready:
		p.Line(Warning, "This request has no such message: it was said later, or on another branch.")
	default:
		p.Line(Quiet, "No plan speaks of this message yet.")
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
		p.Line(Warning, "This message is damaged. What can be read of it is not as it was stored, and is never sent:")
		p.Block(Quiet, stored.Remains)
	case stored.Content == "" && len(stored.ToolCalls)+len(stored.Parts) == 0:
		p.Add(Quiet, "\n")
		p.Line(Quiet, "There is no text.")
	case stored.Content == "":
	case !judged:
		p.Block(Sent, stored.Content)
	default:
		p = append(p, SegmentsOf(stored.Content, e)...)
		p.Add(Quiet, "\n")
	}
	beside(&p, r, stored, e)
	return p
}

// verdictLines say what became of a message, why, and what it costs.
func verdictLines(r *Request, p *Page, e history.Entry) {
	p.Line(Title, "%s %s", theme.Glyph(e), verdictText(e))
	p.Line(Quiet, "sent %s of %s characters · %s of %s tokens",
		theme.Thousands(e.CharsAfter), theme.Thousands(e.CharsBefore), r.counted(e.TokensAfter), r.counted(e.TokensBefore))
	for _, repair := range e.Repairs {
		p.Line(Warning, "⚠ %s %s", repair.Kind, theme.OneSentence(repair.Sentence()))
	}
	proofLine(r, p)
}

// verdictText is the verdict with its reason, which often names it.
func verdictText(e history.Entry) string {
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
func proofLine(r *Request, p *Page) {
	if r.Past == nil {
		return
	}
	q, proof := r.Past.Request, ""
	if r.Past.Proven {
		proof = " · ✓ proven"
	}
	p.Line(Quiet, "%s · sent %s · %s%s", r.Name, q.Created.Local().Format(time.DateTime), theme.OneLine(q.Endpoint+"/"+q.Model), proof)
	if !r.Past.Proven {
		p.Line(Warning, "! not proven: %s. The verdict is the recorded one.", strings.TrimSuffix(theme.OneSentence(r.Past.Doubt), "."))
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
			p.Line(Quiet, "sent as %s · id %s", theme.OneLine(sent.Name), theme.QuotedID(sent.ID))
			p.Block(Added, sent.Arguments)
		}
	}
}

// addedPage is a text that nobody said.
func addedPage(r *Request, a history.Added) Page {
	var p Page
	p.Line(Title, "✚ %s: %s", a.Kind, theme.OneSentence(a.Cause.Sentence()))
	p.Line(Quiet, "nobody said this: winnow puts it into the request · %s", theme.Plural(r.Plan.Sum.Tokens(a.Tokens), "token"))
	proofLine(r, &p)
	p.Add(Quiet, "\n")
	p.Block(Added, a.Text)
	return p
}

// counted writes a number of tokens in the server's measure, so that the parts add up to the total.
func (r *Request) counted(n int) string { return theme.Thousands(r.Plan.Sum.Tokens(n)) }
