package list

import (
	"cmp"

	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// The sizes of a list in cells.
const (
	margin     = 2  // stays free at either side of the text
	gap        = 3  // between the columns
	mostColumn = 30 // the widest column of labels
	leastRoom  = 24 // of a line in which something is said about its item
	widest     = 120
)

// View draws the list; the cursor stands at column x of the first line.
func (m *Model) View(st theme.Styles) (lines []string, x int) {
	lead := "  " + st.Seen.Render("›") + " "
	room := max(1, m.end()-theme.Width(lead)-margin)
	m.Filter.Masked = m.Masked
	filter, x := m.Filter.View(room)
	if m.Filter.Text() == "" { // The cursor stands in front of the words.
		filter = "  " + st.Muted.Render(markdown.OneLine(cmp.Or(m.Prompt, theme.UpperFirst(m.Title)), max(1, room-2)))
	}
	lines = []string{theme.Fit(lead+filter, m.end()), st.Rule(m.w)}[:m.head()]
	lines = append(lines, m.Rows(st)...)
	if len(m.shown) == 0 {
		lines = append(lines, theme.Fit(st.Muted.Render("  "+m.nothing()), m.w))
	}
	notes := m.notesShown()
	lines = append(lines, make([]string, max(0, m.h-len(notes)-len(lines)))...)
	for _, n := range notes {
		lines = append(lines, st.Cut.Render("  "+markdown.OneLine(n, max(1, m.w-2*margin))))
	}
	return lines, min(theme.Width(lead)+x, max(0, m.w-1))
}

// nothing says why no item is shown.
func (m *Model) nothing() string {
	switch {
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
			lines = append(lines, m.Row(st, m.items[s.item], s.hits, r.at == m.at))
		case r.at >= 0:
			lines = append(lines, m.line(st, r))
		case m.Heading != nil && r.text != "":
			lines = append(lines, m.Heading(st, r.text))
		default:
			lines = append(lines, theme.Fit(st.Muted.Render("  "+r.text), m.w))
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
	bare, rest := 0, 0
	m.labels = 0
	for _, c := range m.items {
		label, right := theme.Width(c.Label), 0
		if c.Right != "" {
			right = gap + theme.Width(c.Right)
		}
		if c.About == "" {
			bare = max(bare, label+right)
			continue
		}
		m.labels = max(m.labels, min(label, mostColumn))
		rest = max(rest, gap+theme.Width(c.About)+right)
	}
	m.wide = max(bare, m.labels+rest) + 2*margin
}

// end is how many cells of a line are there for text, the margins included.
func (m *Model) end() int { return min(m.w, widest) }

// columns are the cells of an item's label, and of what is said about it: 0 where that is not shown.
func (m *Model) columns(c *Item) (label, about int) {
	room := m.end() - 2*margin
	if c.Right != "" {
		room -= theme.Width(c.Right) + 2
	}
	if c.About == "" || room < leastRoom {
		return max(1, room), 0
	}
	if label = m.labels; m.w < m.wide {
		label = min(label, m.w/3)
	}
	if m.Wraps {
		label = max(label, min(mostColumn, theme.Width(c.Label)))
	}
	return label, room - label - gap
}

// line draws a line of an item.
func (m *Model) line(st theme.Styles, r row) string {
	s := m.shown[r.at]
	c := m.items[s.item]
	label, about := st.Strong.Bold(false), st.Muted
	if r.at == m.at {
		label, about = st.Strong, st.Text
	}
	column, room := m.columns(&c)
	if r.more {
		c.Label, c.Right = "", ""
	}
	text := markdown.OneLine(c.Label, column)
	text = theme.Paint(text, label, theme.Marks(s.hits, 0, st.Match))
	if room > 0 {
		text = theme.Fit(text, column+gap) + about.Render(markdown.OneLine(r.text, room))
	}
	right := markdown.Truncate(markdown.Visible(c.Right), max(1, m.w), "…") // its blanks make columns
	text = " " + theme.Spread(text, about.Render(right), m.end()-2*margin)
	if r.at == m.at {
		return st.CursorRow(text, m.w)
	}
	return theme.Fit(" "+text, m.w)
}
