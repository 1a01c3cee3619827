// Package title makes the title of a conversation from its first message by a simple rule, without asking a model.
package title

import (
	"strings"
	"unicode"

	"winnow/history"
)

// maxLength is the length of the longest title in code points.
const maxLength = 48

// FromText returns a title for a text: the first sentence of its first line with a letter or digit, without Markdown,
// cut at a word.
func FromText(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, "#>*-`~ \t")
		line = strings.Join(strings.Fields(strings.NewReplacer("**", "", "`", "").Replace(line)), " ")
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return cutAtWord(firstSentence(printable(line)), maxLength)
		}
	}
	return "Untitled"
}

// FromMessage returns a title for a message, which may consist of files only.
func FromMessage(m history.Message) string {
	if strings.TrimSpace(m.Content) == "" && len(m.Parts) > 0 {
		return FromText(m.Parts[0].Name)
	}
	return FromText(m.Content)
}

// firstSentence returns the first sentence of a line. It does not end inside "v1.2" or "e.g.".
func firstSentence(line string) string {
	for i, r := range line {
		rest := line[i+len(string(r)):]
		switch {
		case strings.ContainsRune("。！？", r):
			return line[:i]
		case strings.ContainsRune(".!?", r) && strings.HasPrefix(rest, " ") && i > 12:
			return strings.TrimRight(line[:i], ".!?")
		}
	}
	return strings.TrimRight(line, ".:,; ")
}

// cutAtWord cuts a line to at most limit code points including an ellipsis, at a space if one is near.
func cutAtWord(line string, limit int) string {
	runes := []rune(line)
	if len(runes) <= limit {
		return line
	}
	cut := string(runes[:limit-1])
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		cut = cut[:space]
	}
	return cut + "…"
}

// printable removes control characters and invalid UTF-8.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, line)
}

// OneLine returns a text on one line without control characters and invalid UTF-8.
func OneLine(text string) string {
	return printable(strings.Join(strings.Fields(text), " "))
}
