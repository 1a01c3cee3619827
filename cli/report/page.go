// Package report shows what commands found: as a table to people, as JSON to programs. A view is a struct with a
// method that writes its table; its JSON is made from its fields.
package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// TableWriter is something that a command shows.
type TableWriter interface {
	Table(p *Page)
}

// Page collects what is shown: lines of text, and rows of cells below one another. No row is written before all of its
// table are known.
type Page struct {
	Width       int                      // where lines are broken; 0 breaks none
	Clean       func(text string) string // takes secrets out of the texts
	BoldMatches bool                     // what was searched for may be bold

	text strings.Builder
	rows []row
}

// row is one line of a table: cells, and a text behind them that is broken under itself.
type row struct {
	cells []string
	text  string
	under bool // the text belongs to the row above
}

// ShortLine writes a line that stands alone.
func (p *Page) Line(format string, args ...any) {
	p.flush()
	p.wrap(p.Clean(fmt.Sprintf(format, args...)), 0)
}

// Text writes a text with the lines that it has.
func (p *Page) Text(text string) {
	p.flush()
	p.text.WriteString(p.Clean(text))
	if text != "" && !strings.HasSuffix(text, "\n") {
		p.text.WriteString("\n")
	}
}

// Row adds a row to the table; the last cell is a text that is broken at the end of the screen.
func (p *Page) Row(cells ...string) {
	last := len(cells) - 1
	p.rows = append(p.rows, row{cells: cells[:last], text: cells[last]})
}

// RowNote adds a text under the one of the row above.
func (p *Page) RowNote(text string) { p.rows = append(p.rows, row{text: text, under: true}) }

// String is everything that was written.
func (p *Page) String() string {
	p.flush()
	return p.text.String()
}

// gutter stands between two columns.
const gutter = "  "

// flush writes the rows that have been collected, their cells as wide as the widest of their column. Cells that begin
// with a digit stand to the right.
func (p *Page) flush() {
	var widths []int
	for i, r := range p.rows {
		for at, c := range r.cells {
			c = p.Clean(c)
			p.rows[i].cells[at] = c
			if at == len(widths) {
				widths = append(widths, 0)
			}
			widths[at] = max(widths[at], utf8.RuneCountInString(c))
		}
	}
	indent := 0
	for _, w := range widths {
		indent += w + len(gutter)
	}
	for _, r := range p.rows {
		line := ""
		for at, c := range r.cells {
			blanks := strings.Repeat(" ", widths[at]-utf8.RuneCountInString(c))
			if c != "" && c[0] >= '0' && c[0] <= '9' {
				line += blanks + c + gutter
			} else {
				line += c + blanks + gutter
			}
		}
		if r.under {
			line = strings.Repeat(" ", indent)
		}
		if r.text == "" {
			line = strings.TrimRight(line, " ")
		}
		p.text.WriteString(line)
		p.wrap(p.Clean(r.text), indent)
	}
	p.rows = nil
}

// minTextWidth is how narrow a text may become before its lines are not broken any more.
const minTextWidth = 24

// wrap writes a text that begins at a column, broken between words at the end of the screen.
func (p *Page) wrap(text string, at int) {
	available := p.Width - at
	if p.Width == 0 || available < minTextWidth {
		p.text.WriteString(strings.TrimRight(text, " ") + "\n")
		return
	}
	used := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+n > available:
			p.text.WriteString("\n" + strings.Repeat(" ", at))
			used = 0
		default:
			p.text.WriteString(" ")
			used++
		}
		p.text.WriteString(word)
		used += n
	}
	p.text.WriteString("\n")
}
