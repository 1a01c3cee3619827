package list

import (
	"cmp"
	"slices"
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
	leastArgs  = 3  // for what may follow a label
	mostColumn = 18 // the widest column of labels of most lists
	widest     = 120
)

// View draws the list; the cursor stands at column x of the first line.
func (m *Model) View(st theme.Styles) (lines []string, x int) {
	count := theme.Thousands(len(m.items))
	switch {
	case m.Uncounted:
		count = ""
	case m.Filter.Text() != "":
		count = theme.Thousands(len(m.shown)) + " of " + count
	case m.Noun != "":
		count = theme.Plural(len(m.items), m.Noun)
	}
	head := strings.Repeat(" ", margin) + st.Seen.Render("›") + " "
	lead := theme.Width(head)
	room := max(1, m.end()-lead-theme.Width(count)-2*margin)
	m.Filter.Mask(m.Masked)
	filter, x := m.Filter.View(room)
	if m.Filter.Text() == "" { // The cursor stands in front of the words.
		filter = "  " + st.Muted.Render(markdown.OneLine(cmp.Or(m.Prompt, theme.UpperFirst(m.Title)), max(1, room-2)))
	}
	lines = append(lines, theme.Spread(head+filter, st.Muted.Render(count)+strings.Repeat(" ", margin), m.end()))
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
	case m.Filter.Text() == "":
		return "Nothing here yet."
	}
	none := "No match for “" + markdown.OneLine(m.Filter.Text(), max(1, m.w-20)) + "”."
	if m.noMatch() {
		none += " " + m.ctx.Keys.First(keymap.Back) + " clears the filter."
	}
	return none
}

// Rows draws the lines around the cursor.
func (m *Model) Rows(st theme.Styles) (lines []string) {
	rows, first, end := m.onScreen()
	column := m.column()
	for _, r := range rows[first:end] {
		switch {
		case r.at >= 0 && m.Row != nil:
			s := m.shown[r.at]
			lines = append(lines, m.Row(st, m.items[s.item], s.hits[0], r.at == m.at))
		case r.at >= 0:
			lines = append(lines, m.line(st, r, column))
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
	height := 2 + max(1, m.Lines())
	if len(m.Notes) > 0 {
		height += 1 + len(m.Notes)
	}
	return height
}

// State stands at the right end of the hints: what is to say about all items, else what the filter searches.
func (m *Model) State() string {
	switch {
	case m.Remark != "" || m.Filter.Text() == "":
		return m.Remark
	case slices.ContainsFunc(m.items, func(c Item) bool { return c.About != "" }):
		return "matches names and descriptions"
	}
	return m.Title
}

// measure notes the widths of the items. Those with nothing said about them have no part in the column of labels.
func (m *Model) measure() {
	m.labels, m.bare, m.wide = 0, 0, 0
	if m.Row != nil {
		return
	}
	rest, most := 0, cmp.Or(m.Column, mostColumn)
	for i := range m.items {
		c, beside := &m.items[i], 0
		label := theme.Width(strings.TrimSpace(c.Label + " " + c.Args))
		if c.Right != "" {
			beside = gap + theme.Width(c.Right)
		}
		if c.About != "" {
			beside += gap + theme.Width(c.About)
			rest = max(rest, beside)
			m.labels, m.bare = max(m.labels, min(label, most)), max(m.bare, min(theme.Width(c.Label), most))
		}
		m.wide = max(m.wide, label+beside)
	}
	m.wide = max(m.wide, m.labels+rest) + 2*margin
}

// column is how wide the column of labels is.
func (m *Model) column() int {
	switch {
	case m.Wraps:
		return min(m.labels, m.w/3)
	case m.w >= m.wide:
		return m.labels
	}
	return min(max(m.bare, min(m.labels, m.w/4)), m.w/2)
}

// end is how many cells of a line are there for text, the margins included.
func (m *Model) end() int { return min(m.w, widest) }

// room is how many cells an item's label and what is said about it have.
func (m *Model) room(c *Item) int {
	room := max(0, m.end()-2*margin)
	if c.Right != "" {
		room = max(0, room-theme.Width(c.Right)-2)
	}
	return room
}

// lines are the lines of the item at i of what is shown, behind a column of labels.
func (m *Model) lines(i, column int) []row {
	c := &m.items[m.shown[i].item]
	room := m.room(c) - column - gap
	if !m.Wraps || c.About == "" || room < leastAbout {
		return []row{{at: i, label: theme.Part{Text: c.Label}, about: theme.Part{Text: c.About}}}
	}
	labels, abouts := theme.Parts(c.Label, column), theme.Parts(c.About, room)
	rows := make([]row, max(len(labels), len(abouts)))
	for n := range rows {
		rows[n].at, rows[n].more = i, n > 0
		if n < len(labels) {
			rows[n].label = labels[n]
		}
		if n < len(abouts) {
			rows[n].about = abouts[n]
		}
	}
	return rows
}

// line draws a line of an item. What is said about it gives way to its label, and both to its right end.
func (m *Model) line(st theme.Styles, r row, column int) string {
	s := m.shown[r.at]
	c := m.items[s.item]
	ground, bar, label, muted := lipgloss.NewStyle(), " ", st.Strong.Bold(false), st.Muted
	about := muted
	if r.at == m.at {
		ground, bar = st.Selected, st.Seen.Inherit(st.Selected).Render("▌")
		label, muted, about = st.Strong.Inherit(ground), muted.Inherit(ground), st.Text.Inherit(ground)
	}
	match := st.Match.Inherit(ground)
	room := m.room(&c)
	if r.more {
		c.Right, c.Args = "", ""
	}
	text := painted(r.label, s.hits[0], room, label, match)
	taken := theme.Width(text) + 1
	if left := max(column, taken+leastArgs) - taken; c.Args != "" && taken+left <= room {
		text += ground.Render(" ") + painted(theme.Part{Text: c.Args}, nil, left, muted, match)
	}
	if from := column + gap; r.about.Text != "" && room >= from+leastAbout {
		text += ground.Render(strings.Repeat(" ", max(min(2, from), from-theme.Width(text))))
		text += painted(r.about, s.hits[1], room-theme.Width(text), about, match)
	}
	tail := painted(theme.Part{Text: c.Right}, s.hits[2], min(theme.Width(c.Right), m.end()-2*margin), about, match)
	blank := strings.Repeat(" ", max(0, m.end()-2*margin-theme.Width(text)-theme.Width(tail)))
	line := bar + ground.Render(" ") + text + ground.Render(blank) + tail
	return theme.Fit(line+ground.Render(strings.Repeat(" ", max(0, m.w-theme.Width(line)))), m.w)
}

// painted is a part of a text in at most w cells, with the bytes of the text that a filter found marked.
func painted(p theme.Part, hits []int, w int, style, match lipgloss.Style) string {
	if p.Text == "" {
		return ""
	}
	short := markdown.OneLine(p.Text, max(1, w))
	first, _ := slices.BinarySearch(hits, p.From)
	here := make([]int, 0, len(hits)-first)
	for _, at := range hits[first:] {
		here = append(here, at-p.From)
	}
	return theme.Paint(short, style, theme.HitSpans(here, len(short), match))
}
