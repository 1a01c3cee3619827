// Package list is a list to choose from with a line that filters it. It holds items that it is given, moves the cursor
// and draws; what an item means and how the list was made it does not know.
package list

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Item is one entry. The filter searches its label, and after that its other texts.
type Item struct {
	Label       string
	Description string // in a column of its own
	Right       string // at the right end of the line: a key, a number
	Hidden      string // not shown
	Group       string // stands above the first of its items, "" for none; the items of a group follow each other
	Value       string // what is chosen
	Always      bool   // the filter leaves it, whatever is typed
}

// Options are what one list differs in from another.
type Options struct {
	Title       string
	Placeholder string        // stands in the empty filter line, "" for the title
	Footnote    string        // about all items, at the end of the hints; "" for none
	ChooseHint  string        // what choosing does, as a hint: "run"
	CloseAction keymap.Action // closes the list as well, as the key that opened it; "" for none
	Loading     bool          // the items are still being asked for

	GroupsFirst      bool // before anything is typed, only the items of groups are shown; then all that fit, without groups
	StaysOpen        bool // it stays open when something is chosen
	WideLabels       bool // the labels may take two thirds of a line
	WrapDescriptions bool // what is said about an item goes on below it where the line is too short

	// Row draws a line of a list whose owner draws them, and the line of the filter as well. For the line above a group
	// it gets an item that has no more than its name.
	DrawRow func(i Item, hits [][2]int, selected bool) string
}

// Model is a list. It is made by New.
type Model struct {
	Options
	Filter    theme.Field
	Notes     []string // lines under the list: what could not be listed
	HeadLines int      // how many lines stand above the items: the filter, and a rule where there is room

	ctx   *app.Context
	items []Item
	shown []match // what the filter leaves, in its order
	rows  []row   // the lines of that
	at    int     // the cursor, in what is shown
	w, h  int

	labels int // cells of the labels that have a text beside them
}

// row is one line of the list: an item or a further line of it, else the name of a group or a blank.
type row struct {
	at   int    // of an item: its place in what is shown; -1 for none
	text string // what is said about the item, or the name of the group
	more bool   // the line goes on with the one before it
}

// Result is what a key, a paste or a click came to.
type Result int

// The results.
const (
	Moved      Result = iota // the cursor may stand somewhere else
	Filtered                 // so may it, and the filter is another one
	Chosen                   // the item under the cursor is wanted
	Closed                   // nothing was chosen
	UnknownKey               // the key means nothing here
)

// New is a list of items.
func New(ctx *app.Context, o Options, items ...Item) *Model {
	m := &Model{Options: o, ctx: ctx, Filter: theme.NewField(""), items: items}
	if m.DrawRow == nil {
		m.DrawRow, m.HeadLines = m.line, 2
	}
	m.match()
	return m
}

// match finds what the filter leaves.
func (m *Model) match() {
	m.shown = matches(m.items, m.Filter.Text(), m.GroupsFirst)
	m.arrange()
}

// SetItems replaces the items. The filter stays, and the cursor stays on its value; where that is gone, on its line: what
// a key does next must not move to another place of the list.
func (m *Model) SetItems(items []Item) {
	old, _ := m.SelectedItem()
	m.Loading, m.items = false, items
	m.match()
	m.MoveCursor(0)
	m.Select(old.Value)
}

// Resize gives the list its size in cells.
func (m *Model) Resize(w, h int) {
	before := m.w
	if m.w, m.h = w, h; w != before {
		m.arrange()
	}
}

// Select puts the cursor on the item with a value, where the list shows it.
func (m *Model) Select(value string) {
	if i := slices.IndexFunc(m.shown, func(s match) bool { return m.items[s.item].Value == value }); i >= 0 {
		m.at = i
	}
}

// SelectedItem is the item under the cursor.
func (m *Model) SelectedItem() (Item, bool) {
	if m.at < 0 || m.at >= len(m.shown) {
		return Item{}, false
	}
	return m.items[m.shown[m.at].item], true
}

// Items are all items, in their order.
func (m *Model) Items() []Item { return m.items }

// Len is how many items there are.
func (m *Model) Len() int { return len(m.items) }

// Types says that a character goes on with the filter.
func (m *Model) Types() bool { return m.Filter.Text() != "" }

// ShownCount is how many of them the filter leaves.
func (m *Model) ShownCount() int { return len(m.shown) }

// LineCount is how many lines these take.
func (m *Model) LineCount() int { return len(m.rows) }

// noMatch says that the list has items and the filter leaves none of them.
func (m *Model) noMatch() bool { return len(m.items) > 0 && len(m.shown) == 0 }

