package transcript

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// CopyText copies the selected messages, else the one under the cursor, or for "code" a code block of that. Without a
// cursor it is the last answer.
func (c *Model) CopyText(args string) tea.Cmd {
	switch args {
	case "":
		return c.copyMessages()
	case "code":
		return c.copyCode()
	}
	return c.Fail("Usage: /copy, or /copy code for the last code block.")
}

func (c *Model) copyMessages() tea.Cmd {
	messages := []store.Message{c.toCopy()}
	if ids := c.Picked(); len(ids) > 0 {
		messages = nil
		for _, id := range ids {
			m, _ := c.Message(id)
			messages = append(messages, m)
		}
	}
	var texts []string
	for _, m := range messages {
		if m.Content != "" {
			texts = append(texts, m.Content)
		}
	}
	if len(texts) == 0 {
		return c.Fail("There is no text to copy.")
	}
	text := strings.Join(texts, "\n\n")
	what := characters(text)
	if len(messages) > 1 {
		what = theme.Plural(len(texts), "message") + ", " + what
	}
	return c.Copy(what, text)
}

// copyCode copies the last code block of a message, and when that was copied before, the one before it.
func (c *Model) copyCode() tea.Cmd {
	m := c.toCopy()
	list := markdown.CodeBlocks(m.Content)
	if len(list) == 0 {
		return c.Fail("This message has no code block.")
	}
	if c.codeOf != m.ID {
		c.codeOf, c.codes = m.ID, 0
	}
	c.codes++
	code := list[len(list)-1-(c.codes-1)%len(list)]
	return c.Copy("a code block of "+theme.Plural(strings.Count(code, "\n")+1, "line"), code)
}

// toCopy is the message that is copied from.
func (c *Model) toCopy() store.Message {
	if m, ok := c.Selected(); ok {
		return m
	}
	m, _ := c.lastAnswer()
	return m
}

// characters says how long a text is.
func characters(text string) string { return theme.Plural(utf8.RuneCountInString(text), "character") }
