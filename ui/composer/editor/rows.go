package editor

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// layout says where each row of a line begins. A row ends behind a space where it can, and spaces may
// stand over its end. A line that fills its last row has one more, for the cursor.
func (l *line) layout(width int) []int {
	if l.rows != nil {
		return l.rows
	}
	rows, first, space, used := []int{0}, 0, 0, 0
	for i, c := range l.cells {
		w := min(c.width, width)
		for used+w > width && !c.blank() && i > first {
			next := i
			if space > first {
				next = space
			}
			rows, first, used = append(rows, next), next, widthOf(l.cells[next:i], width)
		}
		used += w
		if c.blank() {
			space = i + 1
		}
	}
	if used >= width {
		rows = append(rows, len(l.cells))
	}
	l.rows = rows
	return rows
}

// blank says that a row may end behind a cell.
func (c cell) blank() bool { return c.inset == 0 && (c.text == " " || c.text == "\t") }

// widthOf is how wide cells are in rows of a width: none is wider than the row.
func widthOf(cells []cell, width int) int {
	n := 0
	for _, c := range cells {
		n += min(c.width, width)
	}
	return n
}

// row is the row of its line that a place is in.
func (e *Editor) row(p position) int {
	rows := e.lines[p.line].layout(e.width)
	k := len(rows) - 1
	for k > 0 && rows[k] > p.at {
		k--
	}
	return k
}

// column is how far from the left edge a place is.
func (e *Editor) column(p position) int {
	l := e.lines[p.line]
	first := l.layout(e.width)[e.row(p)]
	return min(widthOf(l.cells[first:p.at], e.width), e.width-1)
}

// rowsBefore is how many rows stand above a line.
func (e *Editor) rowsBefore(line int) int {
	n := 0
	for _, l := range e.lines[:line] {
		n += len(l.layout(e.width))
	}
	return n
}

// Height is how many rows are shown.
func (e *Editor) Height() int { return min(e.most, e.rowsBefore(len(e.lines))) }

// show scrolls to the cursor.
func (e *Editor) show() {
	at, all := e.rowsBefore(e.cursor.line)+e.row(e.cursor), e.rowsBefore(len(e.lines))
	e.top = max(0, min(e.top, all-e.most))
	e.top = max(at-e.most+1, min(e.top, at))
}

// Cursor is where the cursor is, counted from the upper left corner of what is shown.
func (e *Editor) Cursor() (x, y int) {
	return e.column(e.cursor), e.rowsBefore(e.cursor.line) + e.row(e.cursor) - e.top
}

// Click puts the cursor where x and y point, as Cursor counts them.
func (e *Editor) Click(x, y int) {
	y = max(0, y+e.top)
	for i, l := range e.lines {
		if n := len(l.layout(e.width)); y >= n {
			y -= n
			continue
		}
		e.cursor = position{i, e.cellAt(i, y, x)}
		e.anchor, e.goal = nil, -1
		e.show()
		return
	}
	e.moveTo(e.end())
}

// cellAt is the cell of a row that a column is in, or the last place of the row.
func (e *Editor) cellAt(line, row, column int) int {
	l := e.lines[line]
	rows := l.layout(e.width)
	at, end := rows[row], len(l.cells)
	if row+1 < len(rows) {
		end = max(at, rows[row+1]-1)
	}
	for x := 0; at < end; at++ {
		if x += min(l.cells[at].width, e.width); x > column {
			break
		}
	}
	return at
}

// Styles are how an editor is drawn.
type Styles struct {
	Text, Inset, Selected lipgloss.Style

	Bare bool // insets are drawn without their brackets: their ground shows where they begin and end
}

// View draws the rows that are shown.
func (e *Editor) View(styles Styles) []string {
	var out []string
	skip := e.top
	for i, l := range e.lines {
		rows := l.layout(e.width)
		if skip >= len(rows) {
			skip -= len(rows)
			continue
		}
		for k := skip; k < len(rows); k++ {
			if len(out) == e.most {
				return out
			}
			end := len(l.cells)
			if k+1 < len(rows) {
				end = rows[k+1]
			}
			out = append(out, e.draw(i, rows[k], end, styles))
		}
		skip = 0
	}
	return out
}

// draw draws cells of a line. Neighbours that look the same are one piece.
func (e *Editor) draw(line, from, to int, styles Styles) string {
	var b, piece strings.Builder
	style := styles.Text
	now := 0
	flush := func() {
		if piece.Len() > 0 {
			b.WriteString(style.Render(piece.String()))
			piece.Reset()
		}
	}
	used := 0
	for at := from; at < to; at++ {
		c := e.lines[line].cells[at]
		if used += min(c.width, e.width); used > e.width {
			break // spaces over the end
		}
		kind, as := 0, styles.Text
		switch {
		case e.selected(position{line, at}):
			kind, as = 1, styles.Selected
		case c.inset != 0:
			kind, as = 2, styles.Inset
		}
		if kind != now {
			flush()
			now, style = kind, as
		}
		text := c.drawn(e.width)
		if c.inset != 0 && styles.Bare {
			text = bare(text)
		}
		piece.WriteString(text)
	}
	flush()
	return b.String()
}

// bare is a label with blanks in the place of its brackets. One that was cut has no closing one.
func bare(label string) string {
	if inner, ok := strings.CutPrefix(label, "["); ok {
		label = " " + inner
	}
	if inner, ok := strings.CutSuffix(label, "]"); ok {
		label = inner + " "
	}
	return label
}

// drawn is a cell as it is drawn in rows of a width.
func (c cell) drawn(width int) string {
	switch {
	case c.text == "\t":
		return strings.Repeat(" ", min(tabWidth, width))
	case c.width > width:
		return ansi.Truncate(c.text, width, "…")
	}
	return c.text
}
