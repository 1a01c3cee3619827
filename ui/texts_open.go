package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/transcript"
)

// openHit opens the session of the hit under the cursor, with the transcript's cursor on the message.
func (m *Model) openHit() tea.Cmd {
	x := &m.sessions.texts
	hit, ok := x.chosen()
	switch {
	case x.waiting:
		return m.say("Still searching for " + m.sessions.filter.text + ".")
	case !ok:
		return m.say("There is nothing to open; " + firstKey(m.keys.Back) + " closes the list.")
	case !hit.Session.Deleted.IsZero():
		return m.say("Its session is in the trash; " + firstKey(m.keys.AllText) + " shows the trash, and " + firstKey(m.keys.Restore) + " brings it back.")
	}
	if _, here := m.chat.place[hit.Message]; here && hit.Session.ID == m.info.ID {
		m.bare()
		m.setFocus(transcriptPane)
		m.chat.goTo(hit.Message)
		return m.arriveAt(hit.Message, longestMark(hit))
	}
	told := m.say("Opening the session …") // a long one is read as far as the message first
	return tea.Batch(told, m.openFinding(hit.Session.ID, hit.Message, longestMark(hit)))
}

// arriveAt marks what was looked for in the message under the cursor, where the transcript's own search
// finds it there.
func (m *Model) arriveAt(message int64, text string) tea.Cmd {
	m.toast.text = "" // it said that this is on its way
	at := m.chat.place[message]
	needle := transcript.NewNeedle(text)
	if needle.Empty() || len(findIn(context.Background(), m.chat.messages[at:at+1], needle)) == 0 {
		return nil
	}
	return m.search(text)
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
