package list

import (
	"cmp"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Sizes in cells.
const (
	margin         = 2  // blank cells on both sides
	gap            = 3  // between columns
	maxColumn      = 30 // maximum width of the labels
	minDescription = 24 // width of a line from which descriptions are shown
)

// View draws the list. The cursor is at column x of the first line.
func (m *Model) View() (lines []string, x int) {
	st := &m.ctx.Themes.Styles
	lead := "  " + st.Seen.Render("›") + " "
	room := max(1, m.w-theme.Width(lead)-margin)
	filter, x := m.Filter.View(room)
	if m.Filter.Text() == "" { // The cursor is before the placeholder.
		placeholder := cmp.Or(m.Placeholder, theme.UpperFirst(m.Title))
		filter = "  " + st.Muted.Render(markdown.OneLine(placeholder, max(1, room-2)))
	}
	lines = []string{theme.Fit(lead+filter, m.w), st.Rule(m.w)}[:m.head()]
	lines = append(lines, m.ViewRows()...)
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
		return "Loading…"
	case m.noMatch():
		return "No match for “" + markdown.OneLine(m.Filter.Text(), max(1, m.w-20)) + "”."
	}
	return "Nothing here yet."
}

// ViewRows draws the visible items, without filter and notes.
func (m *Model) ViewRows() (lines []string) {
	for _, r := range m.onScreen() {
		item, hits := Item{Group: r.text}, [][2]int(nil)
		if r.at >= 0 {
			item, hits = m.items[m.shown[r.at].item], m.shown[r.at].hits
			item.Description = r.text
		}
		if r.more {
			item, hits = Item{Description: r.text}, nil
		}
		lines = append(lines, m.DrawRow(item, hits, r.at == m.at))
	}
	return lines
}

// FullHeight is the number of lines that the whole list would take.
func (m *Model) FullHeight() int {
	height := 2 + max(1, len(m.rows))
	if len(m.Notes) > 0 {
		height += 1 + len(m.Notes)
	}
	return height
}

// room is the number of cells for the description of an item, 0 if it is not shown.
func (m *Model) room(i *Item) int {
	room := m.w - 2*margin
	if i.Right != "" {
		room -= theme.Width(i.Right) + 2
	}
	if i.Description == "" || room < minDescription {
		return 0
	}
	return room - m.column() - gap
}

// column is the width of the labels that have descriptions.
func (m *Model) column() int {
	if m.WideLabels {
		return min(m.labels, m.w*2/3)
	}
	return min(m.labels, maxColumn, m.w*3/8)
}

// line draws a line of the list.
func (m *Model) line(i Item, hits [][2]int, selected bool) string {
	st := &m.ctx.Themes.Styles
	if i.Label+i.Description == "" {
		return theme.Fit(st.Muted.Render("  "+i.Group), m.w)
	}
	label, about, column, room := st.Strong.Bold(false), st.Muted, m.w-2*margin, m.room(&i)
	if selected {
		label, about = st.Strong, st.Text
	}
	if room > 0 {
		column = m.column()
	}
	right := about.Render(markdown.Truncate(markdown.Visible(i.Right), max(1, m.w), "…")) // its blanks make columns
	text := theme.Paint(markdown.OneLine(i.Label, max(1, column)), label, theme.MarkSpans(hits, 0, st.FilterMatch))
	if room > 0 {
		text = theme.Fit(text, column+gap) + about.Render(markdown.OneLine(i.Description, room))
	}
	text = " " + theme.Spread(text, right, m.w-2*margin)
	if selected {
		return st.CursorRow(text, m.w)
	}
	return theme.Fit(" "+text, m.w)
}
