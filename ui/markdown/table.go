package markdown

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	extast "github.com/yuin/goldmark/extension/ast"
)

const (
	columnGap    = 3
	leastColumn  = 24 // a column is not made narrower than its longest word, up to this
	cellOverhang = "  "
)

// table is a table whose cells are read.
type table struct {
	head   [][]run
	rows   [][][]run
	aligns []extast.Alignment
}

// table returns the lines of a table: a bold head, a rule, and the rows. Where it is too wide its cells are
// wrapped; where that leaves too little for a column, each row becomes a list of its cells.
func (d *doc) table(n *extast.Table, at room) []string {
	t := d.readTable(n)
	widths := t.natural()
	if !narrower(widths, t.least(), at.pane-columnGap*(len(widths)-1)) {
		return d.stacked(t, at.pane)
	}
	lines := d.row(t.head, widths, t.aligns)
	rule := columnGap * (len(widths) - 1)
	for _, w := range widths {
		rule += w
	}
	lines = append(lines, d.paint(strings.Repeat("─", max(rule, min(at.prose, at.pane))), look{role: ruleRole}))
	for _, row := range t.rows {
		lines = append(lines, d.row(row, widths, t.aligns)...)
	}
	return lines
}

// readTable reads the cells of a table. A column of numbers stands at the right without being told to.
func (d *doc) readTable(n *extast.Table) table {
	t := table{aligns: slices.Clone(n.Alignments)}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		l := look{}
		head := row.Kind() == extast.KindTableHeader
		if head {
			l = look{role: strongRole, attrs: bold}
		}
		var read [][]run
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			read = append(read, d.inlineRuns(cell, l))
		}
		for len(t.aligns) < len(read) {
			t.aligns = append(t.aligns, extast.AlignNone)
		}
		if head {
			t.head = read
		} else {
			t.rows = append(t.rows, read)
		}
	}
	for i, a := range t.aligns {
		if a == extast.AlignNone && t.numbers(i) {
			t.aligns[i] = extast.AlignRight
		}
	}
	return t
}

// numbers tells whether a column has numbers in it and nothing else.
func (t *table) numbers(column int) bool {
	some := false
	for _, row := range t.rows {
		text := strings.TrimSpace(runsText(cell(row, column)))
		if text == "" || text == "–" || text == "-" {
			continue
		}
		rest := strings.Trim(text, "0123456789.,%$€£+-−~ ")
		if rest != "" || !strings.ContainsAny(text, "0123456789") {
			return false
		}
		some = true
	}
	return some
}

// cell returns a cell of a row, which may have too few.
func cell(row [][]run, column int) []run {
	if column < len(row) {
		return row[column]
	}
	return nil
}

// runsText returns the text of runs.
func runsText(runs []run) string {
	var b strings.Builder
	for _, r := range runs {
		if r.end {
			b.WriteByte('\n')
		}
		b.WriteString(r.text)
	}
	return b.String()
}

// natural returns the widths of the columns with no cell wrapped.
func (t *table) natural() []int {
	return t.widest(func(runs []run) int {
		most := 0
		for line := range strings.SplitSeq(runsText(runs), "\n") {
			most = max(most, cells(line))
		}
		return most
	})
}

// least returns the widths of the longest words of the columns.
func (t *table) least() []int {
	return t.widest(func(runs []run) int {
		most := 0
		for _, word := range strings.Fields(runsText(runs)) {
			most = max(most, cells(word))
		}
		return min(most, leastColumn)
	})
}

// widest returns what of returns for the widest cell of each column.
func (t *table) widest(of func([]run) int) []int {
	widths := make([]int, len(t.aligns))
	for i := range widths {
		widths[i] = max(1, of(cell(t.head, i)))
		for _, row := range t.rows {
			widths[i] = max(widths[i], of(cell(row, i)))
		}
	}
	return widths
}

// narrower makes widths no more than width together, the widest columns first and none less than its
// least, and tells whether that can be done.
func narrower(widths, least []int, width int) bool {
	sum := 0
	for _, w := range widths {
		sum += w
	}
	for sum > width {
		// The widest become as wide as those after them, as far as that is needed.
		most, next, count := 0, 0, 0
		for i, w := range widths {
			switch {
			case w <= least[i]:
			case w > most:
				most, next, count = w, most, 1
			case w == most:
				count++
			case w > next:
				next = w
			}
		}
		if count == 0 {
			return false
		}
		for i, w := range widths {
			if w != most || w <= least[i] || sum <= width {
				continue
			}
			share := max(1, min(w-max(next, least[i]), (sum-width+count-1)/count))
			widths[i] -= share
			sum -= share
		}
	}
	return true
}

// row returns the lines of a row.
func (d *doc) row(row [][]run, widths []int, aligns []extast.Alignment) []string {
	columns := make([][]string, len(widths))
	height := 1
	for i, w := range widths {
		columns[i] = d.flowed(cell(row, i), w)
		height = max(height, len(columns[i]))
	}
	lines := make([]string, height)
	for y := range lines {
		var b strings.Builder
		blank := 0 // cells that are due before the next text
		for i, w := range widths {
			if i > 0 {
				blank += columnGap
			}
			text := ""
			if y < len(columns[i]) {
				text = columns[i][y]
			}
			used := ansi.StringWidth(text)
			left := 0
			switch aligns[i] {
			case extast.AlignRight:
				left = w - used
			case extast.AlignCenter:
				left = (w - used) / 2
			}
			if used > 0 {
				b.WriteString(strings.Repeat(" ", blank+max(0, left)))
				b.WriteString(text)
				blank = max(0, w-used-left)
			} else {
				blank += w
			}
		}
		lines[y] = b.String()
	}
	return lines
}

// stacked returns the lines of a table with one line or more for each cell, behind the head of its column.
func (d *doc) stacked(t table, width int) []string {
	var lines []string
	for i, row := range t.rows {
		if i > 0 {
			lines = append(lines, "")
		}
		for column := range t.aligns {
			runs := slices.Clone(cell(t.head, column))
			if len(runs) > 0 {
				runs = append(runs, run{text: ": ", look: look{role: strongRole, attrs: bold}})
			}
			runs = append(runs, cell(row, column)...)
			if len(runs) == 0 {
				continue
			}
			if width <= 2*len(cellOverhang) {
				lines = append(lines, d.flowed(runs, width)...)
			} else {
				lines = append(lines, d.hanging(runs, width)...)
			}
		}
	}
	if len(t.rows) == 0 {
		for _, head := range t.head {
			lines = append(lines, d.flowed(head, width)...)
		}
	}
	return lines
}

// hanging returns runs as lines of at most width cells, all but the first one indented.
func (d *doc) hanging(runs []run, width int) []string {
	lines := d.flowed(runs, width)
	if len(lines) > 1 {
		lines = d.flowed(runs, width-len(cellOverhang))
	}
	return prefixed(lines, "", cellOverhang)
}
