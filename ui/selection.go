package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// selection is the messages that the next act by hand is about: single ones, and a range that grows
// with the cursor.
type selection struct {
	on     bool
	ranged bool // a range runs from anchor to the cursor
	anchor int64
	picked map[int64]bool
}

// holds says whether a message is selected, with the cursor where it is.
func (m *Model) holds(id int64) bool {
	s := &m.selection
	if !s.on {
		return false
	}
	if s.picked[id] {
		return true
	}
	from, to, ok := m.spanned()
	at, there := m.chat.Place[id]
	return ok && there && from <= at && at <= to
}

// spanned is the range by places in the conversation, both ends in it.
func (m *Model) spanned() (from, to int, ok bool) {
	if !m.selection.ranged {
		return 0, 0, false
	}
	id, ok := m.underCursor()
	if !ok {
		id = m.selection.anchor
		if message, ok := m.chat.Selected(); ok {
			id = message.ID
		}
	}
	a, known := m.chat.Place[m.selection.anchor]
	b, there := m.chat.Place[id]
	return min(a, b), max(a, b), known && there
}

// selected are the ids of the selected messages in the order of the conversation.
func (m *Model) selected() []int64 {
	if !m.selection.on {
		return nil
	}
	var list []int64
	for id := range m.selection.picked {
		if _, ok := m.chat.Place[id]; ok {
			list = append(list, id)
		}
	}
	if from, to, ok := m.spanned(); ok {
		for _, message := range m.chat.Messages[from : to+1] {
			if !m.selection.picked[message.ID] {
				list = append(list, message.ID)
			}
		}
	}
	slices.SortFunc(list, func(a, b int64) int { return m.chat.Place[a] - m.chat.Place[b] })
	return list
}

// underCursor is the message that a key in the focused pane is about. A line of the panel may be text
// that nobody said.
func (m *Model) underCursor() (int64, bool) {
	if m.focus == panelPane || m.onTop(panelOverlay{}) {
		e := m.panel.Chosen().Entry
		if e == nil {
			return 0, false
		}
		return e.ID, true
	}
	message, ok := m.chat.Selected()
	return message.ID, ok
}

// selectRange begins a range at the cursor, or keeps the one that there is and ends it.
func (m *Model) selectRange() tea.Cmd {
	id, ok := m.underCursor()
	switch {
	case m.selection.on && m.selection.ranged:
		m.keepRange()
		return m.say("The range is kept: " + m.keys.First(keymap.Pick) + " adds or removes a message, " + m.keys.First(keymap.Select) + " begins another range.")
	case !ok:
		return m.say("There is no message here to begin a range at.")
	}
	if m.selection.picked == nil {
		m.selection.picked = map[int64]bool{}
	}
	m.selection.on, m.selection.ranged, m.selection.anchor = true, true, id
	return nil
}

// keepRange makes single messages of the range.
func (m *Model) keepRange() {
	for _, id := range m.selected() {
		m.selection.picked[id] = true
	}
	m.selection.ranged = false
}

// pick adds the message under the cursor to the selection, or takes it out.
func (m *Model) pick() tea.Cmd {
	id, ok := m.underCursor()
	if !ok {
		return m.say("There is no message here to select.")
	}
	if m.selection.picked == nil {
		m.selection.picked = map[int64]bool{}
	}
	m.keepRange()
	if m.selection.picked[id] {
		delete(m.selection.picked, id)
	} else {
		m.selection.picked[id] = true
	}
	m.selection.on = len(m.selection.picked) > 0
	return nil
}

// unselect leaves the selection.
func (m *Model) unselect() { m.selection = selection{} }

// selectionTitle says how many messages are selected, and their tokens in the request on show; "" where
// nothing is.
func (m *Model) selectionTitle() string {
	ids := m.selected()
	if len(ids) == 0 {
		return ""
	}
	r := m.panel.Shown()
	sent, whole := 0, 0
	for _, id := range ids {
		if e, ok := r.Verdict(m.chat.Place[id], id); ok {
			sent += e.TokensAfter
			whole += max(e.TokensBefore, e.TokensAfter)
		}
	}
	title := theme.Thousands(len(ids)) + " selected"
	switch {
	case !r.Ready:
		return title
	case sent == whole:
		return title + " · " + r.Counted(sent) + " tokens"
	}
	return title + " · " + r.Counted(sent) + " of " + r.Counted(whole) + " tokens"
}
