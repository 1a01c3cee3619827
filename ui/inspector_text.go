package ui

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/markdown"
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
		p.line(quietTone, "its id in the file that it was imported from: %s", oneLine(stored.Label))
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
	p.line(titleTone, "%s %s", glyph(e), saying(e))
	p.line(quietTone, "sent %s of %s characters · %s of %s tokens",
		thousands(e.CharsAfter), thousands(e.CharsBefore), r.counted(e.TokensAfter), r.counted(e.TokensBefore))
	for _, repair := range e.Repairs {
		p.line(warnTone, "⚠ %s %s", repair.Kind, oneSentence(repair.What))
	}
	r.proofLine(p)
}

// saying is the verdict with its reason, which often names it.
func saying(e history.Entry) string {
	reason, verdict := oneSentence(e.Reason), word(e)
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
	p.line(quietTone, "%s · sent %s · %s%s", turnName(r.past.Recorded), q.Created.Local().Format(time.DateTime), oneLine(q.Endpoint+"/"+q.Model), proof)
	if !r.past.Proven {
		p.line(warnTone, "! not proven: %s. The verdict is the recorded one.", strings.TrimSuffix(oneSentence(r.past.Doubt), "."))
	}
}

// oneLine and oneSentence are texts of others for a line of the screen.
func oneLine(s string) string     { return markdown.OneLine(s, 120) }
func oneSentence(s string) string { return markdown.OneLine(s, 2000) }

// beside is what a message holds beside its text: parts, reasoning and calls, with what of them is
// sent.
func (p *page) beside(r *request, stored store.Message, e history.Entry) {
	if len(stored.Parts) == 0 && stored.Reasoning == "" && len(stored.ToolCalls) == 0 {
		return
	}
	c := r.carrierOf(e, stored.Content)
	for _, part := range stored.Parts {
		fate, t := c.part(part)
		p.heading("%s %s · %s", partKind(part), oneLine(part.Name), strings.Join(append(partFacts(part, r.plan.Sum), fate), " · "))
		p.block(t, part.Text)
	}
	if stored.Reasoning != "" {
		fate, t := c.reasoning(stored.Reasoning)
		p.heading("reasoning · %s · %s", plural(utf8.RuneCountInString(stored.Reasoning), "character"), fate)
		p.block(t, stored.Reasoning)
	}
	for k, call := range stored.ToolCalls {
		sent, fate, t := c.call(stored.ToolCalls, k)
		p.heading("call of %s · id %s · %s", oneLine(call.Name), quotedID(call.ID), fate)
		p.block(t, call.Arguments)
		if sent != nil {
			p.line(quietTone, "sent as %s · id %s", oneLine(sent.Name), quotedID(sent.ID))
			p.block(addedTone, sent.Arguments)
		}
	}
}

func partKind(p history.Part) string {
	switch p.Kind {
	case history.ImagePart:
		return "image"
	case history.NotePart:
		return "note"
	}
	return "file"
}

func partFacts(p history.Part, sum history.Sum) []string {
	var facts []string
	if p.MediaType != "" {
		facts = append(facts, oneLine(p.MediaType))
	}
	if len(p.Data) > 0 {
		facts = append(facts, size(len(p.Data)))
	}
	if p.Text != "" {
		facts = append(facts, plural(utf8.RuneCountInString(p.Text), "character"))
	}
	if n := sum.Tokens(p.Tokens); n > 0 {
		facts = append(facts, "~"+plural(n, "token"))
	}
	return facts
}

// quotedID is a call's id; a blank one is seen.
func quotedID(id string) string {
	if strings.TrimSpace(id) == "" {
		return fmt.Sprintf("%q", id)
	}
	return oneLine(id)
}

// addedPage is a text that nobody said.
func addedPage(r *request, a history.Added) page {
	var p page
	p.line(titleTone, "✚ %s: %s", a.Kind, oneSentence(a.Reason))
	p.line(quietTone, "nobody said this: winnow puts it into the request · %s", plural(r.plan.Sum.Tokens(a.Tokens), "token"))
	r.proofLine(&p)
	p.add(quietTone, "\n")
	p.block(addedTone, a.Text)
	return p
}
