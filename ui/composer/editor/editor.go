// Package editor edits a text with a cursor. The text may contain insets. A character is a grapheme cluster, a line
// break, or an inset, however long its label is. The package does not know what an inset means.
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

// Inset is drawn as its label and edited as one character. Its label must not change.
type Inset interface{ Label() string }

// character is what the cursor steps over: a grapheme cluster, a line break, or an inset.
type character struct {
	text  string // the cluster, or the label of the inset
	width int    // in cells
	inset Inset  // nil for a cluster
}

func (c character) endsLine() bool { return c.inset == nil && c.text == "\n" }

// blank reports whether the character separates words.
func (c character) blank() bool { return c.inset == nil && strings.TrimSpace(c.text) == "" }

// Editor is a text and a cursor. The zero value is not usable; call New. Positions count characters from the beginning.
type Editor struct {
	text     []character
	cursor   int
	goal     int   // the column that moving up and down keeps,
	goalOf   int   // while the cursor is at this position
	width    int   // of a row, in cells
	maxRows  int   // maximum number of visible rows
	top      int   // the first visible row
	revision int   // counts the changes of the text
	starts   []int // the first character of each row, nil before layout
}

// New returns an empty editor of one row.
func New() Editor { return Editor{width: 1, maxRows: 1} }

// Resize sets the width of the rows in cells and the maximum number of visible rows.
func (e *Editor) Resize(width, most int) {
	if width = max(1, width); width != e.width {
		e.width, e.starts = width, nil
	}
	e.maxRows = max(1, most)
}

// Revision returns a number that grows with every change of the text.
func (e *Editor) Revision() int { return e.revision }

// Empty reports whether the text is empty.
func (e *Editor) Empty() bool { return len(e.text) == 0 }

// Reset empties the text.
func (e *Editor) Reset() { e.TakeFrom(New()) }

// TakeFrom takes text and cursor from another editor, which must not be used afterwards. The size stays.
func (e *Editor) TakeFrom(o Editor) {
	o.width, o.maxRows, o.revision, o.starts = e.width, e.maxRows, e.revision+1, nil
	*e = o
}

// All yields each character and a nil inset, or the label of each inset and the inset.
func (e *Editor) All() iter.Seq2[string, Inset] {
	return func(yield func(string, Inset) bool) {
		for i := 0; i < len(e.text) && yield(e.text[i].text, e.text[i].inset); i++ {
		}
	}
}

// WordBeforeCursor returns the text from the last white space to the cursor, "" if it contains an inset.
func (e *Editor) WordBeforeCursor() string {
	word := ""
	for _, c := range e.text[e.wordStart():e.cursor] {
		word += c.text
	}
	return word
}

// DeleteWordBeforeCursor deletes what WordBeforeCursor returns.
func (e *Editor) DeleteWordBeforeCursor() { e.replace(e.wordStart(), e.cursor, "") }

// wordStart is where WordBeforeCursor begins.
func (e *Editor) wordStart() int {
	from := e.cursor
	for ; from > 0 && !e.text[from-1].blank(); from-- {
		if e.text[from-1].inset != nil {
			return e.cursor
		}
	}
	return from
}

// Insert inserts a text at the cursor.
func (e *Editor) Insert(text string) { e.replace(e.cursor, e.cursor, text) }

// InsertInset inserts an inset at the cursor.
func (e *Editor) InsertInset(inset Inset) {
	label := inset.Label()
	e.put(e.cursor, e.cursor, character{
		text: label, width: ansi.StringWidth(label), inset: inset,
	})
}

// ReplaceInset deletes an inset and calls write with the cursor in its place. It reports whether the inset was found.
// Afterwards the cursor is back at its place in the surrounding text.
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

// replace replaces the text between two positions. The ends of the new text may combine with its neighbours into one
// character, such as a letter and an accent.
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
	e.cursor = from + len(charactersOf(text)) // after a character that combined with what follows
}

// put replaces the characters between two positions and moves the cursor after them.
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

// cuts are the keys that delete from the cursor to a position.
var cuts = map[string]func(*Editor, int) int{
	"backspace": (*Editor).left, "ctrl+h": (*Editor).left, "shift+backspace": (*Editor).left,
	"delete": (*Editor).right, "ctrl+d": (*Editor).right,
	"ctrl+w": (*Editor).wordLeft, "alt+backspace": (*Editor).wordLeft, "ctrl+backspace": (*Editor).wordLeft,
	"alt+d": (*Editor).wordRight, "alt+delete": (*Editor).wordRight, "ctrl+delete": (*Editor).wordRight,
	"ctrl+u": (*Editor).lineStart, "ctrl+k": (*Editor).lineEnd,
}

// HandleKey handles a key that moves the cursor or deletes text.
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

// wordRight is the end of the word after a position.
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

// vertical is the position so many rows below another one, in the column where moving up and down began.
func (e *Editor) vertical(p, rows int) int {
	if p != e.goalOf {
		e.goal = e.column(p)
	}
	e.goalOf = e.at(e.goal, e.row(p)+rows)
	return e.goalOf
}
