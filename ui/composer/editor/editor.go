// Package editor edits a draft: lines of characters with a cursor, among which insets may stand. A character is a
// grapheme cluster, and an inset, whatever the length of its label, is one character too. The package does not know
// what an inset stands for. The cost of a key is that of the cursor's line, however long the draft is.
package editor

import (
	"iter"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// tabWidth is the width of a tab in cells.
const tabWidth = 4

// Inset stands in a text as one character. Its label is drawn, and must not change.
type Inset interface{ Label() string }

// character is what the cursor steps over: a grapheme cluster, or an inset.
type character struct {
	text  string // the cluster, or the inset's label
	width int    // in cells of the screen
	inset Inset  // nil for a cluster
}

// line is the text up to a line break.
type line struct {
	characters []character
	starts     []int // the first character of each row of the screen, nil where the line is not laid out
	width      int   // that the rows were laid out for
}

// position is a place in front of a character or at the end of a line.
type position struct{ line, at int }

func (p position) before(q position) bool { return p.line < q.line || p.line == q.line && p.at < q.at }

// Editor is a text and the cursor in it. New makes one; the zero value is not ready.
type Editor struct {
	lines   []*line
	cursor  position
	goal    int      // the column that moving up and down comes back to,
	goalOf  position // as long as the cursor is here
	width   int      // of a row, in cells
	most    int      // rows that are shown at once
	top     int      // the first row that is shown
	changes int      // how often the text has changed
}

// New makes an empty editor of one row.
func New() Editor { return Editor{lines: []*line{{}}, width: 1, most: 1} }

// Resize sets the width of the rows in cells, and how many of them are shown at most.
func (e *Editor) Resize(width, most int) {
	e.width, e.most = max(1, width), max(1, most)
	e.scroll()
}

// Changes is a number that grows with every change of the text.
func (e *Editor) Changes() int { return e.changes }

// Empty reports whether nothing is written.
func (e *Editor) Empty() bool { return len(e.lines) == 1 && len(e.lines[0].characters) == 0 }

// Reset makes the text empty.
func (e *Editor) Reset() { e.Become(New()) }

// Become takes the text and the cursor of another editor, which must not be used any more.
func (e *Editor) Become(o Editor) {
	o.width, o.most, o.changes = e.width, e.most, e.changes+1
	*e = o
	e.scroll()
}

// All yields each character with nil, line breaks among them, and each inset with its label.
func (e *Editor) All() iter.Seq2[string, Inset] {
	return func(yield func(string, Inset) bool) {
		for i, l := range e.lines {
			if i > 0 && !yield("\n", nil) {
				return
			}
			for _, c := range l.characters {
				if !yield(c.text, c.inset) {
					return
				}
			}
		}
	}
}

// Before is the inset right before the cursor, nil for none.
func (e *Editor) Before() Inset {
	if e.cursor.at == 0 {
		return nil
	}
	return e.here().characters[e.cursor.at-1].inset
}

// Word is the text between the last blank and the cursor, "" where it holds an inset.
func (e *Editor) Word() string {
	word := ""
	for _, c := range e.here().characters[e.wordStart():e.cursor.at] {
		word += c.text
	}
	return word
}

// TakeWord removes what Word returns.
func (e *Editor) TakeWord() { e.replace(position{e.cursor.line, e.wordStart()}, e.cursor, "") }

// wordStart is where Word begins on the cursor's line.
func (e *Editor) wordStart() int {
	from, line := e.cursor.at, e.here().characters
	for ; from > 0 && !line[from-1].space(); from-- {
		if line[from-1].inset != nil {
			return e.cursor.at
		}
	}
	return from
}

func (e *Editor) here() *line { return e.lines[e.cursor.line] }

// space reports whether the character separates words.
func (c character) space() bool { return c.inset == nil && strings.TrimSpace(c.text) == "" }

// Insert writes a text at the cursor.
func (e *Editor) Insert(text string) { e.replace(e.cursor, e.cursor, text) }

// InsertInset puts an inset at the cursor.
func (e *Editor) InsertInset(inset Inset) {
	label := inset.Label()
	e.put(e.cursor, e.cursor, [][]character{{{text: label, width: ansi.StringWidth(label), inset: inset}}})
	e.scroll()
}

// ReplaceInset lets a function write in the place of an inset, and reports whether there is such an inset. The cursor
// stays where it is in the text around it; what was right behind the inset is right behind the new text.
func (e *Editor) ReplaceInset(inset Inset, write func()) bool {
	for i, l := range e.lines {
		at := slices.IndexFunc(l.characters, func(c character) bool { return c.inset == inset })
		if at < 0 {
			continue
		}
		cursor, behind := e.cursor, position{i, at + 1}
		e.put(position{i, at}, behind, [][]character{nil})
		write()
		if !cursor.before(behind) {
			if cursor.line == behind.line {
				cursor.at += e.cursor.at - behind.at
			}
			cursor.line += e.cursor.line - behind.line
			cursor.at = min(cursor.at, len(e.lines[cursor.line].characters))
		}
		e.moveTo(cursor)
		return true
	}
	return false
}

// replace writes a text in the place of what is between two positions. Its ends may become one character with what is
// beside them, as a letter and its accent, or the halves of a flag.
func (e *Editor) replace(from, to position, text string) {
	if from == to && text == "" {
		return
	}
	if l := e.lines[from.line].characters; from.at > 0 && l[from.at-1].inset == nil {
		from.at--
		text = l[from.at].text + text
	}
	behind := ""
	if l := e.lines[to.line].characters; to.at < len(l) && l[to.at].inset == nil {
		behind = l[to.at].text
		to.at++
	}
	var lines [][]character
	for piece := range strings.SplitSeq(text+behind, "\n") {
		lines = append(lines, charactersOf(piece))
	}
	e.put(from, to, lines)
	p := e.cursor
	for left := len(behind); left > 0; p.at-- {
		if left -= len(e.here().characters[p.at-1].text); left < 0 {
			break // The character behind the text became one with it.
		}
	}
	e.moveTo(p)
}

// put puts lines in the place of what is between two positions, and the cursor behind them. It does not scroll.
func (e *Editor) put(from, to position, with [][]character) {
	last := len(with) - 1
	e.cursor = position{from.line + last, len(with[last])}
	if last == 0 {
		e.cursor.at += from.at
	}
	first, rest := e.lines[from.line], e.lines[to.line].characters[to.at:]
	if last == 0 && from.line == to.line {
		first.characters, first.starts = slices.Replace(first.characters, from.at, to.at, with[0]...), nil
	} else {
		with[0] = slices.Concat(first.characters[:from.at], with[0])
		with[last] = slices.Concat(with[last], rest)
		var lines []*line
		for _, characters := range with {
			lines = append(lines, &line{characters: characters})
		}
		e.lines = slices.Replace(e.lines, from.line, to.line+1, lines...)
	}
	e.changes++
}

// moveTo puts the cursor at a position.
func (e *Editor) moveTo(p position) {
	e.cursor = p
	e.scroll()
}

// charactersOf splits a text without line breaks into its characters.
func charactersOf(text string) []character {
	characters := make([]character, 0, len(text))
	for clusters := graphemes.FromString(text); clusters.Next(); {
		c := character{text: clusters.Value(), width: 1}
		switch {
		case c.text == "\t":
			c.width = tabWidth
		case len(c.text) > 1 || c.text[0] < ' ' || c.text[0] >= 0x7f:
			c.width = ansi.StringWidth(c.text)
		}
		characters = append(characters, c)
	}
	return characters
}
