package inspector

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"winnow/history"
	"winnow/history/cause"
	"winnow/session/store"
	"winnow/ui/theme"
)

// sentPage is what of the request carries the subject, as it is sent, and the segment to begin at, -1 for
// the top.
func (in *Model) sentPage() (p Page, first int) {
	r := &in.Request
	if in.On.Added > 0 {
		return in.addedSent(r.Added[in.On.Added-1]), -1
	}
	e, ok := r.Plan.EntryOf(in.On.Message)
	if !ok {
		return in.messagePage(in.On.Message), -1
	}
	proofLine(r, &p)
	c := sourceOf(r, e)
	if len(c.at) == 0 && !c.found {
		notSent(r, &p, in.stored, e)
		return p, -1
	}
	messages := in.sentMessages()
	for _, i := range c.at {
		messages.write(&p, i, e.Index)
	}
	first = -1
	if c.found {
		p.Heading("recalled into message "+theme.Thousands(c.block.Message+1)+" of the request",
			"in front of your message")
		text := r.Plan.Messages[c.block.Message].Content
		p.Add(Rest, text[:c.block.From])
		first = len(p)
		p.Add(Part, text[c.block.From:c.block.To])
		p.Block(Rest, text[c.block.To:])
	}
	if first < 0 || len(c.at) > 0 {
		return p, -1
	}
	return p, max(0, first-1)
}

// notSent says that nothing of a message is in the request, and which marker or summary is sent instead.
func notSent(r *Request, p *Page, stored func(int64) (store.Message, bool), e history.Entry) {
	if e.Sent() {
		p.Line(Quiet, "It is sent joined with other messages; see the text of the whole request.")
		return
	}
	m, _ := stored(e.ID)
	verdictLines(r, p, m, e)
	p.Add(Quiet, "\n")
	p.Line(Plain, "Nothing of this message is in the request.")
	if e.Disposition != history.Dropped && e.Disposition != history.Excluded {
		return
	}
	for _, a := range r.Added {
		if gap := a.Kind == history.AddedMarker || a.Kind == history.AddedSummary; gap &&
			(a.At > e.Index || a.Before == 0 && r.Plan.Messages[0].Role == history.System) {
			p.Heading(string(a.Kind), theme.OneSentence(a.Cause.Sentence()))
			p.Block(Added, a.Text)
			return
		}
	}
	p.Line(Quiet, "Nothing replaces it.")
}

// addedSent is the message of the request that holds an added text.
func (in *Model) addedSent(a history.Added) Page {
	var p Page
	proofLine(&in.Request, &p)
	if a.Before < 0 || a.Before >= len(in.Plan.Messages) {
		p.Line(Quiet, "It is in no message of the request.")
		return p
	}
	in.sentMessages().write(&p, a.Before, -1)
	return p
}

// sentMessages writes the messages of a request as they are sent.
type sentMessages struct {
	*Request
	stored func(int64) (store.Message, bool)
	shown  [][]int // the entries whose text each of them is
}

func (in *Model) sentMessages() sentMessages {
	return sentMessages{&in.Request, in.stored, in.Plan.Shown()}
}

// write writes one with its heading. Of the message with index on, -1 for none, the title has the number.
func (s sentMessages) write(p *Page, i, on int) {
	facts := s.facts(i)
	if shown := s.shown[i]; len(shown) == 1 && s.Plan.Entries[shown[0]].Index == on {
		facts = slices.Delete(facts, 1, 2)
	}
	p.Heading("message "+theme.Thousands(i+1)+" of "+theme.Thousands(len(s.Plan.Messages))+" in the request", facts...)
	s.writeBody(p, i)
}

// sections are all of them.
func (s sentMessages) sections() []section {
	var list []section
	seen := map[string]int{}
	digits := len(theme.Thousands(len(s.Plan.Messages)))
	for i, sent := range s.Plan.Messages {
		key := string(sent.Role) + " " + s.whose(i)
		seen[key]++
		facts := s.facts(i)
		part := section{
			Key:     key + " " + strconv.Itoa(seen[key]),
			Heading: fmt.Sprintf("%*s  %-9s", digits, theme.Thousands(i+1), facts[0]),
			Facts:   strings.Join(facts[1:], " · "),
			Gist:    theme.Plural(utf8.RuneCountInString(sent.Content), "character"),
		}
		if sent.Content != "" {
			part.Gist += " · " + theme.OneLine(sent.Content)
		} else if n := len(sent.ToolCalls); n > 0 {
			part.Gist = theme.Plural(n, "call")
		}
		s.writeBody(&part.Body, i)
		for k := range part.Body { // All of it is sent.
			if part.Body[k].Kind == Sent {
				part.Body[k].Kind = Plain
			}
		}
		list = append(list, part)
	}
	return list
}

