// Package editor edits a draft: a text with a cursor, in which insets may stand. A character is a grapheme cluster or a
// line break, and an inset, whatever the length of its label, is one character too. The package does not know what an
// inset stands for.
package editor

import (
	"iter"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// tabWidth is the width of a tab in cells.
const tabWidth = 4

// Inset stands in a text as one character. Its label is drawn, and must not change.
type Inset interface{ Label() string }

// character is what the cursor steps over: a grapheme cluster, a line break, or an inset.
type character struct {
	text  string // the cluster, or the inset's label
	width int    // in cells of the screen
	inset Inset  // nil for a cluster
}

func (c character) endsLine() bool { return c.inset == nil && c.text == "\n" }

// blank reports whether the character separates words.
func (c character) blank() bool { return c.inset == nil && strings.TrimSpace(c.text) == "" }

// Editor is a text and the cursor in it. New makes one; the zero value is not ready. A position is the number of
// characters in front of it.
type Editor struct {
	text     []character
	cursor   int
	goal     int   // the column that moving up and down comes back to,
	goalOf   int   // as long as the cursor is here
	width    int   // of a row, in cells
	maxRows  int   // rows that are shown at once
	top      int   // the first row that is shown
	revision int   // how often the text has changed
	starts   []int // the first character of each row, nil where the text is not laid out
}

// New makes an empty editor of one row.
func New() Editor { return Editor{width: 1, maxRows: 1} }

// Resize sets the width of the rows in cells, and how many of them are shown at most.
func (e *Editor) Resize(width, most int) {
	if width = max(1, width); width != e.width {
		e.width, e.starts = width, nil
	}
	e.maxRows = max(1, most)
}

// Revision is a number that grows with every change of the text.
func (e *Editor) Revision() int { return e.revision }

// Empty reports whether nothing is written.
func (e *Editor) Empty() bool { return len(e.text) == 0 }

// Reset makes the text empty.
func (e *Editor) Reset() { e.TakeFrom(New()) }

// TakeFrom takes the text and the cursor of another editor, which must not be used any more.
func (e *Editor) TakeFrom(o Editor) {
	o.width, o.maxRows, o.revision, o.starts = e.width, e.maxRows, e.revision+1, nil
	*e = o
}

// All yields each character with nil, line breaks among them, and each inset with its label.
func (e *Editor) All() iter.Seq2[string, Inset] {
	return func(yield func(string, Inset) bool) {
		for i := 0; i < len(e.text) && yield(e.text[i].text, e.text[i].inset); i++ {
		}
	}
}

// WordBeforeCursor is the text between the last blank and the cursor, "" where it holds an inset.
func (e *Editor) WordBeforeCursor() string {
	word := ""
	for _, c := range e.text[e.wordStart():e.cursor] {
		word += c.text
	}
	return word
}

// DeleteWordBeforeCursor removes what Word returns.
func (e *Editor) DeleteWordBeforeCursor() { e.replace(e.wordStart(), e.cursor, "") }

// wordStart is where Word begins.
func (e *Editor) wordStart() int {
	from := e.cursor
	for ; from > 0 && !e.text[from-1].blank(); from-- {
		if e.text[from-1].inset != nil {
			return e.cursor
		}
	}
	return from
}

// Insert writes a text at the cursor.
func (e *Editor) Insert(text string) { e.replace(e.cursor, e.cursor, text) }

// InsertInset puts an inset at the cursor.
func (e *Editor) InsertInset(inset Inset) {
	label := inset.Label()
	e.put(e.cursor, e.cursor, character{text: label, width: ansi.StringWidth(label), inset: inset})
}

// ReplaceInset lets a function write in the place of an inset, and reports whether there is such an inset. The cursor
// stays where it is in the text around it; what was right behind the inset is right behind the new text.
func (e *Editor) ReplaceInset(inset Inset, write func()) bool {
	at := slices.IndexFunc(e.text, func(c character) bool { return c.inset == inset })
	if at < 0 {
		return false
	}
	cursor, n := e.cursor, len(e.text)
	e.put(at, at+1)
	write()
	if cursor > at {
		cursor += len(e.text) - n
	}
	e.cursor = cursor
	return true
}

// replace writes a text in the place of what is between two positions. Its ends may become one character with what is
// beside them, as a letter and its accent, or the halves of a flag.
func (e *Editor) replace(from, to int, text string) {
	if from == to && text == "" {
		return
	}
	if from > 0 && e.text[from-1].inset == nil {
		from--
		text = e.text[from].text + text
	}
	behind := ""
	if to < len(e.text) && e.text[to].inset == nil {
		behind = e.text[to].text
		to++
	}
	e.put(from, to, charactersOf(text+behind)...)
	e.cursor = from + len(charactersOf(text)) // behind what became one character with what follows
}

// put puts characters in the place of what is between two positions, and the cursor behind them.
func (e *Editor) put(from, to int, with ...character) {
	e.text = slices.Replace(e.text, from, to, with...)
	e.cursor, e.starts = from+len(with), nil
	e.revision++
}

// charactersOf splits a text into its characters.
func charactersOf(text string) []character {
	characters := make([]character, 0, len(text))
	for clusters := graphemes.FromString(text); clusters.Next(); {
		c := character{text: clusters.Value(), width: ansi.StringWidth(clusters.Value())}
		if c.text == "\t" {
			c.width = tabWidth
		}
		characters = append(characters, c)
	}
	return characters
}

// moves are the keys that move the cursor.
var moves = map[string]func(*Editor, int) int{
	"up": (*Editor).up, "down": (*Editor).down,
	"left": (*Editor).left, "ctrl+b": (*Editor).left,
	"right": (*Editor).right, "ctrl+f": (*Editor).right,
	"alt+left": (*Editor).wordLeft, "ctrl+left": (*Editor).wordLeft, "alt+b": (*Editor).wordLeft,
	"alt+right": (*Editor).wordRight, "ctrl+right": (*Editor).wordRight, "alt+f": (*Editor).wordRight,
	"home": (*Editor).lineStart, "ctrl+a": (*Editor).lineStart,
	"end": (*Editor).lineEnd, "ctrl+e": (*Editor).lineEnd,
	"ctrl+home": (*Editor).start, "alt+<": (*Editor).start,
	"ctrl+end": (*Editor).end, "alt+>": (*Editor).end,
}

// cuts are the keys that remove what is between the cursor and a position.
var cuts = map[string]func(*Editor, int) int{
	"backspace": (*Editor).left, "ctrl+h": (*Editor).left, "shift+backspace": (*Editor).left,
	"delete": (*Editor).right, "ctrl+d": (*Editor).right,
	"ctrl+w": (*Editor).wordLeft, "alt+backspace": (*Editor).wordLeft, "ctrl+backspace": (*Editor).wordLeft,
	"alt+d": (*Editor).wordRight, "alt+delete": (*Editor).wordRight, "ctrl+delete": (*Editor).wordRight,
	"ctrl+u": (*Editor).lineStart, "ctrl+k": (*Editor).lineEnd,
}

// HandleKey handles a key that moves the cursor or removes text.
func (e *Editor) HandleKey(msg tea.KeyPressMsg) {
	name := msg.Keystroke()
	switch move, cut := moves[name], cuts[name]; {
	case move != nil:
		e.cursor = move(e, e.cursor)
	case cut != nil:
		p := cut(e, e.cursor)
		e.replace(min(p, e.cursor), max(p, e.cursor), "")
	}
}

func (e *Editor) start(int) int { return 0 }

func (e *Editor) end(int) int { return len(e.text) }

func (e *Editor) left(p int) int { return max(0, p-1) }

func (e *Editor) right(p int) int { return min(len(e.text), p+1) }

func (e *Editor) lineStart(p int) int {
	for p > 0 && !e.text[p-1].endsLine() {
		p--
	}
	return p
}

func (e *Editor) lineEnd(p int) int {
	for p < len(e.text) && !e.text[p].endsLine() {
		p++
	}
	return p
}

// wordLeft is the beginning of the word before a position.
func (e *Editor) wordLeft(p int) int {
	for p > 0 && e.text[p-1].blank() {
		p--
	}
	for p > 0 && !e.text[p-1].blank() {
		p--
	}
	return p
}

// wordRight is the end of the word behind a position.
func (e *Editor) wordRight(p int) int {
	for p < len(e.text) && e.text[p].blank() {
		p++
	}
	for p < len(e.text) && !e.text[p].blank() {
		p++
	}
	return p
}

func (e *Editor) up(p int) int { return e.vertical(p, -1) }

func (e *Editor) down(p int) int { return e.vertical(p, 1) }

// vertical is so many rows below a position, in the column where moving up and down began.
func (e *Editor) vertical(p, rows int) int {
	if p != e.goalOf {
		e.goal = e.column(p)
	}
	e.goalOf = e.at(e.goal, e.row(p)+rows)
	return e.goalOf
}
