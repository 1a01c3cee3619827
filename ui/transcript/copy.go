package transcript

import (
	"strings"
	"unicode/utf8"

	"winnow/session/store"
	"winnow/ui/theme"
)

// ToCopy is the text that is copied, and what it is called, or why there is none: of messages that are named by their
// numbers, of a "code" block of the message under the cursor, else for "" of the selected messages, else of the one
// under the cursor. Where the transcript has no focus the last answer is the one under the cursor.
func (c *Model) ToCopy(args string, focused bool) (what, text, fault string) {
	on, ok := c.Selected()
	if failed, on := c.Failed(); focused && on && args == "" {
		text = failureText(&failed)
		return characters(text), text, ""
	}
	if !focused || !ok {
		on, _ = c.lastAnswer()
	}
	ids := c.Picked()
	switch {
	case args == "code":
		code := c.nextCode(on)
		if code == "" {
			return "", "", "This message has no code block."
		}
		return "a code block of " + theme.Plural(strings.Count(code, "\n")+1, "line"), code, ""
	case args != "":
		if ids, fault = c.Named(args); fault != "" {
			return "", "", fault
		}
	}
	messages := []store.Message{on}
	if len(ids) > 0 {
		messages = nil
	}
	for _, id := range ids {
		messages = append(messages, c.At(c.indexOf(id)))
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
	if what = characters(text); len(messages) > 1 {
		what = theme.Plural(len(texts), "message") + ", " + what
	}
	return what, text, ""
}

// characters says how long a text is.
func characters(text string) string { return theme.Plural(utf8.RuneCountInString(text), "character") }

// nextCode is the last code block of a message, and when that was copied before, the one before it; "" for none.
func (c *Model) nextCode(m store.Message) string {
	list := codeBlocks(m.Content)
	if len(list) == 0 {
		return ""
	}
	if c.codeOf != m.ID {
		c.codeOf, c.codes = m.ID, 0
	}
	c.codes++
	return list[len(list)-1-(c.codes-1)%len(list)]
}

// codeBlocks are the texts of fenced code blocks.
func codeBlocks(text string) (list []string) {
	var code []string
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimLeft(line, " ")
		switch {
		case fence == "" && (strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")):
			fence, code = bare[:len(bare)-len(strings.TrimLeft(bare, bare[:1]))], nil
		case fence != "" && strings.HasPrefix(bare, fence) && strings.Trim(bare, fence[:1]+" ") == "":
			list, fence = append(list, strings.Join(code, "\n")), ""
		case fence != "":
			code = append(code, line)
		}
	}
	if fence != "" {
		list = append(list, strings.Join(code, "\n"))
	}
	return list
}
