package transcript

import (
	"slices"

	"winnow/ui/markdown"
)

// page is the list of rows and what is on the screen of it. Its position is a row and a line within it, so that
// whatever happens above does not move what is on the screen, and no height is needed but of what is near it.
type page struct {
	blocks        map[int64]*block // the rendered rows, by id
	md            *markdown.Renderer
	width, height int
	left          int // the cells of the width that stay free at the left; the cursor's sign stands in the first one

	top, line      int            // the first row on the screen and its first line there
	followEnd      bool           // the end stays on the screen
	cursor         int64          // the selected row, 0 for none
	ShowsReasoning bool           // reasoning is shown whole
	expanded       map[int64]bool // rows that are unfolded
	dragged        dragged
}

// rows is how many rows there are: one for each message, and one for the answer that arrives.
func (c *Model) rows() int {
	if c.streaming() {
		return c.Messages.Len() + 1
	}
	return c.Messages.Len()
}

// id is the id of row i, 0 where there is no such row.
func (c *Model) id(i int) int64 {
	switch {
	case i < c.Messages.Len():
		return c.Messages.ID(i)
	case c.streaming():
		return streamingID
	}
	return 0
}

// index is the index of a row.
func (c *Model) index(id int64) (i int, there bool) {
	i, there = c.Messages.Find(id)
	return i, there || id == streamingID && c.streaming()
}

// Resize gives the transcript its size in cells, the margin at its left included. What was first on the screen stays
// first.
func (c *Model) Resize(width, height, left int) {
	anew := width != c.width || left != c.left
	c.width, c.height, c.left = width, height, left
	if anew {
		c.Restyle()
	}
	c.clamp()
}

// Restyle renders everything anew, in the colours of now.
func (c *Model) Restyle() {
	c.ClearDrag()
	clear(c.blocks)
	if c.width == 0 {
		return
	}
	c.md = markdown.New(c.Themes.Styles.Markdown, c.proseWidth(), c.bodyWidth())
	if !c.streaming() {
		c.answer = nil
		return
	}
	arrived := c.answer.Text()
	c.answer.Stream = markdown.NewStream(c.md)
	c.answer.Write(arrived)
}

// ready says that there is something to draw and to move in.
func (c *Model) ready() bool { return c.md != nil && c.height > 0 && c.rows() > 0 }

// Scroll moves by n lines, down for a positive n. Reaching the end follows it again.
func (c *Model) Scroll(n int) {
	if c.ready() {
		c.moveTo(c.walk(c.top, c.line+n))
	}
}

// moveTo scrolls a line of a row to the top of the screen, or as near as the end lets it. The end is followed exactly
// while it is in sight.
func (c *Model) moveTo(i, line int) {
	c.top, c.line = i, line
	c.followEnd = c.RowsBelow() == 0
	c.clamp()
}

// walk is the row that is n lines below the first line of row i, above it for a negative n, and the line in it. Above
// the first row it is the first line, below the last row a line beyond it.
func (c *Model) walk(i, n int) (row, line int) {
	for ; n < 0 && i > 0; n += c.heightOf(i) {
		i--
	}
	for ; i < c.rows()-1 && n >= c.heightOf(i); i++ {
		n -= c.heightOf(i)
	}
	return i, max(n, 0)
}

// ScrollPages moves by n pages, with one line of the page before kept in sight.
func (c *Model) ScrollPages(n int) { c.Scroll(n * max(c.height-1, 1)) }

// GotoBottom follows the end.
func (c *Model) GotoBottom() {
	c.followEnd = true
	c.clamp()
}

// SelectLast selects the last message and follows the end.
func (c *Model) SelectLast() {
	c.selectRow(max(0, c.rows()-1))
	c.GotoBottom()
}

// ScrollTo scrolls a message to the top of the screen, or as near as the end lets it.
func (c *Model) ScrollTo(id int64) {
	if i, ok := c.index(id); ok && c.ready() {
		c.moveTo(i, 0)
	}
}

