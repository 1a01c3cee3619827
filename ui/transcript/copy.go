package transcript

import (
	"strings"
	"unicode/utf8"

	"winnow/session/store"
	"winnow/ui/theme"
)

// ToCopy is the text that is copied, and what it is called, or why there is none: of messages that are named by
// their numbers, of the last "code" block of the message under the cursor, else for "" of the selected messages,
// else of the one under the cursor. Where the transcript has no focus the last answer is the one under the cursor.
func (c *Model) ToCopy(args string, focused bool) (what, text, fault string) {
	on, ok := c.Selected()
	if _, failed := c.Failed(); focused && failed && args == "" {
		it, _ := c.list.Item(c.list.cursor)
		text = it.Failure.text()
		return theme.Plural(utf8.RuneCountInString(text), "character"), text, ""
	}
	if !focused || !ok {
		on, ok = c.lastAnswer()
	}
	var ids []int64
	switch {
	case args == "code":
		code := lastCode(on.Content)
		if !ok || code == "" {
			return "", "", "This message has no code block."
		}
		return "a code block of " + theme.Plural(strings.Count(code, "\n")+1, "line"), code, ""
	case args != "":
		if ids, fault = c.Named(args); fault != "" {
			return "", "", fault
		}
	default:
		ids = c.Picked()
	}
	messages := []store.Message{on}
	if len(ids) > 0 {
		messages = nil
		for _, id := range ids {
			messages = append(messages, c.At(c.indexOf(id)))
		}
	}
	var texts []string
	for _, message := range messages {
		if message.Content != "" {
			texts = append(texts, message.Content)
		}
	}
	if len(texts) == 0 {
		return "", "", "There is no text to copy."
	}
	text = strings.Join(texts, "\n\n")
	what = theme.Plural(utf8.RuneCountInString(text), "character")
	if len(messages) > 1 {
		what = theme.Plural(len(texts), "message") + ", " + what
	}
	return what, text, ""
}

// lastCode is the text of the last fenced code block, "" for none.
func lastCode(text string) string {
	var code, open []string
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		switch next := fenceAfter(fence, line); {
		case fence == "" && next != "":
			fence, open = next, []string{}
		case fence != "" && next == "":
			code, fence = open, ""
		case fence != "":
			open = append(open, line)
		}
	}
	if fence != "" {
		code = open
	}
	return strings.Join(code, "\n")
}
