package theme

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"winnow/history"
	"winnow/llm/tool"
	"winnow/ui/markdown"
)

// Sentence returns the text of an error with a full stop. It keeps the case of the first letter, because the text may
// begin with the name of an endpoint.
func Sentence(err error) string {
	s := cmp.Or(strings.TrimSpace(err.Error()), "something failed without an error message")
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}

// ForkMark precedes the title of a forked chat.
const ForkMark = "↳"

// OneLine returns foreign text as one line of at most 120 cells.
func OneLine(s string) string { return markdown.OneLine(s, 120) }

// OneSentence returns foreign text as one line of at most 2,000 cells, to be wrapped.
func OneSentence(s string) string { return markdown.OneLine(s, 2000) }

// TildePath abbreviates the home folder of a path to ~.
func TildePath(path string) string {
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(path, home+string(filepath.Separator)) {
		return "~" + path[len(home):]
	}
	return path
}

// UpperFirst returns a text with its first letter in upper case.
func UpperFirst(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}

// NoticeText returns an announcement of a session for the screen: capitalized, unless its first word may be the name of
// an endpoint or setting.
func NoticeText(text string) string {
	switch first, _, _ := strings.Cut(text, " "); first {
	case "asking", "the", "tool":
		return UpperFirst(text)
	}
	return text
}

// QuotedID returns the id of a tool call on one line, "" in quotes if it is blank.
func QuotedID(id string) string { return cmp.Or(strings.TrimSpace(OneLine(id)), `""`) }

// Thousands formats a number with commas, 5,312, and a minus sign if negative.
func Thousands(n int) string {
	return strings.Replace(humanize.Comma(int64(n)), "-", "−", 1)
}

// Signed formats a difference: +37, −37 or 0.
func Signed(n int) string {
	if n > 0 {
		return "+" + Thousands(n)
	}
	return Thousands(n)
}

// Size formats a number of bytes: 312 B, 8.1 kB, 14 MB.
func Size(n int) string { return humanize.Bytes(uint64(n)) }

// Plural formats a number with its noun: 1 line, 2 lines.
func Plural(n int, thing string) string {
	return PluralOf(n, thing, english.PluralWord(2, thing, ""))
}

// PluralOf formats a number with the singular or plural given.
func PluralOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + many
}

// EstimateTokens estimates the tokens of a text of n bytes.
func EstimateTokens(n int) int { return n / 4 }

// JoinOr joins words: "a", "a or b", "a, b or c".
func JoinOr(words []string) string { return english.WordSeries(words, "or") }

// JoinAnd joins words: "2", "2 and 3", "2, 3 and 4".
func JoinAnd(words []string) string { return english.WordSeries(words, "and") }

// Duration formats a duration: 1.9 s, 42 s, 3 m 05 s.
func Duration(d time.Duration) string {
	s := int(d.Seconds())
	switch {
	case s < 10:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case s < 60:
		return fmt.Sprintf("%d s", s)
	}
	return fmt.Sprintf("%d m %02d s", s/60, s%60)
}

// FileLabel describes an attached file: [file a.go: 12 lines, 340 B, ~90 tokens]. Tokens of 0 are left out.
func FileLabel(p history.Part, tokens int) string {
	name, kind, facts := cmp.Or(markdown.OneLine(p.Name, 60), "unnamed"), "file", []string(nil)
	if p.Kind == history.ImagePart || p.Kind == history.NotePart {
		kind = string(p.Kind)
	}
	if w, h, ok := tool.PictureSize(p.Data); ok {
		facts = append(facts, fmt.Sprintf("%d×%d", w, h))
	} else if p.Kind != history.ImagePart {
		facts = append(facts, Plural(strings.Count(strings.TrimSuffix(p.Text, "\n"), "\n")+1, "line"))
	}
	facts = append(facts, Size(len(p.Data)+len(p.Text)))
	if tokens > 0 {
		facts = append(facts, "~"+Plural(tokens, "token"))
	}
	return "[" + kind + " " + name + ": " + strings.Join(facts, ", ") + "]"
}
