// Package list is a list of items to choose from, with a filter line. It moves the cursor, filters and draws; the
// meaning of the items is up to its owner.
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

// Item is an entry of the list. The filter searches its label first, then its other texts.
type Item struct {
	Label       string
	Description string // in a second column
	Right       string // at the right end of the line
	Hidden      string // searched by the filter, but not drawn
	Group       string // heading above adjacent items with the same group, "" for none
	Value       string // identifies the item
	Always      bool   // the filter never hides it
}

// Options configure a list.
type Options struct {
	Title       string
	Placeholder string        // in the empty filter line, "" for the title
	Footnote    string        // at the end of the hints, "" for none
	ChooseHint  string        // what choosing does, such as "run"
	CloseAction keymap.Action // the action that opened the list and also closes it, "" for none
	Loading     bool          // the items are still being read

	GroupsFirst      bool // without a filter show only items in groups, with one all matches ungrouped
	StaysOpen        bool // choosing does not close it
	WideLabels       bool // labels may take two thirds of a line
	WrapDescriptions bool // a long description continues below its item

	// DrawRow draws a line in place of the list; its owner then draws the filter line too. For the heading of a group
	// it gets an item with nothing but Group.
	DrawRow func(i Item, hits [][2]int, selected bool) string
}

// Model is a list. Call New to make one.
type Model struct {
	Options
	Filter    theme.Field
	Notes     []string // lines below the items, such as errors
	HeadLines int      // lines above the items: the filter, and a rule if there is room

	ctx   *app.Context
	items []Item
	shown []match // the items that match the filter, in order
	rows  []row   // their lines
	at    int     // index of the cursor in shown
	w, h  int

	labels int // cells of the widest label with a description
}

// row is one line of the list: an item or its continuation, a group heading, or a blank line.
type row struct {
	at   int    // index of the item in shown, -1 for none
	text string // a part of the description, or the group
	more bool   // it continues the line above
}

// Result is the effect of a message on the list.
type Result int

// The results.
const (
	Moved      Result = iota // the cursor may have moved
	Filtered                 // the filter changed, and the cursor may have moved
	Chosen                   // the item under the cursor was chosen
	Closed                   // the list was closed
	UnknownKey               // the key has no meaning here
)

// New returns a list of items.
func New(ctx *app.Context, o Options, items ...Item) *Model {
	m := &Model{Options: o, ctx: ctx, Filter: theme.NewField(""), items: items}
	if m.DrawRow == nil {
		m.DrawRow, m.HeadLines = m.line, 2
	}
	m.match()
	return m
}

// match applies the filter.
func (m *Model) match() {
	m.shown = matches(m.items, m.Filter.Text(), m.GroupsFirst)
	m.arrange()
}

// SetItems replaces the items. The filter stays. The cursor stays on its item by value, or else on its line.
func (m *Model) SetItems(items []Item) {
	old, _ := m.SelectedItem()
	m.Loading, m.items = false, items
	m.match()
	m.MoveCursor(0)
	m.Select(old.Value)
}

// Resize sets the size in cells.
func (m *Model) Resize(w, h int) {
	before := m.w
	if m.w, m.h = w, h; w != before {
		m.arrange()
	}
}

// Select moves the cursor to the item with a value, if it is shown.
func (m *Model) Select(value string) {
	if i := slices.IndexFunc(m.shown, func(s match) bool { return m.items[s.item].Value == value }); i >= 0 {
		m.at = i
	}
}

// SelectedItem returns the item under the cursor.
func (m *Model) SelectedItem() (Item, bool) {
	if m.at < 0 || m.at >= len(m.shown) {
		return Item{}, false
	}
	return m.items[m.shown[m.at].item], true
}

// Items returns all items in order.
func (m *Model) Items() []Item { return m.items }

// Len is the number of items.
func (m *Model) Len() int { return len(m.items) }

// Types reports whether a printable key is text now, because the filter is not empty.
func (m *Model) Types() bool { return m.Filter.Text() != "" }

// ShownCount is the number of items that match the filter.
func (m *Model) ShownCount() int { return len(m.shown) }

// LineCount is the number of lines of these items.
func (m *Model) LineCount() int { return len(m.rows) }

// noMatch reports whether no item matches the filter.
func (m *Model) noMatch() bool { return len(m.items) > 0 && len(m.shown) == 0 }

// Hints are the keys of the list.
func (m *Model) Hints() []key.Binding {
	k := &m.ctx.Keys
	if m.noMatch() {
		return []key.Binding{k.Hint("clear the filter", keymap.Back)}
	}
	return []key.Binding{
		k.Hint("choose", keymap.ListUp, keymap.ListDown), k.Hint(m.ChooseHint, keymap.Choose),
		k.Hint("close", keymap.Back),
	}
}

// Update handles a key, a paste or the mouse. Mouse positions count from the upper left corner of the list.
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

// key handles a key. It returns Filtered for one that edits the filter.
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

// click moves the cursor to the line at y. A click on the line under the cursor chooses it.
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

// MoveCursor moves the cursor down by so many items, or up if by is negative.
func (m *Model) MoveCursor(by int) { m.at = max(0, min(m.at+by, len(m.shown)-1)) }

// page is the number of items in a page. One line of the previous page stays visible.
func (m *Model) page() int { return max(1, len(m.onScreen())-1) }

// arrange makes the lines of the shown items.
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

// onScreen returns the visible lines.
func (m *Model) onScreen() []row {
	cursor := slices.IndexFunc(m.rows, func(r row) bool { return r.at == m.at })
	first, end := theme.WindowAround(max(0, cursor), len(m.rows), max(0, m.h-m.head()-len(m.notesShown())))
	return m.rows[first:end]
}

// head is the number of lines above the items that fit.
func (m *Model) head() int {
	if m.h < 4 {
		return min(1, m.HeadLines)
	}
	return m.HeadLines
}

// notesShown returns the notes that fit.
func (m *Model) notesShown() []string { return m.Notes[:min(len(m.Notes), max(0, m.h-m.head()-1))] }
