package ui

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/theme"
)

// textPage is the text of a message or of what was added, with what the model gets of it.
func (m *Model) textPage() page {
	on, r := m.inspector.on, m.panel.shown()
	if on.added > 0 {
		return addedPage(r, r.rows.added[on.added-1])
	}
	return m.messagePage(r, on.message)
}

// messagePage is a message with its verdict: what of it the model gets, what it does not get, and what
// stands in its place.
func (m *Model) messagePage(r *request, id int64) page {
	var p page
	stored, known := m.storedMessage(id)
	e, judged := entryOf(r.plan, id)
	switch {
	case judged:
		r.verdictLines(&p, e)
	case r.ready:
		p.line(warnTone, "This request has no such message: it was said later, or on another branch.")
	default:
		p.line(quietTone, "No plan speaks of this message yet.")
	}
	if stored.Label != "" {
		p.line(quietTone, "its id in the file that it was imported from: %s", theme.OneLine(stored.Label))
	}
	if !known || stored.Content != "" || stored.Damaged {
		p.add(quietTone, "\n")
	}
	switch {
	case !known:
		p.line(quietTone, "The text is not in memory.")
		return p
	case stored.Damaged:
		p.line(warnTone, "This message is damaged. What can be read of it is not as it was stored, and is never sent:")
		p.block(quietTone, stored.Remains)
	case stored.Content == "" && len(stored.ToolCalls)+len(stored.Parts) == 0:
		p.add(quietTone, "\n")
		p.line(quietTone, "There is no text.")
	case stored.Content == "":
	case !judged:
		p.block(saidTone, stored.Content)
	default:
		p = append(p, viewOf(stored.Content, e)...)
		p.add(quietTone, "\n")
	}
	p.beside(r, stored, e)
	return p
}

// verdictLines say what became of a message, why, and what it costs.
func (r *request) verdictLines(p *page, e history.Entry) {
	p.line(titleTone, "%s %s", theme.Glyph(e), saying(e))
	p.line(quietTone, "sent %s of %s characters · %s of %s tokens",
		theme.Thousands(e.CharsAfter), theme.Thousands(e.CharsBefore), r.counted(e.TokensAfter), r.counted(e.TokensBefore))
	for _, repair := range e.Repairs {
		p.line(warnTone, "⚠ %s %s", repair.Kind, theme.OneSentence(repair.What))
	}
	r.proofLine(p)
}

// saying is the verdict with its reason, which often names it.
func saying(e history.Entry) string {
	reason, verdict := theme.OneSentence(e.Reason), theme.Word(e)
	if reason == "" {
		return cmp.Or(verdict, "whole")
	}
	if strings.Contains(reason, verdict) {
		return reason
	}
	return verdict + ", " + reason
}

// proofLine says of a past request when it was sent, and whether that is what is shown.
func (r *request) proofLine(p *page) {
	if r.past == nil {
		return
	}
	q, proof := r.past.Request, ""
	if r.past.Proven {
		proof = " · ✓ proven"
	}
	p.line(quietTone, "%s · sent %s · %s%s", turnName(r.past.Recorded), q.Created.Local().Format(time.DateTime), theme.OneLine(q.Endpoint+"/"+q.Model), proof)
	if !r.past.Proven {
		p.line(warnTone, "! not proven: %s. The verdict is the recorded one.", strings.TrimSuffix(theme.OneSentence(r.past.Doubt), "."))
	}
}

// beside is what a message holds beside its text: parts, reasoning and calls, with what of them is
// sent.
func (p *page) beside(r *request, stored store.Message, e history.Entry) {
	if len(stored.Parts) == 0 && stored.Reasoning == "" && len(stored.ToolCalls) == 0 {
		return
	}
	c := r.carrierOf(e, stored.Content)
	for _, part := range stored.Parts {
		fate, t := c.part(part)
		p.heading("%s %s · %s", theme.PartKind(part), theme.OneLine(part.Name), strings.Join(append(theme.PartFacts(part, r.plan.Sum), fate), " · "))
		p.block(t, part.Text)
	}
	if stored.Reasoning != "" {
		fate, t := c.reasoning(stored.Reasoning)
		p.heading("reasoning · %s · %s", theme.Plural(utf8.RuneCountInString(stored.Reasoning), "character"), fate)
		p.block(t, stored.Reasoning)
	}
	for k, call := range stored.ToolCalls {
		sent, fate, t := c.call(stored.ToolCalls, k)
		p.heading("call of %s · id %s · %s", theme.OneLine(call.Name), theme.QuotedID(call.ID), fate)
		p.block(t, call.Arguments)
		if sent != nil {
			p.line(quietTone, "sent as %s · id %s", theme.OneLine(sent.Name), theme.QuotedID(sent.ID))
			p.block(addedTone, sent.Arguments)
		}
	}
}

// addedPage is a text that nobody said.
func addedPage(r *request, a history.Added) page {
	var p page
	p.line(titleTone, "✚ %s: %s", a.Kind, theme.OneSentence(a.Reason))
	p.line(quietTone, "nobody said this: winnow puts it into the request · %s", theme.Plural(r.plan.Sum.Tokens(a.Tokens), "token"))
	r.proofLine(&p)
	p.add(quietTone, "\n")
	p.block(addedTone, a.Text)
	return p
}
