// Package title makes the title of a conversation from its first message by a plain rule. It does not ask
// a model for one.
package title

import (
	"strings"
	"unicode"

	"winnow/history"
)

// maxLength is the longest title, in code points.
const maxLength = 48

// Of makes a title of a first message: its first line with a letter or
// digit in it, without Markdown's marks, up to its first sentence's end, cut at a word.
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

// OfMessage makes a title of a first message, which may be nothing but its files.
func FromMessage(m history.Message) string {
	if strings.TrimSpace(m.Content) == "" && len(m.Parts) > 0 {
		return FromText(m.Parts[0].Name)
	}
	return FromText(m.Content)
}

// firstSentence ends a line at a sentence's end, but not inside "v1.2" or "e.g.".
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

// cutAtWord cuts a line to at most limit code points and an ellipsis, at a space where one is near.
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

// printable leaves out what a title must not hold: control characters and broken UTF-8.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, line)
}

// OneLine is a text as one line without what a title must not hold.
func OneLine(text string) string {
	return printable(strings.Join(strings.Fields(text), " "))
}
