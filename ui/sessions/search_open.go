package sessions

import (
	"maps"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/keymap"
)

// openHit opens the session of the hit under the cursor, with the transcript's cursor on the message. On the line for
// the other hits of a session it lists those.
func (l *Model) openHit() tea.Cmd {
	x := &l.Texts
	at, session, ok := x.on()
	switch {
	case x.Waiting:
		return l.Say("Still searching for " + l.Filter.Text() + ".")
	case !ok:
		return l.Say("There is nothing to open; " + l.Keys.First(keymap.Back) + " closes the list.")
	case at.hit < 0:
		whole := maps.Clone(x.whole)
		if whole == nil {
			whole = map[string]bool{}
		}
		whole[session.ID] = true
		x.whole = whole
		return nil
	case !session.Deleted.IsZero():
		return l.Say("Its session is in the trash; " + l.Keys.First(keymap.Restore) + " restores it first.")
	}
	hit := x.Hits[at.hit]
	return l.Emit(Found{hit, longestMark(hit)})
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
