// Package report formats the results of commands: as tables for people, and as JSON for programs. A report is a type
// with a method that writes its table; its JSON is made from its fields.
package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// TableWriter is a report that can be shown as a table.
type TableWriter interface {
	Table(p *Page)
}

// Page collects the output of a command: lines of text, and tables whose rows are aligned when the table is complete.
type Page struct {
	Width       int                      // width at which lines are wrapped, in cells; 0 wraps none
	Clean       func(text string) string // redacts secrets in the texts
	BoldMatches bool                     // print search matches in bold

	text strings.Builder
	rows []row
}

// row is a row of a table: cells, followed by a text that wraps.
type row struct {
	cells []string
	text  string
	under bool // the text continues that of the row above
}

// Line writes one line.
func (p *Page) Line(format string, args ...any) {
	p.flush()
	p.wrap(p.Clean(fmt.Sprintf(format, args...)), 0)
}

// Text writes a text with its own line breaks.
func (p *Page) Text(text string) {
	p.flush()
	p.text.WriteString(p.Clean(text))
	if text != "" && !strings.HasSuffix(text, "\n") {
		p.text.WriteString("\n")
	}
}

// Row adds a row to the table. The last cell is a text that wraps.
func (p *Page) Row(cells ...string) {
	last := len(cells) - 1
	p.rows = append(p.rows, row{cells: cells[:last], text: cells[last]})
}

// RowNote adds a line below the text of the last row.
func (p *Page) RowNote(text string) { p.rows = append(p.rows, row{text: text, under: true}) }

// String returns everything that was written.
func (p *Page) String() string {
	p.flush()
	return p.text.String()
}

// gutter separates two columns.
const gutter = "  "

// flush writes the collected rows with aligned columns. Cells that begin with a digit are right-aligned.
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

// minTextWidth is the width below which texts no longer wrap.
const minTextWidth = 24

// wrap writes a text that begins at a column, wrapped between words.
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
