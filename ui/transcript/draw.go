package transcript

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/ui/markdown"
)

const (
	wide       = 40 // from this width on the label stands beside the text, below it above
	labelWidth = 5
	boundary   = "the model sees from here"
)

// gutterWidth is the number of cells to the left of the text: for glyph, cursor and, in a wide list,
// the label.
func (m *itemList) gutterWidth() int {
	switch {
	case m.width >= wide:
		return 2 + labelWidth + 1
	case m.width >= 10:
		return 2
	}
	return 0
}

// bodyWidth returns the cells for text. Where there is room, one stays free on the right, so that
// text does not touch the pane's frame.
func (m *itemList) bodyWidth() int {
	width := m.width - m.gutterWidth()
	if m.width >= wide {
		width--
	}
	return max(width, 1)
}

// Lines returns exactly the height's number of lines, none wider than the width.
func (m *itemList) Lines() []string {
	if m.height <= 0 {
		return nil
	}
	out := make([]string, 0, m.height)
	if m.ready() {
		line := m.line
		for i := m.top; i < len(m.entries) && len(out) < m.height; i++ {
			out = m.drawItem(out, i, line)
			line = 0
		}
	}
	for len(out) < m.height {
		out = append(out, "")
	}
	return out
}

// drawItem adds the lines of item i from line on that fit on the screen.
func (m *itemList) drawItem(out []string, i, line int) []string {
	e := &m.entries[i]
	d := m.drawn(i)
	lines := d.lines
	var mark Mark
	if m.marks != nil {
		mark = m.marks(e.ID)
	}
	hits, at, here := (*itemHits)(nil), -1, -1
	if m.search.finder != nil {
		hits = m.hits(d)
		if at = m.atHit(i, hits); m.search.at == e.ID {
			here = m.hitLine(i)
		}
	}
	tagged := m.tagLine(lines, mark.Tag, here)
	for ; line < len(lines) && len(out) < m.height; line++ {
		if line == len(lines)-1 {
			out = append(out, m.between(i))
			continue
		}
		text := lines[line]
		if hits != nil {
			text = m.markHits(text, line, hits, at)
		}
		text = m.gutter(e, mark, line, line == here) + text
		if line == tagged {
			gap := m.width - ansi.StringWidth(text) - ansi.StringWidth(mark.Tag)
			text += strings.Repeat(" ", gap) + mark.Style.Render(mark.Tag)
		}
		out = append(out, text)
	}
	return out
}

// tagLine returns the line with the hit that the user is at, else the first of the upper lines, that
// has room for the tag; -1 for none.
func (m *itemList) tagLine(lines []string, tag string, hit int) int {
	if tag == "" {
		return -1
	}
	space := m.bodyWidth() - ansi.StringWidth(tag) - 2
	if hit >= 0 && hit < len(lines)-1 && ansi.StringWidth(lines[hit]) <= space {
		return hit
	}
	for i := range min(len(lines)-1, 6) {
		if ansi.StringWidth(lines[i]) <= space {
			return i
		}
	}
	return -1
}

// between returns the line below item i: blank, or the line that marks where the model's view begins.
func (m *itemList) between(i int) string {
	if m.boundary == 0 || i+1 >= len(m.entries) || m.entries[i+1].ID != m.boundary {
		return ""
	}
	text := ansi.Truncate(" "+boundary+m.alsoAbove()+" ", m.width, "…")
	left := (m.width - ansi.StringWidth(text)) / 2
	right := m.width - left - ansi.StringWidth(text)
	return m.styles.Strong.Render(strings.Repeat("─", left) + text + strings.Repeat("─", right))
}

// alsoAbove says that the model sees messages in front of the boundary too.
func (m *itemList) alsoAbove() string {
	switch m.above {
	case 0:
		return ""
	case 1:
		return ", and 1 message above"
	}
	return fmt.Sprintf(", and %d messages above", m.above)
}

// gutter returns the cells to the left of a line of e.
func (m *itemList) gutter(e *entry, mark Mark, line int, hit bool) string {
	gutterWidth := m.gutterWidth()
	if gutterWidth == 0 {
		return ""
	}
	glyph := " "
	if line == 0 && mark.Glyph != "" {
		g := ansi.Truncate(mark.Glyph, 1, "")
		glyph = mark.Style.Render(g) + strings.Repeat(" ", 1-ansi.StringWidth(g))
	}
	cursor := " "
	switch on := m.selected && m.cursor == e.ID; {
	case on && mark.Selected:
		cursor = m.styles.Seen.Render("█")
	case mark.Selected:
		cursor = m.styles.Seen.Render("▌")
	case on:
		cursor = m.styles.Seen.Render("┃")
	}
	if gutterWidth == 2 {
		return glyph + cursor
	}
	label := ""
	if line == 0 {
		label = markdown.OneLine(e.Label, labelWidth)
	}
	pad := strings.Repeat(" ", gutterWidth-2-ansi.StringWidth(label))
	if hit {
		pad = pad[1:] + m.styles.Seen.Render("›")
	}
	return glyph + cursor + m.label(e, label) + pad
}