// GoTo selects a message and scrolls it onto the screen, and says whether there is one.
func (c *Model) GoTo(id int64) bool {
	i, ok := c.index(id)
	if ok {
		c.selectRow(i)
	}
	return ok
}

// step selects the n-th row after the selected one, before it for a negative n. With nothing selected it selects the
// last row on the screen.
func (c *Model) step(n int) {
	if !c.ready() {
		return
	}
	i, ok := c.index(c.cursor)
	if !ok {
		i, _ = c.rowAt(c.height - 1)
		n = 0
	}
	c.selectRow(min(max(i+n, 0), c.rows()-1))
}

// Focus shows the cursor where it is, or on the last message on the screen.
func (c *Model) Focus() { c.step(0) }

// Blur takes the cursor away.
func (c *Model) Blur() { c.cursor = 0 }

// rowAt is the index of the row at line y of the screen, the last one below the end, and the line in it.
func (c *Model) rowAt(y int) (i, line int) { return c.walk(c.top, c.line+y) }

// selectRow puts the cursor on row i and scrolls as much of it onto the screen as fits, by as few lines as that takes.
func (c *Model) selectRow(i int) {
	c.cursor = c.id(i)
	if !c.ready() {
		return
	}
	tall := len(c.block(i).lines) >= c.height
	top, line := c.topFor(i)
	switch {
	case i < c.top, i == c.top && c.line > 0 && !tall, i > c.top && tall:
		top, line = i, 0
	case i == c.top, top < c.top, top == c.top && line < c.line:
		top, line = c.top, c.line
	}
	c.moveTo(top, line)
}

// clamp keeps the position within the list.
func (c *Model) clamp() {
	c.top = max(0, min(c.top, c.rows()-1))
	if !c.ready() {
		return
	}
	c.line = min(max(c.line, 0), c.heightOf(c.top)-1)
	if c.followEnd || c.RowsBelow() == 0 {
		c.top, c.line = c.topFor(c.rows() - 1)
	}
}

// RowsBelow is how many rows end below the screen. The blank line behind the last one need not be seen.
func (c *Model) RowsBelow() int {
	if !c.ready() {
		return 0
	}
	i, line := c.rowAt(c.height + 1)
	if line >= c.heightOf(i) {
		return 0
	}
	return c.rows() - i
}

// topFor is the row and its line that are at the top of the screen when the last line of row i is at the bottom.
func (c *Model) topFor(i int) (top, line int) { return c.walk(i, len(c.block(i).lines)-c.height) }

// heightOf is the height of row i in lines, those below it included.
func (c *Model) heightOf(i int) int { return len(c.block(i).lines) + c.gap(i) }

// gap is the number of lines below row i: the one of the edge stands between two blank ones.
func (c *Model) gap(i int) int {
	switch {
	case c.boundary.id != 0 && c.id(i+1) == c.boundary.id:
		return 3
	case c.joinsCall(i + 1):
		return 0
	}
	return 1
}

// VisibleMessages are the messages that are on the screen, as the indexes of the first one and of the one behind the last.
func (c *Model) VisibleMessages() (first, end int) {
	if !c.ready() || c.Messages.Len() == 0 {
		return 0, 0
	}
	bottom, _ := c.rowAt(c.height - 1)
	return c.top, min(bottom+1, c.Messages.Len())
}

// ToggleExpanded unfolds the row under the cursor, or folds it, and says whether that makes a difference.
func (c *Model) ToggleExpanded() bool {
	i, ok := c.index(c.cursor)
	if !ok || !c.ready() {
		return false
	}
	if c.Search.at() == c.cursor {
		return true // the search has unfolded it
	}
	before := c.block(i).lines
	c.expanded[c.cursor] = !c.expanded[c.cursor]
	differs := !slices.Equal(before, c.block(i).lines)
	if !differs {
		delete(c.expanded, c.cursor)
	}
	c.clamp()
	return differs
}

// ShowReasoning unfolds all reasoning or folds it.
func (c *Model) ShowReasoning(shown bool) {
	c.ShowsReasoning = shown
	clear(c.blocks)
	c.clamp()
}
