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

// message writes a message with its verdict: what of it the model gets, what it does not get, and what it gets instead.
func (r *Request) message(p *Page, id int64, stored store.Message) {
	e, judged := r.Plan.EntryOf(id)
	switch {
	case judged:
		r.verdict(p, stored, e)
	case r.Ready:
		p.line(Warning, "This request does not contain the message: it came later, or is on another branch.")
	default:
		p.line(Quiet, "This message has no verdict yet.")
	}
	p.line(Quiet, "")
	switch {
	case stored.Damaged:
		p.line(Warning, "This message is damaged. The readable part differs from what was stored, and is never sent:")
		p.block(Unsent, stored.Remains)
	case stored.Content == "" && len(stored.ToolCalls)+len(stored.Parts) == 0:
		p.line(Quiet, "The message has no text.")
	case judged:
		p.message(stored.Content, e)
	default:
		p.block(Plain, stored.Content)
	}
	kind := Plain
	if judged && !e.Sent() {
		kind = Unsent
	}
	if len(stored.Parts)+len(stored.ToolCalls) > 0 || stored.Reasoning != "" {
		p.line(Quiet, "")
	}
	r.holds(p, kind, stored.Message)
}

// verdict writes what became of a message, why, and what it costs.
func (r *Request) verdict(p *Page, stored store.Message, e history.Entry) {
	glyph, verdict := theme.Glyph(e), cmp.Or(theme.Verdict(e), "whole")
	reason, size := theme.UpperFirst(why(e)), theme.Plural(e.CharsBefore, "character")
	if strings.HasSuffix(verdict, why(e)) {
		reason = ""
	}
	if glyph == "◐" {
		verdict, size = verdict+" characters", ""
	}
	p.add(Paragraph{
		Kind: Verdict, Mark: glyph, Title: speaker(stored, e), Text: "  " + verdict, Aside: r.tokens(e),
	})
	p.add(Paragraph{Kind: Quiet, Text: reason, Aside: size})
	for _, repair := range e.Repairs {
		p.line(Quiet, "%s", theme.OneSentence(repair.Sentence()))
	}
	r.proof(p)
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
		return reason
	}
	return sentence
}

// proof says of a past request when it was sent, and whether that is what is shown.
func (r *Request) proof(p *Page) {
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

// holds writes what a message has beside its text.
func (r *Request) holds(p *Page, k Kind, m history.Message) {
	for _, part := range m.Parts {
		facts := append([]string{theme.OneLine(part.Name)}, theme.PartFacts(part, r.Plan.Sum)...)
		p.line(Quiet, "[%s %s]", theme.PartKind(part), strings.Join(facts, " · "))
		p.block(k, part.Sent())
	}
	if m.Reasoning != "" {
		p.line(Quiet, "reasoning · %s", theme.Plural(utf8.RuneCountInString(m.Reasoning), "character"))
		p.block(k, m.Reasoning)
	}
	for _, call := range m.ToolCalls {
		p.line(Quiet, "calls %s · id %s", theme.OneLine(call.Name), theme.QuotedID(call.ID))
		p.block(k, call.Arguments)
	}
}

// asSent writes what of the request carries a message, as it is sent.
func (r *Request) asSent(p *Page, id int64) {
	r.proof(p)
	shown, at := r.Plan.Shown(), carriersOf(&r.Plan, id)
	for _, i := range at {
		r.writeMessage(p, i, shown[i])
	}
	if len(at) == 0 {
		p.line(Plain, "Nothing of this message is in its place in the request.")
	}
}

// whole writes the request as it is sent, below what is said of all of it.
func (r *Request) whole(p *Page) {
	used := theme.Thousands(r.Plan.Sum.Used())
	if limit := r.Plan.Sum.Limit; limit > 0 {
		used += " of " + theme.Thousands(limit)
	}
	p.line(Plain, "%s · ~%s tokens", theme.Plural(len(r.Plan.Messages), "message"), used)
	if r.Note != "" {
		p.line(Warning, "! %s", theme.OneSentence(r.Note))
	}
	r.proof(p)
	for i, entries := range r.Plan.Shown() {
		r.writeMessage(p, i, entries)
	}
}

// writeMessage writes a message of the request, whose text is that of some entries: its role, whose text it is, its
// ids, and what it holds.
func (r *Request) writeMessage(p *Page, i int, entries []int) {
	sent := r.Plan.Messages[i]
	facts := []string{r.whose(i, entries)}
	if sent.Role == history.Tool {
		facts = append(facts, "answers the call "+theme.QuotedID(sent.ToolCallID))
	}
	p.heading(fmt.Sprintf("%*s  %s", len(theme.Thousands(len(r.Plan.Messages))), theme.Thousands(i+1),
		theme.OneLine(string(sent.Role))), facts...)
	r.holds(p, Plain, history.Message{Parts: sent.Parts})
	p.block(Plain, sent.Content)
	if sent.Content == "" && len(sent.ToolCalls)+len(sent.Parts) == 0 {
		p.line(Quiet, "(no text)")
	}
	sent.Parts = nil
	r.holds(p, Plain, sent)
}

// whose says whose text a message of the request is: that of some entries, or of nobody.
func (r *Request) whose(i int, entries []int) string {
	var names []string
	for _, k := range entries {
		names = append(names, theme.Thousands(r.Plan.Entries[k].Index+1))
	}
	sent := r.Plan.Messages[i]
	switch {
	case len(names) == 1:
		return "message " + names[0]
	case len(names) > 1:
		return "messages " + theme.InWords(names)
	case sent.Role == history.System:
		return "system prompt"
	}
	for _, a := range r.Plan.Added {
		if a.Before == i && a.Text == sent.Content {
			return "added: " + string(a.Kind)
		}
	}
	return "your draft"
}

// carriersOf are the messages of a request that have something of a message in its place: itself, or what it is joined
// with.
func carriersOf(plan *history.Plan, id int64) (at []int) {
	k := slices.IndexFunc(plan.Entries, func(e history.Entry) bool { return e.ID == id })
	for _, span := range plan.Spans {
		if span.Entry == k && !span.Recalled && plan.Entries[k].Sent() {
			at = append(at, span.Message)
		}
	}
	return slices.Compact(at)
}
