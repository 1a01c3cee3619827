package theme

import "strings"

// CutCommand returns the name of the command with which a text begins, without the slash, and what follows it.
func CutCommand(text string) (name, args string) {
	text = strings.TrimPrefix(text, "/")
	end := strings.IndexAny(text, " \t\n")
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// AsMessage says how a text that begins with a slash is sent.
const AsMessage = "To send it as a message, put a space before the slash."
