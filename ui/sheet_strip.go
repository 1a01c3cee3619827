package ui

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// strip is one row of a sheet on the screen: passages that are safe to draw.
type strip []passage

// marginWidth is the cells to the left of a sheet's text: a sign and a blank.
const marginWidth = 2

// The signs of the tones, for a margin and for the place inside a line where one begins.
const (
	unsentSign  = "┊"
	addedSign   = "✚"
	partSign    = "↺"
	cutSign     = "✂" // some of the row is not sent
	headingSign = "▸" // the selected heading
)

// withSigns is a line that is safe to draw, with a sign where it changes between what is sent, what is
// not, and what was added.
func withSigns(line []passage) []passage {
	var list []passage
	for i, p := range line {
		p.text = markdown.Visible(p.text)
		if i > 0 && p.text != "" {
			if sign := between(line[i-1].tone, p.tone); sign.text != "" {
				list = append(list, sign)
			}
		}
		list = append(list, p)
	}
	return list
}

// between is the sign between two tones, nothing where there is none.
func between(a, b tone) passage {
	counts := func(t tone) bool { return t == saidTone || t == unsentTone || t == addedTone }
	switch {
	case a == b || !counts(a) || !counts(b):
		return passage{}
	case b == unsentTone || a == unsentTone && b == saidTone:
		return passage{unsentTone, unsentSign}
	}
	return passage{addedTone, addedSign}
}

// cell is a character of a line, with the cells that it takes.
type cell struct {
	passage int
	text    string
	w       int
}

// wrapLine breaks a line into rows of at most w cells, behind a blank where there is one. A blank may
// stand one cell further, where it is not seen.
func wrapLine(line []passage, w int) []strip {
	if len(line) == 0 {
		return []strip{nil}
	}
	cells := cellsOf(line)
	var rows []strip
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
		rows = append(rows, stripOf(line, cells[from:end]))
		from, used, blank, i = end, 0, -1, end-1
	}
	if from < len(cells) || len(rows) == 0 {
		rows = append(rows, stripOf(line, cells[from:]))
	}
	return rows
}

// cellsOf takes a line apart into its characters.
func cellsOf(line []passage) []cell {
	var cells []cell
	for i, p := range line {
		for text := p.text; text != ""; {
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

// stripOf puts characters together again.
func stripOf(line []passage, cells []cell) strip {
	var r strip
	var b strings.Builder
	for i, c := range cells {
		b.WriteString(c.text)
		if i+1 == len(cells) || cells[i+1].passage != c.passage {
			r = append(r, passage{line[c.passage].tone, b.String()})
			b.Reset()
		}
	}
	return r
}

// draw is the row with its margin.
func (r strip) draw(st theme.Styles) string {
	sign, tone := r.sign()
	var b strings.Builder
	b.WriteString(toneStyle(st, tone).Render(theme.Fit(sign, marginWidth)))
	for _, p := range r {
		b.WriteString(toneStyle(st, p.tone).Render(p.text))
	}
	return b.String()
}

// sign is what stands beside the row.
func (r strip) sign() (string, tone) {
	has := map[tone]bool{}
	for _, p := range r {
		has[p.tone] = true
	}
	switch {
	case has[selectedTone]:
		return headingSign, titleTone
	case has[unsentTone] && len(has) > 1:
		return cutSign, unsentTone
	case has[unsentTone]:
		return unsentSign, unsentTone
	case has[addedTone]:
		return addedSign, addedTone
	case has[partTone]:
		return partSign, addedTone
	}
	return "", saidTone
}

// toneStyle is the style of a tone.
func toneStyle(st theme.Styles, t tone) lipgloss.Style {
	switch t {
	case unsentTone:
		return st.Faint
	case addedTone:
		return st.Added
	case restTone, quietTone:
		return st.Dim
	case titleTone, selectedTone:
		return st.Accent
	case warnTone:
		return st.Warn
	}
	return st.Text
}