// Hints are the keys of the list.
func (m *Model) Hints() []key.Binding {
	k := &m.ctx.Keys
	if m.noMatch() {
		return []key.Binding{k.Hint("clear the filter", keymap.Back)}
	}
	return []key.Binding{
		k.Hint("choose", keymap.ListUp, keymap.ListDown), k.Hint(m.ChooseHint, keymap.Choose), k.Hint("close", keymap.Back),
	}
}

// Update is a key, a paste, or the mouse, whose place is counted from the corner of the list.
func (m *Model) Update(msg tea.Msg) Result {
	before := m.Filter.Text()
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if r := m.key(msg); r != Filtered {
			return r
		}
	case tea.PasteMsg:
		m.Filter.Insert(strings.TrimSpace(msg.Content))
	case tea.MouseWheelMsg:
		m.MoveCursor(keymap.Wheel(msg, 3))
	case tea.MouseClickMsg:
		return m.click(msg.Y)
	}
	if m.Filter.Text() == before {
		return Moved
	}
	m.match()
	m.at = max(0, slices.IndexFunc(m.shown, func(s match) bool { return s.rank == exact }))
	return Filtered
}

// key does what a key is for. Filtered is what it returns for one that was typed.
func (m *Model) key(msg tea.KeyPressMsg) Result {
	pressed := func(a keymap.Action) bool { return m.ctx.Keys.Pressed(msg, a) }
	switch {
	case pressed(keymap.Back) && m.noMatch():
		m.Filter = theme.NewField("")
		return Filtered
	case pressed(keymap.Back), m.CloseAction != "" && pressed(m.CloseAction):
		return Closed
	case pressed(keymap.Choose):
		return Chosen
	case pressed(keymap.ListUp):
		m.MoveCursor(-1)
	case pressed(keymap.ListDown):
		m.MoveCursor(1)
	case pressed(keymap.PageUp):
		m.MoveCursor(-m.page())
	case pressed(keymap.PageDown):
		m.MoveCursor(m.page())
	case m.Filter.HandleKey(msg):
		return Filtered
	default:
		return UnknownKey
	}
	return Moved
}

// click puts the cursor on the line at y; a click on the line under it chooses that.
func (m *Model) click(y int) Result {
	rows := m.onScreen()
	i := y - m.head()
	switch {
	case i < 0 || i >= len(rows) || rows[i].at < 0:
		return Moved
	case rows[i].at == m.at:
		return Chosen
	}
	m.at = rows[i].at
	return Moved
}

// MoveCursor moves the cursor down, up where by is less than 0.
func (m *Model) MoveCursor(by int) { m.at = max(0, min(m.at+by, len(m.shown)-1)) }

// page is how far a page goes: a line of the page before stays in sight.
func (m *Model) page() int { return max(1, len(m.onScreen())-1) }

// arrange makes the lines of what is shown.
func (m *Model) arrange() {
	m.labels, m.rows = 0, make([]row, 0, len(m.shown))
	for _, c := range m.items {
		if c.Description != "" {
			m.labels = max(m.labels, theme.Width(c.Label))
		}
	}
	group, grouped := "", !m.GroupsFirst || m.Filter.Text() == ""
	for i, s := range m.shown {
		c := &m.items[s.item]
		if c.Group != group && grouped {
			if group = c.Group; len(m.rows) > 0 {
				m.rows = append(m.rows, row{at: -1})
			}
			m.rows = append(m.rows, row{at: -1, text: group})
		}
		abouts := []string{c.Description}
		if room := m.room(c); m.WrapDescriptions && room > 0 {
			abouts = theme.Wrap(c.Description, room)
		}
		for n, about := range abouts {
			m.rows = append(m.rows, row{at: i, text: about, more: n > 0})
		}
	}
}

// onScreen are the lines that are drawn: those around the cursor.
func (m *Model) onScreen() []row {
	cursor := slices.IndexFunc(m.rows, func(r row) bool { return r.at == m.at })
	first, end := theme.WindowAround(max(0, cursor), len(m.rows), max(0, m.h-m.head()-len(m.notesShown())))
	return m.rows[first:end]
}

// head is how many lines stand above the items: the filter, and a rule where there is room.
func (m *Model) head() int {
	if m.h < 4 {
		return min(1, m.HeadLines)
	}
	return m.HeadLines
}

// notesShown are the notes for which there is room.
func (m *Model) notesShown() []string { return m.Notes[:min(len(m.Notes), max(0, m.h-m.head()-1))] }
