package transcript

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/theme"
)

// place is a cell of a rendered item, counted behind the gutter.
type place struct {
	item       int64
	line, cell int
}

// picked is what is selected with the mouse: the cells from one place to another, in the order in which they were
// passed.
type picked struct {
	on       bool // something is selected
	held     bool // the button is down
	from, to place
	presses  int // how often the button was pressed at one place, one soon after the other
	number   int // of the last press
}

// soon is the time within which a second press belongs to the first.
const soon = 400 * time.Millisecond

// CalmMsg says that the next press of the button does not belong to one before.
type CalmMsg struct{ number int }

func (CalmMsg) transcript() {}

// Picked is the text that was selected with the mouse.
type Picked struct{ What, Text string }

// Clicked is a press of the button on a line that selected no text.
type Clicked struct{ Y int }

// press begins a selection. The second press at a place selects a word, the third a line.
func (c *Model) press(x, y int) tea.Cmd {
	p := &c.list.picked
	at, ok := c.list.placeAt(x, y)
	presses := 1
	if p.presses > 0 && p.from.item == at.item && p.from.line == at.line && (p.on || p.from == at) {
		presses = p.presses%3 + 1
	}
	*p = picked{held: ok, from: at, to: at, presses: presses, number: p.number + 1}
	switch {
	case !ok:
	case presses == 2:
		p.from, p.to, p.on = c.list.wordAt(at)
	case presses == 3:
		p.from, p.to, p.on = c.list.lineAt(at)
	}
	calm := CalmMsg{p.number}
	return tea.Tick(soon, func(time.Time) tea.Msg { return calm })
}

// calm ends the time in which presses belong together.
func (c *Model) calm(msg CalmMsg) {
	if p := &c.list.picked; p.number == msg.number {
		p.presses = 0
	}
}

// Held says that the mouse is selecting text.
func (c *Model) Held() bool { return c.list.picked.held }

// drag takes the selection to a cell. Beyond the edge it scrolls.
func (c *Model) drag(x, y int) {
	p := &c.list.picked
	if !p.held {
		return
	}
	switch {
	case y < 0:
		c.Scroll(-1)
	case y >= c.list.height:
		c.Scroll(1)
	}
	if to, ok := c.list.placeAt(x, min(max(y, 0), c.list.height-1)); ok && (to != p.to || p.on) {
		p.to, p.on = to, p.on || to != p.from
	}
}

// release ends a selection: its text is copied. Without one it was a click.
func (c *Model) release(y int) tea.Cmd {
	p := &c.list.picked
	if !p.held {
		return nil
	}
	p.held = false
	if !p.on {
		return c.Emit(Clicked{y})
	}
	text := c.list.pickedText()
	if text == "" {
		p.on = false
		return nil
	}
	return c.Emit(Picked{theme.Plural(utf8.RuneCountInString(text), "character"), text})
}

// Unpick takes the selection of the mouse away.
func (c *Model) Unpick() { c.list.picked.on = false }

// placeAt is the place at a cell of the screen, false below the last message.
func (m *itemList) placeAt(x, y int) (place, bool) {
	if !m.ready() || y < 0 || y >= m.height {
		return place{}, false
	}
	i, line := m.itemAt(y)
	d := m.drawn(i)
	return place{m.slots[i].ID, min(line, len(d.lines)-1), max(0, x-m.gutter())}, line < len(d.lines)
}

// bounds are the two ends of the selection in the order of the list.
func (m *itemList) bounds() (from, to place, first, last int, ok bool) {
	from, to = m.picked.from, m.picked.to
	first, here := m.index(from.item)
	last, there := m.index(to.item)
	if first > last || first == last && (from.line > to.line || from.line == to.line && from.cell > to.cell) {
		from, to, first, last = to, from, last, first
	}
	return from, to, first, last, here && there
}

// cells are the cells of a line of item i that are selected.
func (m *itemList) cells(i, line int) (from, to int) {
	begin, end, first, last, ok := m.bounds()
	switch {
	case !ok || i < first || i > last, i == first && line < begin.line, i == last && line > end.line:
		return 0, 0
	}
	to = m.width
	if i == first && line == begin.line {
		from = begin.cell
	}
	if i == last && line == end.line {
		to = end.cell + 1
	}
	return from, to
}

