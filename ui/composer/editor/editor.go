// Package editor is a text that a person is writing: lines of characters, among which may stand insets,
// which are one character for the cursor however long their label is. A key costs what the line under
// the cursor costs, whatever else is written. It does not know what an inset is for.
package editor

import (
	"iter"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// tabWidth is how wide a tab is drawn, in cells of the screen.
const tabWidth = 4

// cell is what the cursor steps over: a character as a reader sees it, or an inset.
type cell struct {
	text  string // the character, or the inset's label
	width int    // in cells of the screen
	inset int    // the inset's number, 0 for a character
}

// line is the text up to a line break.
type line struct {
	cells []cell
	rows  []int // the cell that each row of the screen begins with; nil where that is not known
}

// place is a place between two cells of a line.
type position struct{ line, at int }

func (p position) before(q position) bool { return p.line < q.line || p.line == q.line && p.at < q.at }

// Editor is the text and the cursor in it. Its zero value is not ready: New makes one.
type Editor struct {
	lines   []*line
	cursor  position
	anchor  *position // the other end of the selection, nil for none
	goal    int       // the column that moving up and down keeps to, -1 for the cursor's own
	width   int       // of a row, in cells of the screen
	most    int       // rows that are shown at once
	top     int       // the first row that is shown
	changes int       // how often the text has changed
}

// New makes an empty editor of one row.
func New() Editor {
	return Editor{lines: []*line{{}}, goal: -1, width: 1, most: 1}
}

// Resize gives the rows a width in cells and says how many of them are shown at most.
func (e *Editor) Resize(width, most int) {
	if width = max(1, width); width != e.width {
		e.width = width
		for _, l := range e.lines {
			l.rows = nil
		}
	}
	e.most = max(1, most)
	e.show()
}

// Changes grows with every change of the text.
func (e *Editor) Changes() int { return e.changes }

// Empty says that nothing is written.
func (e *Editor) Empty() bool { return len(e.lines) == 1 && len(e.lines[0].cells) == 0 }

// Reset makes the text empty.
func (e *Editor) Reset() {
	e.lines, e.cursor, e.anchor, e.goal, e.top = []*line{{}}, position{}, nil, -1, 0
	e.changes++
}

// Become takes the text, the cursor and the selection of another editor, which is not to be used any
// more.
func (e *Editor) Become(o Editor) {
	e.lines, e.cursor, e.anchor, e.goal, e.top = o.lines, o.cursor, o.anchor, -1, 0
	if o.width != e.width {
		for _, l := range e.lines {
			l.rows = nil
		}
	}
	e.changed()
}

// All gives the text in order: each character with 0, a line break among them, and each inset's label
// with its number.
func (e *Editor) All() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for i, l := range e.lines {
			if i > 0 && !yield("\n", 0) {
				return
			}
			for _, c := range l.cells {
				if !yield(c.text, c.inset) {
					return
				}
			}
		}
	}
}

// Len is how many characters are written, line breaks among them.
func (e *Editor) Len() int {
	n := len(e.lines) - 1
	for _, l := range e.lines {
		n += len(l.cells)
	}
	return n
}

// Begins says that the text begins with a character, and has one line only.
func (e *Editor) Begins(with string) bool {
	cells := e.lines[0].cells
	return len(e.lines) == 1 && len(cells) > 0 && cells[0].inset == 0 && cells[0].text == with
}

// Near is the inset that is nearest to the cursor on its line, the one before it first.
func (e *Editor) Near() (number int, ok bool) {
	cells := e.lines[e.cursor.line].cells
	for i := e.cursor.at - 1; i >= 0; i-- {
		if cells[i].inset != 0 {
			return cells[i].inset, true
		}
	}
	for _, c := range cells[e.cursor.at:] {
		if c.inset != 0 {
			return c.inset, true
		}
	}
	return 0, false
}

// Before is the inset that stands right before the cursor.
func (e *Editor) Before() (number int, ok bool) {
	if e.cursor.at == 0 {
		return 0, false
	}
	c := e.lines[e.cursor.line].cells[e.cursor.at-1]
	return c.inset, c.inset != 0
}

