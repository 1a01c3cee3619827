package transcript

import (
	"slices"

	"winnow/ui/markdown"
)

// page is the list of rows and the scroll position. The position is a row and a line within that row, so changes above
// the screen do not move it, and only heights of rows near the screen are computed.
type page struct {
	blocks        map[int64]*block // the rendered rows, by id
	md            *markdown.Renderer
	width, height int
	left          int // margin in cells, part of the width; the cursor bar is in its first cell

	top, line      int            // the first row on the screen, and its first visible line
	followEnd      bool           // new lines keep the end in view
	cursor         int64          // id of the row under the cursor, 0 for none
	ShowsReasoning bool           // reasoning is expanded
	expanded       map[int64]bool // by row id
	dragged        dragged
}

// rows returns the number of rows: one for each message, and one for a streaming answer.
func (c *Model) rows() int {
	if c.streaming() {
		return c.Messages.Len() + 1
	}
	return c.Messages.Len()
}

// id returns the id of row i, 0 if there is no such row.
func (c *Model) id(i int) int64 {
	switch {
	case i < c.Messages.Len():
		return c.Messages.ID(i)
	case c.streaming():
		return streamingID
	}
	return 0
}

// index returns the index of the row with an id.
func (c *Model) index(id int64) (i int, there bool) {
	i, there = c.Messages.Find(id)
	return i, there || id == streamingID && c.streaming()
}

// Resize sets the size in cells, including the left margin. The first visible row stays first.
func (c *Model) Resize(width, height, left int) {
	anew := width != c.width || left != c.left
	c.width, c.height, c.left = width, height, left
	if anew {
		c.Restyle()
	}
	c.clamp()
}

// Restyle renders everything again in the current colours.
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

// ready reports whether there is something to draw and to scroll.
func (c *Model) ready() bool { return c.md != nil && c.height > 0 && c.rows() > 0 }

// Scroll scrolls by n lines, down if n is positive. Scrolling to the end follows the end from then on.
func (c *Model) Scroll(n int) {
	if c.ready() {
		c.moveTo(c.walk(c.top, c.line+n))
	}
}

// moveTo scrolls a line of row i to the top of the screen, or as near as the end allows, and follows the end if it is
// visible.
func (c *Model) moveTo(i, line int) {
	c.top, c.line = i, line
	c.followEnd = c.RowsBelow() == 0
	c.clamp()
}

// walk returns the row and line that are n lines below the first line of row i, or above it for a negative n. It stops
// at the first line of the first row; below the last row it counts on in that row.
func (c *Model) walk(i, n int) (row, line int) {
	for ; n < 0 && i > 0; n += c.heightOf(i) {
		i--
	}
	for ; i < c.rows()-1 && n >= c.heightOf(i); i++ {
		n -= c.heightOf(i)
	}
	return i, max(n, 0)
}

// ScrollPages scrolls by n pages. One line of the previous page stays visible.
func (c *Model) ScrollPages(n int) { c.Scroll(n * max(c.height-1, 1)) }

// GotoBottom scrolls to the end and follows it.
func (c *Model) GotoBottom() {
	c.followEnd = true
	c.clamp()
}

// SelectLast moves the cursor to the last message and follows the end.
func (c *Model) SelectLast() {
	c.selectRow(max(0, c.rows()-1))
	c.GotoBottom()
}

// ScrollTo scrolls a message to the top of the screen, or as near as the end allows.
func (c *Model) ScrollTo(id int64) {
	if i, ok := c.index(id); ok && c.ready() {
		c.moveTo(i, 0)
	}
}

// GoTo moves the cursor to a message and scrolls it into view. It reports whether there is such a message.
func (c *Model) GoTo(id int64) bool {
	i, ok := c.index(id)
	if ok {
		c.selectRow(i)
	}
	return ok
}

// step moves the cursor by n rows. Without a cursor it selects the last visible row.
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

// Focus shows the cursor where it was, or on the last visible message.
func (c *Model) Focus() { c.step(0) }

// Blur hides the cursor.
func (c *Model) Blur() { c.cursor = 0 }

// rowAt returns the row at line y of the screen and the line within it. Below the end it is the last row.
func (c *Model) rowAt(y int) (i, line int) { return c.walk(c.top, c.line+y) }

// selectRow moves the cursor to row i and scrolls by as few lines as possible to show as much of it as fits.
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

// clamp keeps the scroll position within the list.
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

// RowsBelow returns how many rows end below the screen. The blank line after the last row does not count.
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

// topFor returns the row and line at the top of the screen when the last line of row i is at the bottom.
func (c *Model) topFor(i int) (top, line int) { return c.walk(i, len(c.block(i).lines)-c.height) }

// heightOf returns the height of row i in lines, including the gap below it.
func (c *Model) heightOf(i int) int { return len(c.block(i).lines) + c.gap(i) }

// gap returns the number of lines below row i. The boundary is drawn between two blank lines.
func (c *Model) gap(i int) int {
	switch {
	case c.boundary.id != 0 && c.id(i+1) == c.boundary.id:
		return 3
	case c.joinsCall(i + 1):
		return 0
	}
	return 1
}

// VisibleMessages returns the half-open range of indexes of the messages on the screen.
func (c *Model) VisibleMessages() (first, end int) {
	if !c.ready() || c.Messages.Len() == 0 {
		return 0, 0
	}
	bottom, _ := c.rowAt(c.height - 1)
	return c.top, min(bottom+1, c.Messages.Len())
}

// ToggleExpanded expands the row under the cursor or collapses it, and reports whether that changes anything.
func (c *Model) ToggleExpanded() bool {
	i, ok := c.index(c.cursor)
	if !ok || !c.ready() {
		return false
	}
	if c.Search.at() == c.cursor {
		return true // the search expanded it
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

// ShowReasoning expands or collapses the reasoning of all messages.
func (c *Model) ShowReasoning(shown bool) {
	c.ShowsReasoning = shown
	clear(c.blocks)
	c.clamp()
}
