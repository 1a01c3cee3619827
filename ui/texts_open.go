package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/keymap"
)

// openHit opens the session of the hit under the cursor, with the transcript's cursor on the message.
func (m *Model) openHit() tea.Cmd {
	x := &m.sessions.texts
	hit, ok := x.chosen()
	switch {
	case x.waiting:
		return m.say("Still searching for " + m.sessions.filter.Text + ".")
	case !ok:
		return m.say("There is nothing to open; " + m.keys.First(keymap.Back) + " closes the list.")
	case !hit.Session.Deleted.IsZero():
		return m.say("Its session is in the trash; " + m.keys.First(keymap.AllText) + " shows the trash, and " + m.keys.First(keymap.Restore) + " brings it back.")
	}
	if _, here := m.chat.place[hit.Message]; here && hit.Session.ID == m.info.ID {
		m.bare()
		m.arrival = arrival{hit.Message, longestMark(hit)}
		return m.arrive(true)
	}
	told := m.say("Opening the session …") // a long one is read as far as the message first
	return tea.Batch(told, m.openFinding(hit.Session.ID, hit.Message, longestMark(hit)))
}

// longestMark is the longest of what was found in a message.
func longestMark(h store.Hit) string {
	longest := ""
	for _, m := range h.Marks {
		if text := h.Snippet[m[0]:m[1]]; len(text) > len(longest) {
			longest = text
		}
	}
	return longest
}