// Word is what stands between the last blank and the cursor, "" where an inset stands in it or something is selected.
func (e *Editor) Word() string {
	word, _ := e.word()
	return word
}

// TakeWord takes out what Word gives.
func (e *Editor) TakeWord() {
	if word, from := e.word(); word != "" {
		e.take(position{e.cursor.line, from})
	}
}

// word is Word, and the place on its line where it begins.
func (e *Editor) word() (word string, from int) {
	from = e.cursor.at
	if e.anchor != nil {
		return "", from
	}
	cells := e.here().cells
	for from > 0 && strings.TrimSpace(cells[from-1].text) != "" {
		if cells[from-1].inset != 0 {
			return "", e.cursor.at
		}
		from--
	}
	for _, c := range cells[from:e.cursor.at] {
		word += c.text
	}
	return word, from
}

// Insert writes a text at the cursor, in the place of the selection where there is one.
func (e *Editor) Insert(text string) {
	if text == "" {
		return
	}
	e.deleteSelection()
	pieces := strings.Split(text, "\n")
	for i, piece := range pieces {
		if i > 0 {
			e.split()
		}
		e.insert(piece)
	}
	e.changed()
}

// InsertInset puts an inset at the cursor.
func (e *Editor) InsertInset(number int, label string) {
	e.deleteSelection()
	e.put(cell{text: label, width: ansi.StringWidth(label), inset: number})
	e.changed()
}

// insert writes a text without line breaks. The characters around it may become one with it.
func (e *Editor) insert(text string) {
	if text == "" {
		return
	}
	l, from, to := e.here(), e.cursor.at, e.cursor.at
	end := len(text)
	if from > 0 && l.cells[from-1].inset == 0 {
		from--
		text, end = l.cells[from].text+text, end+len(l.cells[from].text)
	}
	if to < len(l.cells) && l.cells[to].inset == 0 {
		text += l.cells[to].text
		to++
	}
	cells, done := cellsOf(text), 0
	e.cursor.at = from
	for _, c := range cells {
		if done >= end {
			break
		}
		done += len(c.text)
		e.cursor.at++
	}
	l.replace(from, to, cells)
}

// put puts one cell at the cursor.
func (e *Editor) put(c cell) {
	e.here().replace(e.cursor.at, e.cursor.at, []cell{c})
	e.cursor.at++
}

// split breaks the line at the cursor.
func (e *Editor) split() {
	l, at := e.here(), e.cursor
	rest := &line{cells: append([]cell(nil), l.cells[at.at:]...)}
	l.replace(at.at, len(l.cells), nil)
	e.lines = append(e.lines, nil)
	copy(e.lines[at.line+2:], e.lines[at.line+1:])
	e.lines[at.line+1] = rest
	e.cursor = position{at.line + 1, 0}
}

func (e *Editor) here() *line { return e.lines[e.cursor.line] }

// replace puts cells in the place of those from one up to another.
func (l *line) replace(from, to int, with []cell) {
	tail := len(l.cells) - to
	switch grow := len(with) - (to - from); {
	case grow > 0:
		l.cells = append(l.cells, make([]cell, grow)...)
		copy(l.cells[len(l.cells)-tail:], l.cells[to:to+tail])
	case grow < 0:
		copy(l.cells[from+len(with):], l.cells[to:])
		l.cells = l.cells[:len(l.cells)+grow]
	}
	copy(l.cells[from:], with)
	l.rows = nil
}

// cellsOf are the characters of a text.
func cellsOf(text string) []cell {
	cells := make([]cell, 0, len(text))
	for words := graphemes.FromString(text); words.Next(); {
		c := cell{text: words.Value()}
		switch {
		case c.text == "\t":
			c.width = tabWidth
		case len(c.text) == 1 && c.text[0] >= ' ' && c.text[0] < 0x7f:
			c.width = 1
		default:
			c.width = ansi.StringWidth(c.text)
		}
		cells = append(cells, c)
	}
	return cells
}

// changed is said after every change of the text.
func (e *Editor) changed() {
	e.changes++
	e.goal = -1
	e.show()
}
