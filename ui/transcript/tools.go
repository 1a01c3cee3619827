package transcript

import (
	"encoding/json"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// callsOnly says that a message is nothing but tool calls.
func callsOnly(m store.Message) bool { return m.Content == "" && len(m.ToolCalls) > 0 }

// callText is tool calls as text: what a search looks at, and what is shown of them when they are unfolded.
func callText(calls []history.ToolCall) string {
	var lines []string
	for _, call := range calls {
		lines = append(lines, "→ "+call.Name+" "+call.Arguments)
	}
	return strings.Join(lines, "\n")
}

// joins says that row i is the result of the only call of the message above: it stands directly below that.
func (c *Model) joins(i int) bool {
	return i > 0 && i < c.Messages.Len() && c.Messages.Role(i) == history.Tool && c.Messages.Row(i-1).Calls == 1 &&
		c.failed[c.Messages.ID(i-1)].What == ""
}

// call is the two parts of the row of a tool call: its name, and its arguments as a person writes them.
func (c *Model) call(call history.ToolCall) (name, rest string) {
	st := &c.Themes.Styles
	if arguments := markdown.OneLine(argumentsRow(call.Arguments), c.bodyWidth()); arguments != "" {
		rest = st.Muted.Render(" " + arguments)
	}
	return st.Text.Render(markdown.OneLine(call.Name, 64)), rest
}

// callLines are the tool calls of a message below its text: a row each, or unfolded as they are. The first one stands
// in the place of the name where there is no text.
func (c *Model) callLines(m store.Message, open bool) []string {
	calls, lines := m.ToolCalls, []string(nil)
	switch {
	case len(calls) == 0:
		return nil
	case open:
		return c.plain(callText(calls), c.Themes.Styles.Text)
	case callsOnly(m):
		calls = calls[1:]
	default:
		lines = []string{""}
	}
	for _, call := range calls {
		name, rest := c.call(call)
		lines = append(lines, markdown.Truncate(name+rest, c.bodyWidth(), "…"))
	}
	return lines
}

// result is the two parts of the row of a tool's result: its first line, and how much follows.
func (c *Model) result(m store.Message, l look) (name, rest string) {
	st, w := &c.Themes.Styles, c.proseWidth()
	text := strings.Trim(m.Content, "\n")
	first, _, _ := strings.Cut(text, "\n")
	more := strings.Count(text, "\n")
	if more == 0 && len(text) <= foldedBytes && ansi.StringWidth(text) <= w {
		return st.Text.Render(markdown.OneLine(first, w)), ""
	}
	does := "opens it"
	if l.open {
		first, more, does = "result", 0, "closes it"
	}
	rest = st.Muted.Render(" · " + strings.Join(extent(m, l, more), " · "))
	return st.Text.Render(markdown.OneLine(first, w)), c.hinted(rest, keymap.Expand, does)
}

// toolOf is the name of the tool whose result a message is.
func (c *Model) toolOf(result store.Message) string {
	at, _ := c.Messages.Find(result.ID)
	for at--; at >= 0 && c.Messages.Role(at) != history.User; at-- {
		for _, call := range c.At(at).ToolCalls {
			if call.ID == result.ToolCallID && call.Name != "" {
				return call.Name
			}
		}
	}
	return theme.Speaker(history.Tool)
}

// argumentsRow is the arguments of a call in one line: the text where there is but one, else all as they are.
func argumentsRow(arguments string) string {
	var texts map[string]string
	if json.Unmarshal([]byte(arguments), &texts) == nil && len(texts) == 1 {
		for _, text := range texts {
			return text
		}
	}
	return arguments
}
