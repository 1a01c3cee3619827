package inspector

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// row is one row of a pager on the screen: segments that are safe to draw.
type row []Segment

// signWidth is the cells to the left of a pager's text: a sign and a blank.
const signWidth = 2

// The signs of the kinds, to the left of a row and inside a line where one begins.
const (
	unsentSign  = "┊"
	addedSign   = "✚"
	partSign    = "↺"
	cutSign     = "✂" // some of the row is not sent
	headingSign = "▸" // the selected heading
)

// withSigns is a line that is safe to draw, with a sign where it changes between what is sent, what is
// not, and what was added.
func withSigns(line []Segment) []Segment {
	var list []Segment
	for i, p := range line {
		p.Text = markdown.Visible(p.Text)
		if i > 0 && p.Text != "" {
			if sign := between(line[i-1].Kind, p.Kind); sign.Text != "" {
				list = append(list, sign)
			}
		}
		list = append(list, p)
	}
	return list
}

// between is the sign between two kinds, nothing where there is none.
func between(a, b Kind) Segment {
	counts := func(t Kind) bool { return t == Sent || t == Unsent || t == Added }
	switch {
	case a == b || !counts(a) || !counts(b):
		return Segment{}
	case b == Unsent || a == Unsent && b == Sent:
		return Segment{Unsent, unsentSign}
	}
	return Segment{Added, addedSign}
}

// cell is a character of a line, with the cells that it takes.
type cell struct {
	segment int
	text    string
	w       int
}

// wrapLine breaks a line into rows of at most w cells, after a blank where there is one. A blank may
// be one cell further right, where it is not seen.
func wrapLine(line []Segment, w int) []row {
	if len(line) == 0 {
		return []row{nil}
	}
	cells := cellsOf(line)
	var rows []row
	from, used, blank := 0, 0, -1
	for i := 0; i < len(cells); i++ {
		used += cells[i].w
		if used <= w || i == from {
			if cells[i].text == " " {
				blank = i
			}
			continue
		}
		end := i
		switch {
		case cells[i].text == " ":
			end = i + 1
		case blank >= from:
			end = blank + 1
		}
		rows = append(rows, rowOf(line, cells[from:end]))
		from, used, blank, i = end, 0, -1, end-1
	}
	if from < len(cells) || len(rows) == 0 {
		rows = append(rows, rowOf(line, cells[from:]))
	}
	return rows
}

// cellsOf takes a line apart into its characters.
func cellsOf(line []Segment) []cell {
	var cells []cell
	for i, p := range line {
		for text := p.Text; text != ""; {
			if text[0] < 0x80 && (len(text) == 1 || text[1] < 0x80) {
				cells = append(cells, cell{i, text[:1], 1})
				text = text[1:]
				continue
			}
			cluster, w := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
			cells = append(cells, cell{i, cluster, w})
			text = text[len(cluster):]
		}
	}
	return cells
}

// rowOf joins characters of one kind into segments.
func rowOf(line []Segment, cells []cell) row {
	var r row
	var b strings.Builder
	for i, c := range cells {
		b.WriteString(c.text)
		if i+1 == len(cells) || cells[i+1].segment != c.segment {
			r = append(r, Segment{line[c.segment].Kind, b.String()})
			b.Reset()
		}
	}
	return r
}

// draw is the row with its sign.
func (r row) draw(st theme.Styles) string {
	sign, kind := r.sign()
	var b strings.Builder
	b.WriteString(kindStyle(st, kind).Render(theme.Fit(sign, signWidth)))
	for _, p := range r {
		b.WriteString(kindStyle(st, p.Kind).Render(p.Text))
	}
	return b.String()
}

// sign is drawn to the left of the row; its kind decides the colour.
func (r row) sign() (string, Kind) {
	has := map[Kind]bool{}
	for _, p := range r {
		has[p.Kind] = true
	}
	switch {
	case has[Selected]:
		return headingSign, Title
	case has[Unsent] && len(has) > 1:
		return cutSign, Unsent
	case has[Unsent]:
		return unsentSign, Unsent
	case has[Added]:
		return addedSign, Added
	case has[Part]:
		return partSign, Added
	}
	return "", Sent
}

// kindStyle is the style of a kind.
func kindStyle(st theme.Styles, t Kind) lipgloss.Style {
	switch t {
	case Unsent:
		return st.Faint
	case Added:
		return st.Recalled
	case Rest, Quiet:
		return st.Muted
	case Title, Selected:
		return st.Strong
	case Warning:
		return st.Cut
	}
	return st.Text
}