// label returns text in the colour of e's speaker.
func (m *itemList) label(e *entry, text string) string {
	if text == "" {
		return ""
	}
	switch e.Role {
	case history.User:
		return m.styles.You.Render(text)
	case history.Assistant:
		return m.styles.Strong.Render(text)
	case history.System:
		return m.styles.Muted.Render(text)
	}
	return m.styles.Strong.Render(text)
}

// measure returns the height of item i in lines, the blank one below it included.
func (m *itemList) measure(i int) int {
	if e := &m.entries[i]; !e.measured {
		m.drawn(i)
	}
	return m.heights[i]
}

// drawn is a rendered item.
type drawn struct {
	lines    []string  // without the gutter, the blank one below included
	text     string    // as much of its text as is shown
	from, to int       // the lines of that
	footer   int       // where its footer begins; the line behind where it has none
	trail    int       // where its trail begins; the blank line where it has none
	hits     *itemHits // nil until they are searched for
}

// drawn returns item i as it is rendered, and notes its height.
func (m *itemList) drawn(i int) *drawn {
	e := &m.entries[i]
	d, ok := m.cache[e.ID]
	if !ok {
		if len(m.cache) >= m.keep {
			clear(m.cache)
		}
		d = m.render(e)
		m.cache[e.ID] = d
	}
	if !e.measured {
		e.measured = true
		m.heights[i] = len(d.lines)
		m.guessed += e.rough(m.bodyWidth())
		m.found += len(d.lines)
	}
	return d
}

// render draws e without the gutter.
func (m *itemList) render(e *entry) *drawn {
	text, reasoning := e.Text, e.Reasoning
	st, w := m.styles, m.bodyWidth()
	var lines []string
	if m.gutterWidth() < 3 {
		lines = append(lines, m.label(e, markdown.OneLine(e.Label, w)))
	}
	if e.Head != "" {
		lines = append(lines, st.Strong.Render(markdown.OneLine(e.Head, w)))
	}
	if reasoning != "" {
		lines = append(lines, m.reasoning(e, reasoning)...)
	}
	d := &drawn{from: len(lines), text: text}
	if !m.streams(e) {
		d.text = shown(text)
	}
	lines = append(lines, m.text(e, text, d.text)...)
	d.to = len(lines)
	if !e.Fold || e.expanded {
		lines = append(lines, m.rest(len(text)-len(d.text))...)
	}
	lines = append(lines, m.styled(e.Note, st.Cut)...)
	d.footer = len(lines)
	lines = append(lines, m.styled(e.Footer, st.Faint)...)
	d.trail = len(lines)
	lines = append(lines, m.styled(e.Trail, st.Strong)...)
	if len(lines) == 0 {
		lines = append(lines, "…")
		d.footer, d.trail = 1, 1
	}
	d.lines = append(lines, "")
	return d
}

// text returns the lines of as much of e's text as is shown, or the one line of a folded text.
func (m *itemList) text(e *entry, text, shown string) []string {
	switch {
	case e.Fold && !e.expanded:
		return m.folded(text)
	case len(shown) < len(text):
		return m.begin(e, shown)
	case e.Plain || e.Fold:
		return m.md.Plain(text)
	case e.stream == nil:
		return m.md.Render(text)
	}
	if s := e.stream; s.Renderer() != m.md {
		// The width changed while it streams, or since.
		e.stream = markdown.NewStream(m.md)
		e.stream.Write(s.Text())
		if s.Finished() {
			e.stream.Finish()
		}
	}
	return e.stream.Lines()
}

// folded returns the one line of a folded text: how it begins and how many lines follow.
func (m *itemList) folded(text string) []string {
	text = strings.Trim(text, "\n")
	more := strings.Count(text, "\n")
	w := m.bodyWidth()
	if more == 0 && len(text) <= w {
		return m.md.Plain(text)
	}
	count := fmt.Sprintf("▸ %d more lines", more)
	if more == 1 {
		count = "▸ 1 more line"
	}
	if more == 0 {
		count = "▸ whole line"
	}
	count = ansi.Truncate(count, w, "…")
	first, _, _ := strings.Cut(text, "\n")
	space := w - ansi.StringWidth(count) - 1
	if space < 4 {
		return []string{m.styles.Muted.Render(count)}
	}
	return []string{markdown.OneLine(first, space) + " " + m.styles.Muted.Render(count)}
}

// reasoning returns the lines of e's reasoning, or one line with their number while it is folded.
func (m *itemList) reasoning(e *entry, text string) []string {
	st := m.styles
	if e.turned != m.thinking {
		lines := []string{st.Muted.Render(ansi.Truncate("▾ reasoning", m.bodyWidth(), "…"))}
		part := shown(text)
		lines = append(lines, m.styled(part, st.Muted)...)
		return append(append(lines, m.rest(len(text)-len(part))...), "")
	}
	head := fmt.Sprintf("▸ reasoning, %d lines", strings.Count(strings.Trim(text, "\n"), "\n")+1)
	return []string{st.Muted.Render(ansi.Truncate(head, m.bodyWidth(), "…"))}
}

// styled returns text as it is, wrapped, in one style.
func (m *itemList) styled(text string, st lipgloss.Style) []string {
	lines := m.md.Plain(text)
	for i, line := range lines {
		lines[i] = st.Render(line)
	}
	return lines
}
