package transcript

import (
	"slices"

	"winnow/history"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// itemList is the list. Its position is an item and a line within it, so that whatever happens
// above does not move what is on the screen.
type itemList struct {
	styles        theme.Styles
	keys          keymap.Map
	width, height int
	left, right   int // the margins, in cells of the width
	md            *markdown.Renderer

	entries []entry
	indexes map[int64]int // an item's index plus base, so that prepending renumbers nothing
	base    int
	heights []int            // of the items in lines, as they were measured or guessed
	cache   map[int64]*drawn // the rendered messages, all at one width
	keep    int              // so many are kept
	newest  int              // where the newest turn begins
	// What the measured items were guessed at and turned out to be: it scales further guesses.
	guessed, found int

	top, line int  // the first item on the screen and its first line there
	follow    bool // the end stays on the screen
	stride    int  // so many lines are made free at once for an answer that arrives, 0 for as many as it needs
	cursor    int64
	selected  bool
	judged    judged
	marks     func(int64) Mark
	boundary  int64  // the item above which the model's view begins, 0 for none
	thinking  bool   // reasoning is shown whole, but where an entry turned it
	above     int    // messages in front of the boundary that the model sees all the same
	aboveAll  int    // messages in front of the boundary
	edgeWords string // what the line of the boundary says
	edgeNote  string // what stands at its end in the place of those numbers, "" for nothing
	search    search
	picked    picked
	busy      bool // a turn runs
}

// judged is what the request on show holds of the items.
type judged struct {
	plan  history.Plan
	index map[int64]int   // of the messages in the plan, by their ids
	owner map[int64]int64 // the message of a tool call's item
}

// entryOf is the plan's entry of an item: of its message, or of the one that holds its tool call. nil is none.
func (m *itemList) entryOf(id int64) *history.Entry {
	if message, is := m.judged.owner[id]; is {
		id = message
	}
	if i, ok := m.judged.index[id]; ok && i < m.judged.plan.Entries.Len() && m.judged.plan.Entries.ID(i) == id {
		e := m.judged.plan.Entries.At(i)
		return &e
	}
	return nil
}

// newList returns an empty list that follows its end. It draws nothing before SetSize.
func newList(st theme.Styles) *itemList {
	return &itemList{styles: st, left: 1, right: 1, edgeWords: boundary, follow: true, indexes: map[int64]int{}, cache: map[int64]*drawn{}, keep: 256}
}

// SetMargins sets how many cells stay free at the left and at the right.
func (m *itemList) SetMargins(left, right int) {
	if left != m.left || right != m.right {
		m.restyle(func() { m.left, m.right = left, right })
		m.settle()
	}
}

// SetSize gives the list its cells. What was first on the screen stays first.
func (m *itemList) SetSize(width, height int) {
	width, height = max(width, 0), max(height, 0)
	if width != m.width {
		m.restyle(func() { m.width = width })
	}
	m.height = height
	m.settle()
}

// SetStyles changes the colours.
func (m *itemList) SetStyles(st theme.Styles) {
	m.restyle(func() { m.styles = st })
	m.settle()
}

// restyle makes a change after which every message must be rendered again.
func (m *itemList) restyle(change func()) {
	was := 0
	if m.drawable() && !m.follow && len(m.entries) > 0 {
		was = m.measure(m.top)
	}
	change()
	m.md, m.picked.on = nil, false
	if m.width > 0 {
		m.md = markdown.New(m.styles.Markdown, m.proseWidth(), m.bodyWidth())
	}
	clear(m.cache)
	m.rebuild()
	if was > 0 && m.drawable() {
		m.line = m.line * m.measure(m.top) / was
	}
}

// turn finds where the newest turn begins.
func (m *itemList) turn() {
	for m.newest = len(m.entries); m.newest > 0; {
		if m.newest--; m.entries[m.newest].Role == history.User {
			return
		}
	}
}

// drawable tells whether anything can be drawn.
func (m *itemList) drawable() bool { return m.width > 0 && m.height > 0 && m.md != nil }

// SetItems replaces all items and goes to the end.
func (m *itemList) SetItems(items []Item) {
	m.entries = make([]entry, len(items))
	m.indexes = make(map[int64]int, len(items))
	m.base = 0
	for i, it := range items {
		m.entries[i].Item = it
		m.indexes[it.ID] = i
	}
	m.turn()
	clear(m.cache)
	m.rebuild()
	m.follow, m.selected, m.picked = true, false, picked{}
	m.settle()
}

// Append adds items at the end.
func (m *itemList) Append(items ...Item) {
	for _, it := range items {
		m.indexes[it.ID] = len(m.entries) + m.base
		m.entries = append(m.entries, entry{Item: it})
		m.heights = append(m.heights, m.guess(&m.entries[len(m.entries)-1]))
	}
	m.turn()
	m.settle()
}

// Prepend adds older items before the first. What is on the screen does not move.
func (m *itemList) Prepend(items ...Item) {
	if len(items) == 0 {
		return
	}
	older := make([]entry, len(items), len(items)+len(m.entries))
	m.base -= len(items)
	for i, it := range items {
		older[i].Item = it
		m.indexes[it.ID] = i + m.base
	}
	m.entries = append(older, m.entries...)
	m.top += len(items)
	m.turn()
	m.rebuild()
	m.settle()
}

// Insert adds an item in front of the one with an index. What is on the screen does not move, unless it is at the end.
func (m *itemList) Insert(i int, it Item) {
	m.entries = slices.Insert(m.entries, i, entry{Item: it})
	m.heights = slices.Insert(m.heights, i, m.guess(&m.entries[i]))
	for k := i; k < len(m.entries); k++ {
		m.indexes[m.entries[k].ID] = k + m.base
	}
	if i <= m.top {
		m.top++
	}
	m.turn()
	m.settle()
}

// Replace puts it in the place of the item id, whose id may change with it: so an answer takes
// its stored form. Without such an item it is added at the end.
func (m *itemList) Replace(id int64, it Item) {
	i, ok := m.index(id)
	if !ok {
		m.Append(it)
		return
	}
	e := &m.entries[i]
	if e.stream != nil && (e.stream.Text() != it.Text || it.Plain || it.Fold) {
		e.stream = nil
	}
	if e.stream != nil {
		e.stream.Finish() // what was rendered while it came is not rendered again
	}
	e.Item, e.beginning, e.grown = it, beginning{}, nil
	if it.ID != id {
		delete(m.indexes, id)
		m.indexes[it.ID] = i + m.base
		if m.cursor == id {
			m.cursor = it.ID
		}
		if m.boundary == id {
			m.boundary = it.ID
		}
	}
	delete(m.cache, id)
	m.changed(i)
}

// Write adds text and reasoning to the end of the item id: an answer that streams. It does
// nothing for an unknown id.
func (m *itemList) Write(id int64, text, reasoning string) {
	i, ok := m.index(id)
	if !ok || text == "" && reasoning == "" {
		return
	}
	e := &m.entries[i]
	e.Reasoning += reasoning
	long := len(e.Text)+len(text) > maxStreamed
	if e.stream == nil && !e.Plain && !e.Fold && m.md != nil && !long {
		e.stream = markdown.NewStream(m.md)
		e.stream.Write(e.Text)
	}
	switch {
	case text == "":
	case long:
		e.grow(text)
	case e.stream != nil:
		e.stream.Write(text)
		e.Text = e.stream.Text()
	default:
		e.Text += text
	}
	delete(m.cache, id)
	m.changed(i)
}

// Item returns the item id as it is now.
func (m *itemList) Item(id int64) (Item, bool) {
	if i, ok := m.index(id); ok {
		return m.entries[i].Item, true
	}
	return Item{}, false
}

// Len returns the number of items.
func (m *itemList) Len() int { return len(m.entries) }

// SetBoundary draws the line "the model sees from here" above the item id, with the number of those of all the messages
// above it that the model sees too; 0 takes the line away.
func (m *itemList) SetBoundary(id int64, above, all int) {
	m.boundary, m.above, m.aboveAll = id, above, all
	m.settle()
}

// Toggle expands or folds the text of the item id.
func (m *itemList) Toggle(id int64) {
	m.toggle(id, func(e *entry) { e.expanded = !e.expanded })
}

// ToggleReasoning expands or folds the reasoning of the item id.
func (m *itemList) ToggleReasoning(id int64) {
	m.toggle(id, func(e *entry) { e.turned = !e.turned })
}

// ShowReasoning expands or folds the reasoning of all items, and of those to come.
func (m *itemList) ShowReasoning(shown bool) {
	m.restyle(func() { m.thinking = shown })
	for i := range m.entries {
		m.entries[i].turned = false
	}
	m.settle()
}

func (m *itemList) toggle(id int64, change func(*entry)) {
	if i, ok := m.index(id); ok {
		change(&m.entries[i])
		delete(m.cache, id)
		m.changed(i)
	}
}

// index returns the index of the item id.
func (m *itemList) index(id int64) (int, bool) {
	p, ok := m.indexes[id]
	return p - m.base, ok
}

// changed measures item i again when it is needed next.
func (m *itemList) changed(i int) {
	m.entries[i].measured = false
	m.settle()
}

// rebuild guesses the heights of all items: what is drawn next is measured again.
func (m *itemList) rebuild() {
	m.heights = make([]int, len(m.entries))
	for i := range m.entries {
		m.entries[i].measured = false
		m.heights[i] = m.guess(&m.entries[i])
	}
}

// guess estimates the height of an item that was never rendered at this width, corrected by
// how far the guesses were off so far.
func (m *itemList) guess(e *entry) int {
	g := e.rough(m.bodyWidth())
	if m.guessed > 0 {
		g = g * m.found / m.guessed
	}
	return max(g, 2)
}

// rough is the height in lines that the size of a message suggests.
func (e *entry) rough(width int) int {
	size := min(len(e.Text), maxShown)
	lines := 3
	for _, more := range []bool{e.Reasoning != "", e.Receipt != nil, e.Trail != "", e.Note.What != ""} {
		if more {
			lines++
		}
	}
	if e.Fold && !e.expanded {
		return lines
	}
	return lines + size/max(min(width, measure)*4/5, 1)
}