// facts are the role of one, whose text it is, and its ids.
func (s sentMessages) facts(i int) []string {
	sent := s.Plan.Messages[i]
	facts := []string{theme.OneLine(string(sent.Role))}
	if whose := s.whose(i); whose != "" {
		facts = append(facts, whose)
	}
	if sent.Role == history.Tool {
		facts = append(facts, "answers the call "+theme.QuotedID(sent.ToolCallID))
	}
	return facts
}

// writeBody writes what one holds: text, parts, calls. What nobody said has its sign.
func (s sentMessages) writeBody(p *Page, i int) {
	sent := s.Plan.Messages[i]
	for _, part := range sent.Parts {
		p.Line(Quiet, "[%s %s]", theme.PartKind(part),
			strings.Join(append([]string{theme.OneLine(part.Name)}, theme.PartFacts(part, s.Plan.Sum)...), " · "))
		p.Block(Sent, part.Sent())
	}
	*p = append(*p, marked(sent.Content, s.spansOf(i))...)
	if sent.Content != "" {
		p.Add(Quiet, "\n")
	}
	if sent.Reasoning != "" {
		p.Line(Quiet, "reasoning, sent back:")
		p.Block(Sent, sent.Reasoning)
	}
	for _, call := range sent.ToolCalls {
		p.Line(Quiet, "calls %s · id %s", theme.OneLine(call.Name), theme.QuotedID(call.ID))
		p.Block(Sent, call.Arguments)
	}
	if sent.Content == "" && len(sent.ToolCalls) == 0 && len(sent.Parts) == 0 {
		p.Line(Quiet, "(no text)")
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
	for _, a := range r.Added {
		if a.Before == i && a.Text == r.Plan.Messages[i].Content {
			return "added: " + string(a.Kind)
		}
	}
	if r.Past == nil && r.Plan.Messages[i].Role == history.User {
		return "your draft"
	}
	return ""
}

// spansOf finds what winnow added to a message of the request, and what of it is recalled.
func (s sentMessages) spansOf(i int) []Span {
	var list []Span
	for _, a := range s.Plan.Added {
		switch {
		case a.Before != i:
		case a.Cause.Code == cause.RecalledBlock:
			list = append(list, s.recalled(a)...)
		case a.From < a.To:
			list = append(list, Span{a.From, a.To, Added})
		}
	}
	for _, span := range s.spansIn(i) {
		if span.Entry >= 0 && !span.Recalled {
			list = append(list, s.inserted(span)...)
		}
	}
	return list
}

// spansIn are the plan's spans in a message of the request.
func (s sentMessages) spansIn(i int) []history.Span {
	start := func(i int) int {
		at, _ := slices.BinarySearchFunc(s.Plan.Spans, i, func(span history.Span, i int) int {
			return span.Message - i
		})
		return at
	}
	return s.Plan.Spans[start(i):start(i+1)]
}

// inserted finds what winnow put into the text of an entry.
func (s sentMessages) inserted(at history.Span) []Span {
	e := s.Plan.Entries[at.Entry]
	stored, ok := s.stored(e.ID)
	if !ok || len(e.Inserted) == 0 || e.Recalled {
		return nil // what stands in the place of a recalled message is another cut than its verdict tells
	}
	var list []Span
	from := at.From
	for _, p := range SegmentsOf(stored.Content, e) {
		if p.Kind == Unsent {
			continue
		}
		if p.Kind == Added {
			list = append(list, Span{from, from + len(p.Text), Added})
		}
		from += len(p.Text)
	}
	if from != at.To {
		return nil // the record is of another text
	}
	return list
}

// recalled is where the recalled texts of a block are, with the frame around them.
func (s sentMessages) recalled(block history.Added) []Span {
	var list []Span
	at := block.From
	frame := func(to int) {
		if at < to {
			list = append(list, Span{at, to, Added})
		}
	}
	for _, span := range s.spansIn(block.Before) {
		if span.Recalled {
			frame(span.From)
			list = append(list, Span{span.From, span.To, Part})
			at = span.To
		}
	}
	frame(block.To)
	return list
}
