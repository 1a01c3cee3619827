package transcript

import (
	"fmt"
	"strings"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// slots are the slots of messages from one index to before another: of each message, of each tool call of it, and of
// the failures behind it.
func (c *Model) slots(from, end int) []slot {
	slots := make([]slot, 0, end-from)
	var failures map[int][]record.Failure
	for i := from; i < end; i++ {
		slots = append(append(slots, c.slot(i)), c.callSlots(i)...)
		r := c.Messages.Row(i)
		if r.Role() == history.User {
			failures = c.failuresIn(i, end)
		}
		if r.Faulty {
			if f, failed := record.FailureAfter(c.At(i)); failed {
				slots = append(slots, c.list.keepItem(c.failureItem(f)))
			}
		}
		for _, f := range failures[i] {
			slots = append(slots, c.list.keepItem(c.failureItem(f)))
		}
	}
	return slots
}

// Item is a message as the list shows it.
func (c *contents) Item(m store.Message) Item {
	it := Item{
		ID: m.ID, Role: m.Role, Name: theme.Speaker(m.Role), Text: m.Content, Reasoning: m.Reasoning,
		Trail: c.Trails[m.ID], Tokens: m.Tokens,
	}
	switch m.Role {
	case history.Assistant:
		it.Name = ModelName(m.Model)
		if callsOnly(m) {
			it.Text, it.Fold, it.Plain, it.Name = callText(m.ToolCalls), true, true, ""
			for _, call := range m.ToolCalls {
				it.Calls = append(it.Calls, callRow(call))
			}
		}
		if r, ok := c.Receipts[m.Request]; ok && m.Request != 0 {
			if r.Usage.Answer <= 0 {
				r.Written = written(m)
			}
			it.Receipt = &r
		}
	case history.Tool:
		it.Fold, it.Plain = true, true
		it.Name, it.Joins = c.callOf(m)
		if m.Content == "" {
			it.Note.What = "empty result"
		}
	case history.User:
		it.Plain, it.Fold = true, tooLong(m.Content)
	}
	switch m.Status {
	case history.Interrupted:
		it.Note = c.interruption(m)
	case history.Failed:
		it.Note = Note{What: "failed", Rest: "· this part is kept", Fault: true}
		if m.Content+m.Reasoning == "" && len(m.ToolCalls) == 0 {
			it.Note.Rest = "before anything arrived"
		}
	case history.Quarantined:
		it.Note = Note{What: "unknown role", Rest: "· kept, never sent", Fault: true}
		if m.Damaged {
			it.Text, it.Plain = m.Remains, true
			it.Note = Note{What: "damaged and unreadable", Rest: "· kept, never sent", Fault: true}
			if m.Remains != "" {
				it.Note = Note{What: "damaged", Rest: "· this is not what was stored; kept, never sent", Fault: true}
			}
		}
	case history.Streaming:
		it.Note.What = "still arriving"
	}
	if m.Siblings > 1 {
		it.Detail = fmt.Sprintf("%d of %d  %s %s", m.Sibling, m.Siblings, c.keys.First(keymap.VersionBack),
			c.keys.First(keymap.VersionOn))
	}
	files := ""
	for _, p := range m.Parts {
		files += theme.FileLabel(p, 0) + "\n"
	}
	it.Files = strings.TrimSuffix(files, "\n")
	return it
}

// written is about how many tokens of an answer arrived, where the server has not counted them.
func written(m store.Message) int { return theme.TokensOf(len(m.Content) + len(m.Reasoning)) }

// interruption says why an answer is not whole.
func (c *contents) interruption(m store.Message) Note {
	r := c.Receipts[m.Request]
	rest := "· this part is kept"
	if n := r.Usage.Answer; n > 0 {
		rest = "after " + theme.Plural(n, "token") + " " + rest
	} else if n := written(m); n > 0 {
		rest = "after ~" + theme.Plural(n, "token") + " " + rest
	}
	switch r.End {
	case store.EndStopped:
		return Note{What: "you stopped this", Rest: rest}
	case store.EndCut:
		what := "connection lost"
		if f := r.Fault; f.What != "" && !f.Broken {
			if what = f.What; f.Words != "" {
				what += ": “" + f.Words + "”"
			}
		}
		return Note{What: markdown.Visible(what), Rest: rest, Fault: true, Again: true}
	case store.EndNoDone:
		return Note{What: "the server closed the connection", Rest: rest, Fault: true, Again: true}
	case store.EndFailed:
		return Note{What: "the answer was cut off", Rest: rest, Fault: true, Again: true}
	}
	return Note{What: "interrupted", Rest: "· this part is kept", Fault: true, Again: true}
}

// callOf is the name of the tool whose result a message is, and whether the result belongs directly below its call.
func (c *contents) callOf(result store.Message) (name string, joins bool) {
	at, _ := c.Messages.Find(result.ID)
	for i := at - 1; i >= 0 && c.Messages.Role(i) != history.User; i-- {
		if c.Messages.Row(i).Calls == 0 {
			continue
		}
		m := c.At(i)
		for k, call := range m.ToolCalls {
			if call.ID == result.ToolCallID && call.Name != "" {
				last := k == len(m.ToolCalls)-1
				return call.Name, i == at-1 && last && (k == 0 || !callsOnly(m))
			}
		}
	}
	return theme.Speaker(history.Tool), false
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

// ModelName is the name of a model without what stands before it: gpt-5.2 of openai/gpt-5.2.
func ModelName(model string) string {
	name := markdown.OneLine(model[strings.LastIndexByte(model, '/')+1:], 64)
	if name == "" {
		return "model"
	}
	return name
}
