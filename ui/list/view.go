package list

import (
	"cmp"
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// The sizes of a list in cells.
const (
	margin     = 2  // stays free at either side of the text
	gap        = 3  // between the column of labels and what is said about them
	leastAbout = 9  // for what is said about an item
	mostColumn = 30 // the widest column of labels
	widest     = 120
)

// View draws the list; the cursor stands at column x of the first line.
func (m *Model) View(st theme.Styles) (lines []string, x int) {
	head := strings.Repeat(" ", margin) + st.Seen.Render("›") + " "
	lead := theme.Width(head)
	room := max(1, m.end()-lead-margin)
	m.Filter.Mask(m.Masked)
	filter, x := m.Filter.View(room)
	if m.Filter.Text() == "" { // The cursor stands in front of the words.
		filter = "  " + st.Muted.Render(markdown.OneLine(cmp.Or(m.Prompt, theme.UpperFirst(m.Title)), max(1, room-2)))
	}
	lines = append(lines, theme.Fit(head+filter, m.end()))
	if m.head() > 1 {
		lines = append(lines, st.Rule(m.w))
	}
	lines = append(lines, m.Rows(st)...)
	if nothing := m.nothing(); nothing != "" {
		lines = append(lines, theme.Fit(st.Muted.Render("  "+nothing), m.w))
	}
	notes := m.notesShown()
	for len(lines) < m.h-len(notes) {
		lines = append(lines, "")
	}
	for _, n := range notes {
		lines = append(lines, st.Cut.Render("  "+markdown.OneLine(n, max(1, m.w-2*margin))))
	}
	return lines, min(lead+x, max(0, m.w-1))
}

// nothing says why no item is shown, "" where one is.
func (m *Model) nothing() string {
	switch {
	case len(m.shown) > 0:
		return ""
	case m.Loading:
		return "asking…"
	case m.noMatch():
		return "No match for “" + markdown.OneLine(m.Filter.Text(), max(1, m.w-20)) + "”. " +
			m.ctx.Keys.First(keymap.Back) + " clears the filter."
	}
	return "Nothing here yet."
}

// Rows draws the lines around the cursor.
func (m *Model) Rows(st theme.Styles) (lines []string) {
	for _, r := range m.onScreen() {
		switch {
		case r.at >= 0 && m.Row != nil:
			s := m.shown[r.at]
			lines = append(lines, m.Row(st, m.items[s.item], s.hits[0], r.at == m.at))
		case r.at >= 0:
			lines = append(lines, m.line(st, r))
		case m.Heading != nil && r.group != "":
			lines = append(lines, m.Heading(st, r.group))
		default:
			lines = append(lines, theme.Fit(st.Muted.Render("  "+r.group), m.w))
		}
	}
	return lines
}

// Width is how many cells show every item whole.
func (m *Model) Width() int { return m.wide }

// Height is how many lines show all of the list.
func (m *Model) Height() int {
	height := 2 + max(1, len(m.rows))
	if len(m.Notes) > 0 {
		height += 1 + len(m.Notes)
	}
	return height
}

// measure notes the widths of the items. Those with nothing said about them have no part in the column of labels.
func (m *Model) measure() {
	m.labels = 0
	bare, rest := 0, 0
	for _, c := range m.items {
		label, beside := theme.Width(c.Label), 0
		for _, text := range []string{c.About, c.Right} {
			if text != "" {
				beside += gap + theme.Width(text)
			}
		}
		if c.About == "" {
			bare = max(bare, label+beside)
		} else {
			m.labels, rest = max(m.labels, min(label, mostColumn)), max(rest, beside)
		}
	}
	m.wide = max(bare, m.labels+rest) + 2*margin
}

// column is how wide the column of labels is: a third of a line at most that does not show every item whole.
func (m *Model) column() int {
	if m.w >= m.wide {
		return m.labels
	}
	return min(m.labels, m.w/3)
}

// end is how many cells of a line are there for text, the margins included.
func (m *Model) end() int { return min(m.w, widest) }

// room is how many cells an item's label and what is said about it have.
func (m *Model) room(c *Item) int {
	room := m.end() - 2*margin
	if c.Right != "" {
		room -= theme.Width(c.Right) + 2
	}
	return max(0, room)
}

// line draws a line of an item.
func (m *Model) line(st theme.Styles, r row) string {
	s := m.shown[r.at]
	c := m.items[s.item]
	ground, bar, label, about := lipgloss.NewStyle(), " ", st.Strong.Bold(false), st.Muted
	if r.at == m.at {
		ground, bar, label, about = st.Selected, st.Seen.Render("▌"), st.Strong, st.Text
	}
	column, room, end := m.column(), m.room(&c), m.end()-2*margin
	switch {
	case c.About == "" || room < column+gap+leastAbout:
		column, r.about.Text = room, ""
	case m.Wraps:
		column = max(column, theme.Width(c.Label))
	}
	if r.more {
		c.Label, c.Right = "", ""
	}
	text := painted(theme.Part{Text: c.Label}, s.hits[0], column, label, st.Match)
	if from := column + gap; r.about.Text != "" {
		text = theme.Fit(text, from) + painted(r.about, s.hits[1], room-from, about, st.Match)
	}
	right := painted(theme.Part{Text: c.Right}, s.hits[2], min(theme.Width(c.Right), end), about, st.Match)
	return theme.Ground(ground, theme.Fit(bar+" "+theme.Spread(text, right, end), m.w))
}

// painted is a part of a text in at most w cells, with the bytes of the text that a filter found marked.
func painted(p theme.Part, hits []int, w int, style, match lipgloss.Style) string {
	if p.Text == "" {
		return ""
	}
	var here []int
	for _, at := range hits {
		if at >= p.From {
			here = append(here, at-p.From)
		}
	}
	short := markdown.OneLine(p.Text, max(1, w))
	return theme.Paint(short, style, theme.HitSpans(here, len(short), match))
}