// markPicked draws the selected cells of a line. A selection of several lines is one of text: names and receipts are
// not copied with it.
func (m *itemList) markPicked(text string, i, line int) string {
	from, to := m.cells(i, line)
	if to = min(to, theme.Width(text)); from >= to {
		return text
	}
	d := m.drawn(i)
	if from, to := m.picked.from, m.picked.to; (line < d.from || line >= d.to) &&
		(from.item != to.item || from.line != to.line) {
		return text
	}
	style := m.styles.Selected
	if !m.styles.Tinted {
		style = style.Reverse(true)
	} else {
		style = style.Foreground(m.styles.Text.GetForeground())
	}
	return lipgloss.StyleRanges(text, lipgloss.NewRange(from, to, style))
}

// wordAt is the word at a place, false for none.
func (m *itemList) wordAt(at place) (from, to place, ok bool) {
	i, _ := m.index(at.item)
	cell, begin, in := 0, 0, false
	for text := m.textOf(i, at.line); text != ""; {
		cluster, width := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		text = text[len(cluster):]
		r, _ := utf8.DecodeRuneInString(cluster)
		word := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
		if word && !in {
			begin = cell
		}
		if in = word; !in && cell >= at.cell {
			break
		}
		cell += width
		if in && at.cell >= begin && at.cell < cell {
			ok = true
		}
	}
	from, to = at, at
	from.cell, to.cell = begin, cell-1
	return from, to, ok
}

// lineAt is the line of the stored text at a place: all lines of the screen that it is wrapped into.
func (m *itemList) lineAt(at place) (from, to place, ok bool) {
	from, to = at, at
	from.cell, to.cell = 0, m.width
	i, _ := m.index(at.item)
	d := m.drawn(i)
	o := m.origin(i, d)
	lo, _, found := o.span(d, at.line, 0, m.width)
	if !found {
		return from, to, strings.TrimSpace(m.textOf(i, at.line)) != ""
	}
	begin := strings.LastIndexByte(o.text[:lo], '\n') + 1
	end := len(o.text)
	if n := strings.IndexByte(o.text[lo:], '\n'); n >= 0 {
		end = lo + n
	}
	within := func(line int) bool {
		a, _, ok := o.span(d, line, 0, m.width)
		return ok && a >= begin && a < end
	}
	for from.line > d.from && within(from.line-1) {
		from.line--
	}
	for to.line < d.to-1 && within(to.line+1) {
		to.line++
	}
	return from, to, true
}

// textOf is a line of item i as it stands on the screen, without colours.
func (m *itemList) textOf(i, line int) string {
	d := m.drawn(i)
	if line == 0 && d.named {
		var mark Mark
		if m.marks != nil {
			mark = m.marks(m.slots[i].ID)
		}
		return ansi.Strip(m.head(m.entry(i), d.look, mark))
	}
	return ansi.Strip(d.lines[line])
}

// pickedText is the stored text of what is selected, and where none of it is stored, such as in a receipt, what stands
// on the screen.
func (m *itemList) pickedText() string {
	_, _, first, last, ok := m.bounds()
	if !ok {
		return ""
	}
	var texts, shown []string
	for i := first; i <= last; i++ {
		d := m.drawn(i)
		if text := m.pickedOf(i, d); text != "" {
			texts = append(texts, text)
		}
		for line := range d.below {
			if from, to := m.cells(i, line); from < to && len(texts) == 0 {
				shown = append(shown, strings.TrimRight(ansi.Cut(m.textOf(i, line), from, to), " "))
			}
		}
	}
	if len(texts) == 0 {
		return strings.Trim(strings.Join(shown, "\n"), "\n")
	}
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" }), "\n\n")
}

// pickedOf is the stored text of what is selected of item i.
func (m *itemList) pickedOf(i int, d *drawn) string {
	begin, end, found := 0, 0, false
	var o *origin
	for line := d.from; line < d.to; line++ {
		from, to := m.cells(i, line)
		if from >= to {
			continue
		}
		if o == nil {
			o = m.origin(i, d)
		}
		if lo, hi, ok := o.span(d, line, from, to); ok {
			if !found {
				begin = lo
			}
			end, found = max(end, hi), true
		}
	}
	if !found {
		return ""
	}
	return o.extended(begin, end)
}
