package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
)

// field is a line to type in.
type field struct {
	text string
	at   int // the byte that the cursor stands before
}

// mostField is the longest text of a line to type in, in cells.
const mostField = 400

// fieldOf is a line with a text, the cursor at its end.
func fieldOf(text string) field {
	text = markdown.OneLine(text, mostField)
	return field{text, len(text)}
}

// typed is a key for the line; it says whether the key was one. Keys are told by their code: what
// arrives as text is typing, whatever it spells.
func (f *field) typed(msg tea.KeyPressMsg) bool {
	word := msg.Mod.Contains(tea.ModAlt) || msg.Mod.Contains(tea.ModCtrl)
	switch {
	case msg.Text != "":
		f.insert(msg.Text)
	case msg.Code == tea.KeyBackspace && word, msg.Code == 'w' && msg.Mod == tea.ModCtrl:
		f.cut(f.wordBefore(), f.at)
	case msg.Code == tea.KeyBackspace:
		f.cut(f.before(), f.at)
	case msg.Code == tea.KeyDelete:
		f.cut(f.at, f.after())
	case msg.Code == 'u' && msg.Mod == tea.ModCtrl:
		f.cut(0, f.at)
	case msg.Code == tea.KeyLeft && word:
		f.at = f.wordBefore()
	case msg.Code == tea.KeyLeft:
		f.at = f.before()
	case msg.Code == tea.KeyRight && word:
		f.at = f.wordAfter()
	case msg.Code == tea.KeyRight:
		f.at = f.after()
	case msg.Code == tea.KeyHome:
		f.at = 0
	case msg.Code == tea.KeyEnd:
		f.at = len(f.text)
	default:
		return false
	}
	return true
}

// insert puts a text where the cursor stands, on one line.
func (f *field) insert(text string) {
	text = lineOf(text)
	if fitWidth(f.text)+fitWidth(text) > mostField {
		return
	}
	f.text = f.text[:f.at] + text + f.text[f.at:]
	f.at += len(text)
}

// lineOf is a text on one line, its blanks at both ends kept.
func lineOf(text string) string {
	line := markdown.OneLine(text, mostField)
	switch {
	case text == "":
		return ""
	case line == "":
		return " "
	}
	if text[0] == ' ' {
		line = " " + line
	}
	if text[len(text)-1] == ' ' {
		line += " "
	}
	return line
}

func (f *field) cut(from, to int) {
	f.text = f.text[:from] + f.text[to:]
	f.at = from
}

// before is where the character before the cursor begins: all that stands in its cells.
func (f *field) before() int {
	last := 0
	for i := 0; i < f.at; {
		last = i
		i += clusterAt(f.text[i:])
	}
	return last
}

// after is where the character behind the cursor ends.
func (f *field) after() int {
	if f.at == len(f.text) {
		return f.at
	}
	return f.at + clusterAt(f.text[f.at:])
}

// wordBefore is where the word before the cursor begins.
func (f *field) wordBefore() int {
	left := strings.TrimRightFunc(f.text[:f.at], unicode.IsSpace)
	i := strings.LastIndexFunc(left, unicode.IsSpace)
	if i < 0 {
		return 0
	}
	_, n := utf8.DecodeRuneInString(left[i:])
	return i + n
}

// wordAfter is where the word behind the cursor ends.
func (f *field) wordAfter() int {
	right := strings.TrimLeftFunc(f.text[f.at:], unicode.IsSpace)
	if i := strings.IndexFunc(right, unicode.IsSpace); i >= 0 {
		right = right[i:]
		return len(f.text) - len(right)
	}
	return len(f.text)
}

// view is the part of the line that w cells show, and the cell of the cursor in it.
func (f *field) view(w int) (shown string, x int) {
	if w <= 0 {
		return "", 0
	}
	from := 0
	for from < f.at && fitWidth(f.text[from:f.at]) >= w {
		from += clusterAt(f.text[from:])
	}
	from = min(from, f.at)
	to := from
	for to < len(f.text) && fitWidth(f.text[from:to+clusterAt(f.text[to:])]) <= w {
		to += clusterAt(f.text[to:])
	}
	return f.text[from:to], min(w-1, fitWidth(f.text[from:f.at]))
}

// clusterAt is how many bytes the first character of a text takes, with all that stands in its cells.
func clusterAt(s string) int {
	cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return max(1, len(cluster))
}
