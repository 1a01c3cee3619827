package transcript

import (
	"hash/maphash"
	"slices"

	"winnow/history"
	"winnow/session/branch"
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

	slots  []slot
	make   func(id int64) Item // makes the item of a message, or of a tool call of one
	loaded map[int64]*entry    // the items in memory
	most   int                 // so many before those are dropped that can be made anew
	cache  map[int64]*drawn    // the rendered messages, all at one width
	keep   int                 // so many are kept
	newest int                 // where the newest turn begins
	seed   maphash.Seed        // of the hashes of looks
	// What the measured items were guessed at and turned out to be: it scales further guesses.
	guessed, found int

	top, line int  // the first item on the screen and its first line there
	follow    bool // the end stays on the screen
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
	plan     history.Plan
	messages branch.Branch   // those of the plan, and what came since
	owner    map[int64]int64 // the message of a tool call's item
}

// entryOf is the plan's entry of an item: of its message, or of the one that holds its tool call. nil is none.
func (m *itemList) entryOf(id int64) *history.Entry {
	if message, is := m.judged.owner[id]; is {
		id = message
	}
	if i, ok := m.judged.messages.Find(id); ok && i < len(m.judged.plan.Entries) && m.judged.plan.Entries[i].ID == id {
		e := m.judged.plan.Entries[i]
		return &e
	}
	return nil
}

