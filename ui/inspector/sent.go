package inspector

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"winnow/history"
	"winnow/ui/theme"
)

// sentPage is what of the request carries the message, as it is sent.
func (in *Model) sentPage() Page {
	var p Page
	e, ok := in.Plan.EntryOf(in.On.Message)
	if !ok {
		return in.messagePage(in.On.Message)
	}
	proofLine(&in.Request, &p)
	shown, c := in.Plan.Shown(), sourceOf(&in.Plan, e)
	for _, i := range slices.Compact(c.at) {
		p.heading(fmt.Sprintf("message %s of %s in the request", theme.Thousands(i+1),
			theme.Thousands(len(shown))), in.facts(i, shown[i])...)
		in.writeBody(&p, i)
	}
	if len(c.at) == 0 {
		in.notSent(&p, e)
	}
	return p
}

// notSent says that nothing of a message is in the request, and which marker or summary is sent instead.
func (in *Model) notSent(p *Page, e history.Entry) {
	r := &in.Request
	m, _ := in.stored(e.ID)
	verdictLines(r, p, m, e)
	p.add(Quiet, "\n")
	p.line(Plain, "Nothing of this message is in the request.")
	for _, a := range r.Added {
		if gap := a.Kind == history.AddedMarker || a.Kind == history.AddedSummary; gap &&
			(a.At > e.Index || a.Before == 0 && r.Plan.Messages[0].Role == history.System) {
			p.heading(string(a.Kind), theme.OneSentence(a.Cause.Sentence()))
			p.block(Added, a.Text)
			return
		}
	}
}

// outline is the whole request as it is sent, without its secrets: every message with its role and number.
func (in *Model) outline() *view {
	v := &view{folded: in.collapsed}
	shown, seen := in.Plan.Shown(), map[string]int{}
	digits, hidden := len(theme.Thousands(len(in.Plan.Messages))), 0
	hide := func(p Page) Page {
		p, n := Hide(in.Secrets, p)
		hidden += n
		return p
	}
	for i, sent := range in.Plan.Messages {
		facts := in.facts(i, shown[i])
		key := strings.Join(facts, " ")
		seen[key]++
		gist := theme.Plural(len(sent.ToolCalls), "call")
		if sent.Content != "" {
			gist = theme.Plural(utf8.RuneCountInString(sent.Content), "character") + " · " +
				theme.OneLine(in.Secrets.Line(sent.Content))
		}
		var body Page
		in.writeBody(&body, i)
		for k := range body { // All of it is sent.
			if body[k].Kind == Sent {
				body[k].Kind = Plain
			}
		}
		v.sections = append(v.sections, section{
			key: key + " " + strconv.Itoa(seen[key]), gist: gist, body: hide(body),
			row: hide(Page{
				{Title, fmt.Sprintf("%*s  %-9s", digits, theme.Thousands(i+1), facts[0])},
				{Quiet, "  " + strings.Join(facts[1:], " · ")},
			}),
		})
	}
	head := hide(in.requestHead())
	v.head = slices.Concat(in.hiddenLine(hidden), head)
	return v
}

// requestHead is what is said of the request as a whole.
func (in *Model) requestHead() Page {
	var p Page
	r, s := &in.Request, in.Plan.Sum
	total := theme.Plural(s.Used(), "token")
	if s.Limit > 0 {
		total = theme.Thousands(s.Used()) + " of " + theme.Plural(s.Limit, "token")
	}
	p.line(Title, "%s · ~%s", theme.Plural(len(r.Plan.Messages), "message"), total)
	if r.Note != "" {
		p.line(Warning, "! %s", theme.OneSentence(r.Note))
	}
	if r.Past == nil && !r.Tried {
		if settings, err := in.settings(); err != nil {
			p.line(Warning, "! %s", theme.Sentence(err))
		} else {
			p.line(Quiet, "%s.", theme.UpperFirst(settings))
		}
	}
	proofLine(r, &p)
	if s.Tools > 0 {
		p.line(Quiet, "The tools that the model may call take ~%s; the json view shows them.",
			theme.Plural(s.Tokens(s.Tools), "token"))
	}
	return p
}

// facts are the role of a message of the request, whose text it is, and its ids.
func (in *Model) facts(i int, entries []int) []string {
	sent := in.Plan.Messages[i]
	facts := []string{theme.OneLine(string(sent.Role))}
	if whose := in.whose(i, entries); whose != "" {
		facts = append(facts, whose)
	}
	if sent.Role == history.Tool {
		facts = append(facts, "answers the call "+theme.QuotedID(sent.ToolCallID))
	}
	return facts
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
	if in.Past == nil && sent.Role == history.User {
		return "your draft"
	}
	return ""
}

// writeBody writes what a message of the request holds: text, parts, calls. What nobody said has its sign.
func (in *Model) writeBody(p *Page, i int) {
	sent := in.Plan.Messages[i]
	for _, part := range sent.Parts {
		p.line(Quiet, "[%s %s]", theme.PartKind(part),
			strings.Join(append([]string{theme.OneLine(part.Name)}, theme.PartFacts(part, in.Plan.Sum)...), " · "))
		p.block(Sent, part.Sent())
	}
	if sent.Content != "" {
		*p = append(*p, marked(sent.Content, in.spansOf(i))...)
		p.add(Quiet, "\n")
	}
	if sent.Reasoning != "" {
		p.line(Quiet, "reasoning, sent back:")
		p.block(Sent, sent.Reasoning)
	}
	for _, call := range sent.ToolCalls {
		p.line(Quiet, "calls %s · id %s", theme.OneLine(call.Name), theme.QuotedID(call.ID))
		p.block(Sent, call.Arguments)
	}
	if sent.Content == "" && len(sent.ToolCalls)+len(sent.Parts) == 0 {
		p.line(Quiet, "(no text)")
	}
}

// spansOf finds what winnow added to a message of the request, and what of it is recalled.
func (in *Model) spansOf(i int) []span {
	var list []span
	spans := in.Plan.Spans
	at, _ := slices.BinarySearchFunc(spans, i, func(s history.Span, i int) int { return s.Message - i })
	for ; at < len(spans) && spans[at].Message == i; at++ {
		switch s := spans[at]; {
		case s.Recalled:
			list = append(list, span{s.From, s.To, Part})
		case s.Entry >= 0:
			list = append(list, in.inserted(s)...)
		}
	}
	for _, a := range in.Plan.Added {
		if a.Before != i {
			continue
		}
		from := a.From
		for _, s := range list {
			if s.kind == Part && s.from >= from && s.to <= a.To { // a recalled text in its frame
				list = append(list, span{from, s.from, Added})
				from = s.to
			}
		}
		list = append(list, span{from, a.To, Added})
	}
	return list
}

// inserted finds what winnow put into the text of an entry.
func (in *Model) inserted(at history.Span) []span {
	e := in.Plan.Entries[at.Entry]
	stored, ok := in.stored(e.ID)
	if !ok || len(e.Inserted) == 0 || e.Recalled {
		return nil // what stands in the place of a recalled message is another cut than its verdict tells
	}
	var list []span
	from := at.From
	for _, s := range SegmentsOf(stored.Content, e) {
		if s.Kind == Unsent {
			continue
		}
		if s.Kind == Added {
			list = append(list, span{from, from + len(s.Text), Added})
		}
		from += len(s.Text)
	}
	if from != at.To {
		return nil // the record is of another text
	}
	return list
}
