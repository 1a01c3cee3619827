package transcript

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// place is a cell of a row, counted behind the gutter.
type place struct{ row, line, cell int }

func (p place) before(o place) bool {
	return cmp.Or(cmp.Compare(p.row, o.row), cmp.Compare(p.line, o.line), cmp.Compare(p.cell, o.cell)) < 0
}

// picked is what is selected with the mouse: the cells from one place to another, in the order in which they were
// passed. It goes when the rows change.
type picked struct {
	held     bool  // the button is down
	from, to place // the same one where nothing is selected
}

// bounds are the first and the last place.
func (p picked) bounds() (begin, end place) {
	if p.to.before(p.from) {
		return p.to, p.from
	}
	return p.from, p.to
}

// Held says that the mouse is selecting text.
func (c *Model) Held() bool { return c.picked.held }

// Unpick takes the selection of the mouse away.
func (c *Model) Unpick() { c.picked = picked{} }

// Press begins a selection at a cell of the transcript.
func (c *Model) Press(x, y int) {
	at, ok := c.placeAt(x, y)
	c.picked = picked{held: ok, from: at, to: at}
}

// Drag takes the selection to a cell. Beyond the edge it scrolls.
func (c *Model) Drag(x, y int) {
	switch {
	case y < 0:
		c.Scroll(-1)
	case y >= c.height:
		c.Scroll(1)
	}
	if to, ok := c.placeAt(x, min(max(y, 0), c.height-1)); ok {
		c.picked.to = to
	}
}

// Release ends a selection and copies it as it is drawn. Without one it was a click, and clicked.
func (c *Model) Release() (cmd tea.Cmd, clicked bool) {
	c.picked.held = false
	if c.picked.from == c.picked.to {
		return nil, true
	}
	text := c.pickedText()
	if text == "" {
		c.Unpick()
		return nil, false
	}
	return c.Copy(characters(text), text), false
}

// Click selects the message at line y. A click on its receipt is for what the model saw for it.
func (c *Model) Click(y int) tea.Cmd {
	if !c.ready() {
		return nil
	}
	i, line := c.rowAt(y)
	b := c.block(i)
	if line >= len(b.lines) {
		return nil
	}
	c.selectRow(i)
	if line == b.receipt {
		return c.Screen.Do(keymap.Seen)
	}
	return nil
}

// placeAt is the place at a cell of the screen, false below the last message.
func (c *Model) placeAt(x, y int) (place, bool) {
	if !c.ready() || y < 0 || y >= c.height {
		return place{}, false
	}
	i, line := c.rowAt(y)
	return place{i, line, max(0, x-c.gutter())}, line < c.heightOf(i)
}

// cells are the cells of a line of row i that are selected. A selection of several lines is one of text, or of why a
// turn failed: names and receipts are not copied with it.
func (c *Model) cells(i, line int) (from, to int) {
	begin, end := c.picked.bounds()
	several := begin.row != end.row || begin.line != end.line
	b, empty := c.block(i), begin == end
	isText := line >= b.from && line < b.to || b.failure >= 0 && line >= b.failure
	if first := (place{i, line, 0}); begin.before(first) {
		begin = first
	}
	if last := (place{i, line, c.width}); last.before(end) {
		end = last
	}
	if empty || end.before(begin) || several && !isText {
		return 0, 0
	}
	return begin.cell, end.cell + 1
}

// markPicked draws the selected cells of a line of row i.
func (c *Model) markPicked(text string, i, line int) string {
	from, to := c.cells(i, line)
	if to = min(to, theme.Width(text)); from >= to {
		return text
	}
	st := &c.Themes.Styles
	style := st.Selected.Foreground(st.Text.GetForeground())
	if !st.Tinted {
		style = st.Selected.Reverse(true)
	}
	return lipgloss.StyleRanges(text, lipgloss.NewRange(from, to, style))
}

// pickedText is what is selected, as it is drawn, with a blank line between messages.
func (c *Model) pickedText() string {
	var texts []string
	begin, end := c.picked.bounds()
	for i := begin.row; i <= end.row; i++ {
		var lines []string
		for line := range c.block(i).lines {
			if from, to := c.cells(i, line); from < to {
				lines = append(lines, strings.TrimRight(ansi.Cut(ansi.Strip(c.lineOf(i, line)), from, to), " "))
			}
		}
		if text := strings.Trim(strings.Join(lines, "\n"), "\n"); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n")
}
