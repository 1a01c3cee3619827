package theme

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
)

// Field is a line to type in.
type Field struct {
	Text string
	At   int // the byte that the cursor stands before
}

// maxField is the longest text of a line to type in, in cells.
const maxField = 400

// NewField is a line with a text, the cursor at its end.
func NewField(text string) Field {
	text = markdown.OneLine(text, maxField)
	return Field{text, len(text)}
}

// Typed is a key for the line; it says whether the key was one. Keys are recognised by their code: what
// arrives as text is typing, whatever it spells.
func (f *Field) Typed(msg tea.KeyPressMsg) bool {
	word := msg.Mod.Contains(tea.ModAlt) || msg.Mod.Contains(tea.ModCtrl)
	switch {
	case msg.Text != "":
		f.Insert(msg.Text)
	case msg.Code == tea.KeyBackspace && word, msg.Code == 'w' && msg.Mod == tea.ModCtrl:
		f.cut(f.wordBefore(), f.At)
	case msg.Code == tea.KeyBackspace:
		f.cut(f.before(), f.At)
	case msg.Code == tea.KeyDelete:
		f.cut(f.At, f.after())
	case msg.Code == 'u' && msg.Mod == tea.ModCtrl:
		f.cut(0, f.At)
	case msg.Code == tea.KeyLeft && word:
		f.At = f.wordBefore()
	case msg.Code == tea.KeyLeft:
		f.At = f.before()
	case msg.Code == tea.KeyRight && word:
		f.At = f.wordAfter()
	case msg.Code == tea.KeyRight:
		f.At = f.after()
	case msg.Code == tea.KeyHome:
		f.At = 0
	case msg.Code == tea.KeyEnd:
		f.At = len(f.Text)
	default:
		return false
	}
	return true
}

// Insert inserts a text at the cursor, on one line.
func (f *Field) Insert(text string) {
	text = lineOf(text)
	if Width(f.Text)+Width(text) > maxField {
		return
	}
	f.Text = f.Text[:f.At] + text + f.Text[f.At:]
	f.At += len(text)
}

// lineOf is a text on one line, its blanks at both ends kept.
func lineOf(text string) string {
	line := markdown.OneLine(text, maxField)
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

func (f *Field) cut(from, to int) {
	f.Text = f.Text[:from] + f.Text[to:]
	f.At = from
}

// before is where the character before the cursor begins, combining characters included.
func (f *Field) before() int {
	last := 0
	for i := 0; i < f.At; {
		last = i
		i += ClusterLen(f.Text[i:])
	}
	return last
}

// after is where the character after the cursor ends.
func (f *Field) after() int {
	if f.At == len(f.Text) {
		return f.At
	}
	return f.At + ClusterLen(f.Text[f.At:])
}

// wordBefore is where the word before the cursor begins.
func (f *Field) wordBefore() int {
	left := strings.TrimRightFunc(f.Text[:f.At], unicode.IsSpace)
	i := strings.LastIndexFunc(left, unicode.IsSpace)
	if i < 0 {
		return 0
	}
	_, n := utf8.DecodeRuneInString(left[i:])
	return i + n
}

// wordAfter is where the word after the cursor ends.
func (f *Field) wordAfter() int {
	right := strings.TrimLeftFunc(f.Text[f.At:], unicode.IsSpace)
	if i := strings.IndexFunc(right, unicode.IsSpace); i >= 0 {
		right = right[i:]
		return len(f.Text) - len(right)
	}
	return len(f.Text)
}

// View is the part of the line that w cells show, and the cell of the cursor in it.
func (f *Field) View(w int) (shown string, x int) {
	if w <= 0 {
		return "", 0
	}
	from := 0
	for from < f.At && Width(f.Text[from:f.At]) >= w {
		from += ClusterLen(f.Text[from:])
	}
	from = min(from, f.At)
	to := from
	for to < len(f.Text) && Width(f.Text[from:to+ClusterLen(f.Text[to:])]) <= w {
		to += ClusterLen(f.Text[to:])
	}
	return f.Text[from:to], min(w-1, Width(f.Text[from:f.At]))
}

// ClusterLen is how many bytes the first character of a text takes, combining characters included.
func ClusterLen(s string) int {
	cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return max(1, len(cluster))
}
