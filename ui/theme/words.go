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

// Sentence is an error for the user, with a full stop. It may begin with the name of an endpoint,
// and names keep their case.
func Sentence(err error) string {
	s := cmp.Or(strings.TrimSpace(err.Error()), "something failed without an error message")
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

// TildePath is a path as people write it: the home folder is ~.
func TildePath(path string) string {
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(path, home+string(filepath.Separator)) {
		return "~" + path[len(home):]
	}
	return path
}

// UpperFirst begins a sentence with a capital letter.
func UpperFirst(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}

// NoticeText is what a session announces, for the screen. It begins with a capital letter, unless its first word may be
// a name, such as that of an endpoint or of a setting.
func NoticeText(text string) string {
	switch first, _, _ := strings.Cut(text, " "); first {
	case "asking", "the", "tool":
		return UpperFirst(text)
	}
	return text
}

// QuotedID is a call's id; a blank one is seen.
func QuotedID(id string) string { return cmp.Or(strings.TrimSpace(OneLine(id)), `""`) }

// Thousands writes 5312 as 5,312, and what is below zero with a minus sign.
func Thousands(n int) string {
	return strings.Replace(humanize.Comma(int64(n)), "-", "−", 1)
}

// Signed writes a difference with its sign.
func Signed(n int) string {
	if n > 0 {
		return "+" + Thousands(n)
	}
	return Thousands(n)
}

// Size writes a number of bytes as people do: 312 B, 8.1 kB, 14 MB.
func Size(n int) string { return humanize.Bytes(uint64(n)) }

// Plural writes "1 line" and "2 lines".
func Plural(n int, thing string) string {
	return PluralOf(n, thing, english.PluralWord(2, thing, ""))
}

// PluralOf writes a number with one of two words.
func PluralOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + many
}

// EstimateTokens is about how many tokens a text of n bytes has, where nothing has counted them.
func EstimateTokens(n int) int { return n / 4 }

// JoinOr writes "a", "a or b" and "a, b or c".
func JoinOr(words []string) string { return english.WordSeries(words, "or") }

// JoinAnd writes "2", "2 and 3" and "2, 3 and 4".
func JoinAnd(words []string) string { return english.WordSeries(words, "and") }

// Duration writes a duration of a turn: 1.9 s, 42 s, 3 m 05 s.
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

// FileLabel says what a file is: its name, its size, and what it costs.
func FileLabel(p history.Part, tokens int) string {
	name, kind, facts := cmp.Or(markdown.OneLine(p.Name, 60), "without a name"), "file", []string(nil)
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
