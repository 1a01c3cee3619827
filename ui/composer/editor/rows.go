package editor

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// rows returns the first character of each row. Rows break after a line break, or after a space if possible; spaces may
// extend beyond the width. A full last row is followed by an empty one for the cursor.
func (e *Editor) rows() []int {
	if e.starts != nil {
		return e.starts
	}
	starts, from, space, used := []int{0}, 0, 0, 0
	for i, c := range e.text {
		if c.endsLine() {
			if used >= e.width {
				starts = append(starts, i)
			}
			from, used = i+1, 0
			starts = append(starts, from)
			continue
		}
		w, breaks := min(c.width, e.width), c.inset == nil && (c.text == " " || c.text == "\t")
		for used+w > e.width && !breaks && i > from {
			if from = i; space > starts[len(starts)-1] {
				from = space
			}
			starts, used = append(starts, from), e.widthOf(from, i)
		}
		used += w
		if breaks {
			space = i + 1
		}
	}
	if used >= e.width {
		starts = append(starts, len(e.text))
	}
	e.starts = starts
	return starts
}

// widthOf is the width in cells of the characters between two positions. A wider character counts as a row.
func (e *Editor) widthOf(from, to int) (n int) {
	for _, c := range e.text[from:to] {
		n += min(c.width, e.width)
	}
	return n
}

// row is the row of a position.
func (e *Editor) row(p int) int {
	behind, _ := slices.BinarySearch(e.rows(), p+1)
	return behind - 1
}

// column is the number of cells between the left edge and a position.
func (e *Editor) column(p int) int { return min(e.widthOf(e.rows()[e.row(p)], p), e.width-1) }

// at is the position of the character in a column of a row, or else of the end of that row. Above the text it is the
// beginning of the text, below it the end.
func (e *Editor) at(column, y int) int {
	rows, end := e.rows(), len(e.text)
	switch {
	case y < 0:
		return 0
	case y >= len(rows):
		return end
	case y+1 < len(rows):
		end = max(rows[y], rows[y+1]-1)
	}
	p := rows[y]
	for ; p < end; p++ {
		if column -= min(e.text[p].width, e.width); column < 0 {
			break
		}
	}
	return p
}

// OnFirstRow reports whether the cursor is on the first row.
func (e *Editor) OnFirstRow() bool { return e.row(e.cursor) == 0 }

// OnLastRow reports whether the cursor is on the last row.
func (e *Editor) OnLastRow() bool { return e.row(e.cursor) == len(e.rows())-1 }

// Height is the number of visible rows.
func (e *Editor) Height() int { return min(e.maxRows, len(e.rows())) }

// scroll scrolls the cursor into view.
func (e *Editor) scroll() {
	y := e.row(e.cursor)
	e.top = max(0, min(e.top, len(e.rows())-e.maxRows))
	e.top = max(y-e.maxRows+1, min(e.top, y))
}

// Cursor returns the cell of the cursor, from the upper left corner of the visible rows.
func (e *Editor) Cursor() (x, y int) {
	e.scroll()
	return e.column(e.cursor), e.row(e.cursor) - e.top
}

// Click moves the cursor to a cell, counted like those of Cursor.
func (e *Editor) Click(x, y int) { e.cursor = e.at(x, y+e.top) }

// View draws the visible rows; insets have a style of their own.
func (e *Editor) View(text, inset lipgloss.Style) (out []string) {
	e.scroll()
	bounds := append(slices.Clip(e.rows()), len(e.text))
	for y := e.top; y < e.top+e.Height(); y++ {
		out = append(out, e.draw(e.text[bounds[y]:bounds[y+1]], text, inset))
	}
	return out
}

// draw draws a row.
func (e *Editor) draw(row []character, text, inset lipgloss.Style) string {
	line, plain, used := "", "", 0
	for _, c := range row {
		if used += min(c.width, e.width); used > e.width || c.endsLine() {
			break // Only spaces beyond the width are left.
		}
		shown := c.text
		switch {
		case c.inset == nil && c.text == "\t":
			shown = strings.Repeat(" ", min(tabWidth, e.width))
		case c.width > e.width:
			shown = ansi.Truncate(c.text, e.width, "…")
		}
		if c.inset == nil {
			plain += shown
			continue
		}
		line += text.Render(plain) + inset.Render(shown)
		plain = ""
	}
	return line + text.Render(plain)
}