// newList returns an empty list that follows its end. It draws nothing before SetSize.
func newList(st theme.Styles) *itemList {
	return &itemList{
		styles: st, left: 1, right: 1, edgeWords: boundary, follow: true, seed: maphash.MakeSeed(),
		loaded: map[int64]*entry{}, cache: map[int64]*drawn{}, keep: 256, most: 256,
	}
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
	if m.drawable() && !m.follow && len(m.slots) > 0 {
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
	for m.newest = len(m.slots); m.newest > 0; {
		if m.newest--; m.slots[m.newest].user {
			return
		}
	}
}

// drawable tells whether anything can be drawn.
func (m *itemList) drawable() bool { return m.width > 0 && m.height > 0 && m.md != nil }

// SetItems replaces all items and goes to the end.
func (m *itemList) SetItems(items []Item) {
	clear(m.loaded)
	m.setSlots(m.keepAll(items))
}

// setSlots replaces all items by some that are made when they are drawn, and goes to the end.
func (m *itemList) setSlots(slots []slot) {
	m.slots = slots
	for id, e := range m.loaded {
		if !e.own {
			delete(m.loaded, id)
		}
	}
	m.turn()
	clear(m.cache)
	m.rebuild()
	m.follow, m.selected, m.picked = true, false, picked{}
	m.settle()
}

// keepAll keeps items that nothing makes anew, and returns their slots.
func (m *itemList) keepAll(items []Item) []slot {
	slots := make([]slot, len(items))
	for i := range items {
		slots[i] = m.keepItem(items[i])
	}
	return slots
}

func (m *itemList) keepItem(it Item) slot {
	m.loaded[it.ID] = &entry{Item: it, own: true}
	return slotOf(&it)
}

// Append adds items at the end.
func (m *itemList) Append(items ...Item) { m.appendSlots(m.keepAll(items)) }

func (m *itemList) appendSlots(slots []slot) {
	for i := range slots {
		slots[i].height = m.guess(&slots[i])
	}
	m.slots = append(m.slots, slots...)
	m.turn()
	m.settle()
}

// Prepend adds older items before the first. What is on the screen does not move.
func (m *itemList) Prepend(items ...Item) { m.prependSlots(m.keepAll(items)) }

func (m *itemList) prependSlots(slots []slot) {
	if len(slots) == 0 {
		return
	}
	m.top += len(slots)
	m.slots = append(slots, m.slots...)
	m.turn()
	m.rebuild()
	m.settle()
}

// Insert adds an item in front of the one with an index. What is on the screen does not move, unless it is at the end.
func (m *itemList) Insert(i int, it Item) {
	s := m.keepItem(it)
	s.height = m.guess(&s)
	m.slots = slices.Insert(m.slots, i, s)
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
	own := m.entry(i).own
	m.put(i, it)
	m.loaded[it.ID].own = own
}

// Settle puts the item of a stored message in the place of the item id.
func (m *itemList) Settle(id int64, it Item) {
	i, ok := m.index(id)
	if !ok {
		m.appendSlots([]slot{slotOf(&it)})
		return
	}
	m.put(i, it)
	m.loaded[it.ID].own = false
}

// Refresh makes the item of a message anew.
func (m *itemList) Refresh(id int64) {
	if i, ok := m.index(id); ok {
		m.put(i, m.make(id))
	}
}

// put puts an item in the place of item i.
func (m *itemList) put(i int, it Item) {
	e, s := m.entry(i), &m.slots[i]
	id := s.ID
	if e.stream != nil && (e.stream.Text() != it.Text || it.Plain || it.Fold) {
		e.stream = nil
	}
	if e.stream != nil {
		e.stream.Finish() // what was rendered while it came is not rendered again
	}
	e.Item, e.beginning, e.grown = it, beginning{}, nil
	now := slotOf(&it)
	now.expanded, now.turned, now.height = s.expanded, s.turned, s.height
	*s = now
	if it.ID != id {
		delete(m.loaded, id)
		m.loaded[it.ID] = e
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
	e := m.entry(i)
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
	s := slotOf(&e.Item)
	m.slots[i].size, m.slots[i].around = s.size, s.around
	delete(m.cache, id)
	m.changed(i)
}

// entry is item i, which is made where it is not in memory.
func (m *itemList) entry(i int) *entry {
	s := &m.slots[i]
	if e := m.loaded[s.ID]; e != nil {
		return e
	}
	if len(m.loaded) >= m.most {
		m.unload()
	}
	e := &entry{Item: m.make(s.ID), expanded: s.expanded, turned: s.turned}
	m.loaded[s.ID] = e
	return e
}

// unload drops the items that can be made anew. An answer that was rendered as it came, and is shown only in part
// otherwise, stays.
func (m *itemList) unload() {
	kept := 0
	for id, e := range m.loaded {
		if e.own || e.stream != nil && len(e.Text) > maxShown {
			kept++
			continue
		}
		delete(m.loaded, id)
	}
	m.most = m.keep + 2*kept
}

// Item returns the item id as it is now.
func (m *itemList) Item(id int64) (Item, bool) {
	if e := m.loaded[id]; e != nil {
		return e.Item, true
	}
	if i, ok := m.index(id); ok {
		return m.entry(i).Item, true
	}
	return Item{}, false
}

// inMemory are the items in memory that can be made anew.
func (m *itemList) inMemory() (ids []int64) {
	for id, e := range m.loaded {
		if !e.own {
			ids = append(ids, id)
		}
	}
	return ids
}

// Len returns the number of items.
func (m *itemList) Len() int { return len(m.slots) }

// SetBoundary draws the line "the model sees from here" above the item id, with the number of those of all the messages
// above it that the model sees too; 0 takes the line away.
func (m *itemList) SetBoundary(id int64, above, all int) {
	m.boundary, m.above, m.aboveAll = id, above, all
	m.settle()
}

// Toggle expands or folds the text of the item id.
func (m *itemList) Toggle(id int64) {
	m.toggle(id, func(s *slot) { s.expanded = !s.expanded })
}

// ToggleReasoning expands or folds the reasoning of the item id.
func (m *itemList) ToggleReasoning(id int64) {
	m.toggle(id, func(s *slot) { s.turned = !s.turned })
}

// ShowReasoning expands or folds the reasoning of all items, and of those to come.
func (m *itemList) ShowReasoning(shown bool) {
	m.restyle(func() { m.thinking = shown })
	for i := range m.slots {
		m.slots[i].turned = false
	}
	for _, e := range m.loaded {
		e.turned = false
	}
	m.settle()
}

func (m *itemList) toggle(id int64, change func(*slot)) {
	if i, ok := m.index(id); ok {
		s, e := &m.slots[i], m.entry(i)
		change(s)
		e.expanded, e.turned = s.expanded, s.turned
		delete(m.cache, id)
		m.changed(i)
	}
}

// index returns the index of the item id.
func (m *itemList) index(id int64) (int, bool) {
	if e := m.loaded[id]; e != nil && e.own || id < 0 {
		for i := len(m.slots) - 1; i >= 0; i-- {
			if m.slots[i].ID == id {
				return i, true
			}
		}
		return 0, false
	}
	// The messages are in the order of their ids, with items among them that are none.
	from, end := 0, len(m.slots)
	for from < end {
		middle := (from + end) / 2
		at := middle
		for at < end && m.slots[at].ID < 0 {
			at++
		}
		switch {
		case at == end || m.slots[at].ID > id:
			end = middle
		case m.slots[at].ID == id:
			return at, true
		default:
			from = at + 1
		}
	}
	return 0, false
}

// changed measures item i again when it is needed next.
func (m *itemList) changed(i int) {
	m.slots[i].measured = false
	m.settle()
}

// rebuild guesses the heights of all items: what is drawn next is measured again.
func (m *itemList) rebuild() {
	for i := range m.slots {
		s := &m.slots[i]
		s.measured, s.height = false, m.guess(s)
	}
}

// guess estimates the height of an item that was never rendered at this width, corrected by
// how far the guesses were off so far.
func (m *itemList) guess(s *slot) int32 {
	g := s.rough(m.bodyWidth())
	if m.guessed > 0 {
		g = g * m.found / m.guessed
	}
	return int32(max(g, 2))
}
