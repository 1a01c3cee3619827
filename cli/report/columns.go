package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// columns writes rows of cells with a text at the end, one at a time: a table of a hundred thousand
// rows is never held. It needs to have measured the cells before.
type columns struct {
	*bufio.Writer
	width  int // the width of the screen; 0 never breaks a line
	widths []int
}

func newColumns(out io.Writer, width int) *columns {
	return &columns{Writer: bufio.NewWriterSize(out, 64<<10), width: width}
}

// line writes a line that stands alone.
func (w *columns) line(format string, args ...any) {
	w.text(fmt.Sprintf(format, args...), 0)
}

// measure takes a row's cells into account.
func (w *columns) measure(cells []string) {
	for i, c := range cells {
		if i == len(w.widths) {
			w.widths = append(w.widths, 0)
		}
		w.widths[i] = max(w.widths[i], utf8.RuneCountInString(c))
	}
}

// row writes cells, those that begin with a digit to the right, and a text behind them.
func (w *columns) row(cells []string, text string) {
	line := ""
	for i, c := range cells {
		blanks := strings.Repeat(" ", max(0, w.widths[i]-utf8.RuneCountInString(c)))
		if c != "" && c[0] >= '0' && c[0] <= '9' {
			line += blanks + c + gutter
			continue
		}
		line += c + blanks + gutter
	}
	if text == "" {
		line = strings.TrimRight(line, " ")
	}
	w.WriteString(line)
	w.text(text, w.indent())
}

// under writes a text under the one of the row.
func (w *columns) under(text string) {
	w.WriteString(strings.Repeat(" ", w.indent()))
	w.text(text, w.indent())
}

// gutter stands between two columns.
const gutter = "  "

// indent is where the text of a row begins.
func (w *columns) indent() int {
	n := 0
	for _, width := range w.widths {
		n += width + len(gutter)
	}
	return n
}

// leastText is how narrow the text of a row may become before its lines are not broken any more.
const leastText = 24

// text writes a text that begins at a column, broken between words at the end of the screen.
func (w *columns) text(text string, at int) {
	available := w.width - at
	if w.width == 0 || available < leastText {
		w.WriteString(strings.TrimRight(text, " ") + "\n")
		return
	}
	used := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+n > available:
			w.WriteString("\n" + strings.Repeat(" ", at))
			used = 0
		default:
			w.WriteString(" ")
			used++
		}
		w.WriteString(word)
		used += n
	}
	w.WriteString("\n")
}
