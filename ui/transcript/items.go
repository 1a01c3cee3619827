package transcript

import (
	"fmt"
	"strings"
	"unicode"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// items are the items of messages: each message, and each tool call of it.
func (c *Model) items(messages []store.Message) []Item {
	items := make([]Item, 0, len(messages))
	for _, m := range messages {
		items = append(items, c.Item(m))
		items = append(items, c.callItems(m)...)
	}
	return items
}

// Item is a message as the list shows it.
func (c *Model) Item(m store.Message) Item {
	it := Item{
		ID: m.ID, Role: m.Role, Label: theme.Speaker(m.Role), Text: m.Content, Reasoning: m.Reasoning,
		Trail: c.Trails[m.ID],
	}
	switch m.Role {
	case history.Assistant:
		it.Label = ShortName(m.Model)
		if callsOnly(m) {
			it.Text, it.Fold, it.Plain = callText(m.ToolCalls), true, true
		}
		if r, ok := c.Receipts[m.Request]; ok && m.Request != 0 {
			it.Footer = Receipt(r)
		}
	case history.Tool:
		it.Fold, it.Plain = true, true
		if m.Content == "" {
			it.Note = "the tool answered nothing"
		}
	case history.User:
		it.Plain = true
	}
	switch m.Status {
	case history.Interrupted:
		it.Note = "stopped here"
	case history.Failed:
		it.Note = "failed before anything arrived"
	case history.Quarantined:
		it.Note = "its role is unknown; kept, never sent"
		if m.Damaged {
			it.Text, it.Plain = m.Remains, true
			it.Note = "damaged and unreadable; kept, never sent"
			if m.Remains != "" {
				it.Note = "damaged: this is not as it was stored; kept, never sent"
			}
		}
	case history.Streaming:
		it.Note = "still arriving"
	}
	if m.Siblings > 1 {
		it.Head = fmt.Sprintf("‹ %d/%d ›", m.Sibling, m.Siblings)
	}
	files := ""
	for _, p := range m.Parts {
		files += theme.FileLabel(p, 0) + "\n"
	}
	it.Note = strings.TrimSuffix(files+it.Note, "\n")
	return it
}

// callsOnly says that a message is nothing but tool calls: then its own item shows them.
func callsOnly(m store.Message) bool { return m.Content == "" && len(m.ToolCalls) > 0 }

// Gist is what a message is known by in a list: its text, or its calls where it has none.
func Gist(m store.Message) string {
	if callsOnly(m) {
		return callText(m.ToolCalls)
	}
	return m.Content
}

func callText(calls []history.ToolCall) string {
	var lines []string
	for _, call := range calls {
		lines = append(lines, "→ "+call.Name+" "+call.Arguments)
	}
	return strings.Join(lines, "\n")
}

func (c *Model) callItems(m store.Message) []Item {
	if callsOnly(m) {
		return nil
	}
	var items []Item
	delete(c.callIDs, m.ID)
	for _, call := range m.ToolCalls {
		c.calls++
		c.owner[arriving-c.calls] = m.ID
		c.callIDs[m.ID] = append(c.callIDs[m.ID], arriving-c.calls)
		items = append(items, Item{
			ID: arriving - c.calls, Role: history.Tool, Label: "call", Fold: true, Plain: true,
			Text: callText([]history.ToolCall{call}),
		})
	}
	return items
}

// ShortName is a model's name in the few cells beside an answer: gpt-5.2 is gpt.
func ShortName(model string) string {
	name := model[strings.LastIndexByte(model, '/')+1:]
	letters := strings.TrimRightFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
	for i, r := range name {
		if !unicode.IsLetter(r) {
			letters = name[:i]
			break
		}
	}
	if letters == "" {
		return "model"
	}
	return markdown.OneLine(letters, 5)
}

// Receipt sums up an answer in one line.
func Receipt(r record.Receipt) string {
	parts := []string{fmt.Sprintf("saw %s of %s", theme.Thousands(r.Sent), theme.Thousands(r.Stored))}
	for _, p := range []struct {
		n    int
		what string
	}{{r.Cut, "cut"}, {r.Dropped, "dropped"}, {r.Recalled, "recalled"}, {r.Repaired, "repaired"}} {
		if p.n > 0 {
			parts = append(parts, theme.Thousands(p.n)+" "+p.what)
		}
	}
	in := "~" + theme.Thousands(r.Expected) + " in"
	if r.Usage.Prompt > 0 {
		in = theme.Thousands(r.Usage.Prompt) + " in"
		switch {
		case r.Cache.Missed():
			in += " (" + theme.Thousands(r.Usage.Cached) + " of ~" + theme.Thousands(r.Cache.Reusable) + " cached)"
		case r.Usage.Cached > 0:
			in += fmt.Sprintf(" (%s cached, %d %%)", theme.Thousands(r.Usage.Cached), 100*r.Usage.Cached/r.Usage.Prompt)
		}
	}
	if r.Unread > 0 {
		in = "server read " + theme.Thousands(r.Usage.Prompt) + " of ~" + theme.Thousands(r.Unread)
	}
	if r.Usage.Answer > 0 {
		in += " / " + theme.Thousands(r.Usage.Answer) + " out"
	}
	parts = append(parts, in)
	if cost := r.Cost.String(); cost != "" {
		parts = append(parts, cost)
	}
	if r.Took > 0 {
		parts = append(parts, theme.Duration(r.Took))
	}
	if r.Retries > 0 {
		parts = append(parts, "tried "+theme.Plural(r.Retries+1, "time"))
	}
	return strings.Join(parts, " · ")
}
