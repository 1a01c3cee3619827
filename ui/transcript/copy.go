package transcript

import (
	"strings"
	"unicode/utf8"

	"winnow/session/store"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// ToCopy is the text that is copied, and what it is called, or why there is none: that of the selected messages, else
// of the message under the cursor. Where the transcript has no focus the last answer is under it.
func (c *Model) ToCopy(focused bool) (what, text, fault string) {
	messages := []store.Message{c.toCopy(focused)}
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
		return "", "", "There is no text to copy."
	}
	text = strings.Join(texts, "\n\n")
	if what = characters(text); len(messages) > 1 {
		what = theme.Plural(len(texts), "message") + ", " + what
	}
	return what, text, ""
}

// CodeToCopy is ToCopy for the last code block of the message, and when that was copied before, for the one before it.
func (c *Model) CodeToCopy(focused bool) (what, text, fault string) {
	m := c.toCopy(focused)
	list := markdown.CodeBlocks(m.Content)
	if len(list) == 0 {
		return "", "", "This message has no code block."
	}
	if c.codeOf != m.ID {
		c.codeOf, c.codes = m.ID, 0
	}
	c.codes++
	code := list[len(list)-1-(c.codes-1)%len(list)]
	return "a code block of " + theme.Plural(strings.Count(code, "\n")+1, "line"), code, ""
}

// toCopy is the message that is copied from.
func (c *Model) toCopy(focused bool) store.Message {
	if m, ok := c.Selected(); ok && focused {
		return m
	}
	m, _ := c.lastAnswer()
	return m
}

// characters says how long a text is.
func characters(text string) string { return theme.Plural(utf8.RuneCountInString(text), "character") }
