package markdown

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

const columnGap = 3 // cells

// table is the cells of a table, in colours, but not wrapped. The first row is the head.
type table struct {
	rows   [][]string
	aligns []lipgloss.Position
}

// table returns the lines of a table: a bold head, a rule, and the rows. Where it is too wide its cells are wrapped;
// where that leaves too little for a column, each row becomes a list of its cells.
func (d *doc) table(n *extast.Table, width int) []string {
	t := d.readTable(n)
	gaps := columnGap * (len(t.aligns) - 1)
	widths := t.widths(width - gaps)
	if widths == nil {
		return t.stacked(width)
	}
	var rows [][]string
	for _, cells := range t.rows {
		rows = append(rows, t.row(cells, widths))
	}
	for _, w := range widths {
		gaps += w
	}
	lines := append(rows[0], newInk(d.style.Rule, "").paint(strings.Repeat("─", gaps)))
	wraps := slices.ContainsFunc(rows[1:], func(row []string) bool { return len(row) > 1 })
	for i, row := range rows[1:] {
		lines = appendBlock(lines, row, wraps && i > 0)
	}
	return lines
}

// readTable renders the cells of a table, of which each row has as many as the head. A column of numbers is at the
// right without being told to.
func (d *doc) readTable(n *extast.Table) *table {
	t := &table{aligns: make([]lipgloss.Position, len(n.Alignments))}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			var block ast.Node = ast.NewParagraph()
			if row.Kind() == extast.KindTableHeader {
				block = ast.NewHeading(2)
			}
			cells = append(cells, d.leaf(cell, block))
		}
		t.rows = append(t.rows, cells)
	}
	for i, align := range n.Alignments {
		switch {
		case align == extast.AlignRight, align == extast.AlignNone && t.numbers(i):
			t.aligns[i] = lipgloss.Right
		case align == extast.AlignCenter:
			t.aligns[i] = lipgloss.Center
		}
	}
	return t
}

// numbers tells whether a column has numbers below its head and nothing else.
func (t *table) numbers(column int) bool {
	all := ""
	for _, row := range t.rows[1:] {
		all += restored.Replace(ansi.Strip(row[column]))
	}
	return strings.ContainsAny(all, "0123456789") && strings.Trim(all, "0123456789.,%$€£+-−–~ ") == ""
}

// widths returns the widths of the columns, together at most total. Those that need more than the others get less, but
// each has room for its longest word of up to 24 cells. It returns nil where that cannot be done.
func (t *table) widths(total int) []int {
	widths, least := make([]int, len(t.aligns)), make([]int, len(t.aligns))
	missing, spare := -total, total
	for i := range widths {
		widths[i], least[i] = 1, 1
		for _, row := range t.rows {
			text := ansi.Strip(row[i])
			widths[i] = max(widths[i], min(total, lipgloss.Width(text)))
			for _, word := range strings.Fields(text) {
				least[i] = max(least[i], min(24, ansi.StringWidth(word)))
			}
		}
		missing, spare = missing+widths[i], spare-least[i]
	}
	if spare < 0 {
		return nil
	}
	for ; missing > 0; missing-- {
		widest := -1
		for i, w := range widths {
			if w > least[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		widths[widest]--
	}
	return widths
}

// row returns the lines of a row.
func (t *table) row(cells []string, widths []int) []string {
	var columns []string
	for i, w := range widths {
		lines := wrapped(cells[i], w)
		for y, line := range lines {
			lines[y] = lipgloss.PlaceHorizontal(w, t.aligns[i], line)
		}
		columns = append(columns, lipgloss.PlaceHorizontal(w+columnGap, lipgloss.Left, strings.Join(lines, "\n")))
	}
	lines := strings.Split(lipgloss.JoinHorizontal(lipgloss.Top, columns...), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}

// stacked returns the lines of a table with one line or more for each cell, behind the head of its column.
func (t *table) stacked(width int) (lines []string) {
	if len(t.rows) == 1 {
		return wrapped(strings.Join(t.rows[0], "\n"), width)
	}
	for _, row := range t.rows[1:] {
		var block []string
		for column, cell := range row {
			text := strings.TrimPrefix(t.rows[0][column]+": "+cell, ": ")
			block = append(block, prefixed(wrapped(text, max(1, width-2)), "", "  ")...)
		}
		lines = appendBlock(lines, block, true)
	}
	return lines
}
