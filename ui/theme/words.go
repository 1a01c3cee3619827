package theme

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"winnow/ui/markdown"
)

// Sentence is an error for the user, with a full stop. It may begin with the name of an endpoint,
// and names keep their case.
func Sentence(err error) string {
	s := strings.TrimSpace(err.Error())
	if s == "" {
		return "something failed without an error message."
	}
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}

// ForkMark stands before the title of a session that was forked from another one.
const ForkMark = "↳"

// OneLine is a text of others for a line of the screen.
func OneLine(s string) string { return markdown.OneLine(s, 120) }

// OneSentence is a sentence of others for the screen.
func OneSentence(s string) string { return markdown.OneLine(s, 2000) }

// UpperFirst begins a sentence with a capital letter.
func UpperFirst(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}

// Announced is what a session announces, for the screen. It begins with a capital letter, unless its first word may be
// a name, such as that of an endpoint or of a setting.
func Announced(text string) string {
	switch first, _, _ := strings.Cut(text, " "); first {
	case "asking", "the", "tool":
		return UpperFirst(text)
	}
	return text
}

// QuotedID is a call's id; a blank one is seen.
func QuotedID(id string) string { return cmp.Or(strings.TrimSpace(OneLine(id)), `""`) }
