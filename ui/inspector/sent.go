package inspector

import (
	"fmt"
	"slices"
	"strings"

	"winnow/history"
	"winnow/ui/theme"
)

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
	for _, a := range in.Added {
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
	for _, a := range in.Added {
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
