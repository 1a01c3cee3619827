package transcript

// Scroll moves by n lines, down for a positive n. Reaching the end follows it again.
func (m *itemList) Scroll(n int) {
	if !m.ready() {
		return
	}
	m.line += n
	for m.line < 0 && m.top > 0 {
		m.top--
		m.line += m.measure(m.top)
	}
	m.line = max(m.line, 0)
	for m.top < len(m.slots)-1 && m.line >= m.measure(m.top) {
		m.line -= m.measure(m.top)
		m.top++
	}
	m.arrive()
}

// Page moves by n pages, with one line of the page before kept in sight.
func (m *itemList) Page(n int) { m.Scroll(n * max(m.height-1, 1)) }

// HalfPage moves by n half pages.
func (m *itemList) HalfPage(n int) { m.Scroll(n * max(m.height/2, 1)) }

// Top goes to the first line.
func (m *itemList) Top() {
	if m.ready() {
		m.top, m.line = 0, 0
		m.arrive()
	}
}

// Bottom goes to the end and follows it.
func (m *itemList) Bottom() {
	m.follow = true
	m.settle()
}

// GoTo scrolls the item id to the top of the screen, or as near as the end lets it. It tells
// whether there is such an item.
func (m *itemList) GoTo(id int64) bool {
	i, ok := m.index(id)
	if ok && m.ready() {
		m.top, m.line = i, 0
		m.arrive()
	}
	return ok
}

// Following reports whether the list stays at its end.
func (m *itemList) Following() bool { return m.follow }

// Cursor returns the selected item.
func (m *itemList) Cursor() (id int64, ok bool) { return m.cursor, m.selected }

// ClearCursor selects nothing.
func (m *itemList) ClearCursor() { m.selected = false }

// SetCursor selects the item id and scrolls it onto the screen.
func (m *itemList) SetCursor(id int64) bool {
	i, ok := m.index(id)
	if ok {
		m.selectItem(i)
	}
	return ok
}

// MoveCursor selects the n-th item after the selected one, before it for a negative n. With
// nothing selected it selects the last item on the screen.
func (m *itemList) MoveCursor(n int) {
	if !m.ready() {
		return
	}
	i, ok := m.index(m.cursor)
	if !m.selected || !ok {
		i, _ = m.itemAt(m.height - 1)
		n = 0
	}
	m.selectItem(min(max(i+n, 0), len(m.slots)-1))
}

// Part is what a line of the screen is a part of.
type Part int

// The parts.
const (
	TextPart Part = iota
	ReceiptPart
	TrailPart
	BoundaryPart // the line that the model sees from, behind the item
)

// At returns the item that line y of the screen shows, and which part of it.
func (m *itemList) At(y int) (id int64, part Part, ok bool) {
	if !m.ready() || y < 0 || y >= m.height {
		return 0, TextPart, false
	}
	i, line := m.itemAt(y)
	d := m.drawn(i)
	switch {
	case line >= d.below && d.look.edge:
		part = BoundaryPart
	case line >= d.trail && line < d.below:
		part = TrailPart
	case line == d.receipt:
		part = ReceiptPart
	}
	return m.slots[i].ID, part, line < len(d.lines)
}

// itemAt returns the index of the item at line y of the screen, the last one below the end, and the line in it.
func (m *itemList) itemAt(y int) (i, line int) {
	i, line = m.top, y+m.line
	for ; i < len(m.slots)-1 && line >= m.measure(i); i++ {
		line -= m.measure(i)
	}
	return i, line
}

// selectItem puts the cursor on item i and scrolls as much of it onto the screen as fits, by as few lines
// as that takes.
func (m *itemList) selectItem(i int) {
	m.cursor, m.selected = m.slots[i].ID, true
	if !m.ready() {
		return
	}
	tall := m.bodyHeight(i) >= m.height
	switch {
	case i < m.top || i == m.top && m.line > 0 && !tall:
		m.top, m.line = i, 0
	case i > m.top && tall:
		m.top, m.line = i, 0
	case i > m.top:
		if top, line := m.topFor(i, m.height); top > m.top || top == m.top && line > m.line {
			m.top, m.line = top, line
		}
	}
	m.arrive()
}

// ready tells whether there is something to move in.
func (m *itemList) ready() bool { return m.drawable() && len(m.slots) > 0 }

// arrive ends a movement of the user's: the end is followed exactly while it is in sight.
func (m *itemList) arrive() {
	m.follow = m.endInSight()
	m.settle()
}

// settle keeps the position within the list.
func (m *itemList) settle() {
	if len(m.slots) == 0 {
		m.top, m.line = 0, 0
		return
	}
	m.top = min(max(m.top, 0), len(m.slots)-1)
	if !m.drawable() {
		return
	}
	m.line = min(max(m.line, 0), m.measure(m.top)-1)
	if m.follow || m.endInSight() {
		m.top, m.line = m.topFor(len(m.slots)-1, m.height)
	}
}

// endInSight tells whether the last line is on the screen or above its lower edge.
func (m *itemList) endInSight() bool {
	left := m.height + m.line
	for i := m.top; i < len(m.slots); i++ {
		left -= m.measure(i)
		if left < -1 {
			return false
		}
	}
	return left >= -1 // the blank line behind the last message need not be seen
}

// topFor returns the item and its line that are at the top when the last line of item i is n lines below.
func (m *itemList) topFor(i, n int) (top, line int) {
	h := m.bodyHeight(i)
	for n > h {
		if i == 0 {
			return 0, 0
		}
		n -= h
		i--
		h = m.measure(i)
	}
	return i, h - n
}

// Newer is how many items end below the screen, 0 while the list stays at its end.
func (m *itemList) Newer() int {
	if m.follow || !m.ready() {
		return 0
	}
	last := m.height + m.line // lines from the top of the first item to the end of the screen
	for i := m.top; i < len(m.slots); i++ {
		if last -= m.measure(i); last < -1 { // its last line is blank
			return len(m.slots) - i
		}
	}
	return 0
}
