package editor

import (
	"iter"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// row is a row of the screen: some characters of a line. The cursor is in the row up to its end, which is in front of
// the last character unless it is the end of the line.
type row struct{ line, from, to, end int }

// layout is the first character of each row of the line. A row ends behind a space where it can, and spaces may hang
// over its end. A line that fills its last row has one more, for the cursor.
func (l *line) layout(width int) []int {
	if l.starts != nil && l.width == width {
		return l.starts
	}
	starts, from, space, used := []int{0}, 0, 0, 0
	for i, c := range l.characters {
		w := min(c.width, width)
		for used+w > width && !c.breaks() && i > from {
			if from = i; space > starts[len(starts)-1] {
				from = space
			}
			starts, used = append(starts, from), widthOf(l.characters[from:i], width)
		}
		used += w
		if c.breaks() {
			space = i + 1
		}
	}
	if used >= width {
		starts = append(starts, len(l.characters))
	}
	l.starts, l.width = starts, width
	return starts
}

// breaks reports whether a row may end behind the character.
func (c character) breaks() bool { return c.inset == nil && (c.text == " " || c.text == "\t") }

// widthOf is the width of characters in cells. None is wider than a row.
func widthOf(characters []character, width int) int {
	n := 0
	for _, c := range characters {
		n += min(c.width, width)
	}
	return n
}

// rows yields the rows of the text from one on.
func (e *Editor) rows(from int) iter.Seq[row] {
	return func(yield func(row) bool) {
		for i, l := range e.lines {
			starts := l.layout(e.width)
			for k := from; k < len(starts); k++ {
				r := row{i, starts[k], len(l.characters), len(l.characters)}
				if k+1 < len(starts) {
					r.to, r.end = starts[k+1], max(r.from, starts[k+1]-1)
				}
				if !yield(r) {
					return
				}
			}
			from = max(0, from-len(starts))
		}
	}
}

// rowsBefore is the number of rows above a line.
func (e *Editor) rowsBefore(line int) int {
	n := 0
	for _, l := range e.lines[:line] {
		n += len(l.layout(e.width))
	}
	return n
}

// rowInLine is the row of its line that a position is in.
func (e *Editor) rowInLine(p position) int {
	behind, _ := slices.BinarySearch(e.lines[p.line].layout(e.width), p.at+1)
	return behind - 1
}

// row is the row of the text that a position is in.
func (e *Editor) row(p position) int { return e.rowsBefore(p.line) + e.rowInLine(p) }

// column is the number of cells between the left edge and a position.
func (e *Editor) column(p position) int {
	l := e.lines[p.line]
	from := l.layout(e.width)[e.rowInLine(p)]
	return min(widthOf(l.characters[from:p.at], e.width), e.width-1)
}

// at is the position of the character in a column of a row, or of the end of the row. Above the text it is the start of
// the text, below the text its end.
func (e *Editor) at(column, y int) position {
	if y < 0 {
		return position{}
	}
	for r := range e.rows(y) {
		p := position{r.line, r.from}
		for ; p.at < r.end; p.at++ {
			if column -= min(e.lines[r.line].characters[p.at].width, e.width); column < 0 {
				break
			}
		}
		return p
	}
	return e.end(e.cursor)
}

// OnFirst reports whether the cursor is on the first row of the text.
func (e *Editor) OnFirst() bool { return e.row(e.cursor) == 0 }

// OnLast reports whether the cursor is on the last row of the text.
func (e *Editor) OnLast() bool { return e.row(e.cursor) == e.rowsBefore(len(e.lines))-1 }

// Height is the number of rows that are shown.
func (e *Editor) Height() int { return min(e.most, e.rowsBefore(len(e.lines))) }

// scroll brings the cursor into view.
func (e *Editor) scroll() {
	y := e.row(e.cursor)
	e.top = max(0, min(e.top, e.rowsBefore(len(e.lines))-e.most))
	e.top = max(y-e.most+1, min(e.top, y))
}

// Cursor is where the cursor is, counted from the upper left corner of what is shown.
func (e *Editor) Cursor() (x, y int) { return e.column(e.cursor), e.row(e.cursor) - e.top }

// Click puts the cursor where x and y point, which are counted as those of Cursor.
func (e *Editor) Click(x, y int) { e.moveTo(e.at(x, y+e.top)) }

// View draws the rows that are shown, its insets in a style of their own.
func (e *Editor) View(text, inset lipgloss.Style) []string {
	var out []string
	for r := range e.rows(e.top) {
		if len(out) == e.most {
			break
		}
		out = append(out, e.draw(r, text, inset))
	}
	return out
}

// draw draws a row.
func (e *Editor) draw(r row, text, inset lipgloss.Style) string {
	line, plain, used := "", "", 0
	for _, c := range e.lines[r.line].characters[r.from:r.to] {
		if used += min(c.width, e.width); used > e.width {
			break // The rest is spaces that hang over the end.
		}
		if c.inset == nil {
			plain += c.drawn(e.width)
			continue
		}
		line += text.Render(plain) + inset.Render(c.drawn(e.width))
		plain = ""
	}
	return line + text.Render(plain)
}

// drawn is a character as it is drawn in rows of a width. A label that is too long is cut.
func (c character) drawn(width int) string {
	switch {
	case c.text == "\t":
		return strings.Repeat(" ", min(tabWidth, width))
	case c.width > width:
		return ansi.Truncate(c.text, width, "…")
	}
	return c.text
}
