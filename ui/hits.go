package ui

import (
	"sort"

	"winnow/ui/keymap"

	tea "charm.land/bubbletea/v2"
)

// nearest is the first hit in the message at this place or behind it, else the last one before.
func (f *find) nearest(place int) int {
	if i := f.firstIn(place); i < len(f.found) {
		return f.before[i]
	}
	return max(0, f.total-1)
}

// firstIn is the first of the found in the message at this place or behind it.
func (f *find) firstIn(place int) int {
	return sort.Search(len(f.found), func(i int) bool { return f.found[i].message >= place })
}

// hit is the place in which the user's hit lies, with only that one of its spans.
func (f *find) hit() (found, bool) {
	i := sort.Search(len(f.before), func(i int) bool { return f.before[i] > f.at }) - 1
	if i < 0 || f.at >= f.total {
		return found{}, false
	}
	x := f.found[i]
	k := f.at - f.before[i]
	return found{x.message, x.call, x.spans[k : k+1]}, true
}

// nextHit goes to the next hit or the one before. Behind the last one comes the first.
func (m *Model) nextHit(by int) tea.Cmd {
	f := &m.find
	switch {
	case !f.on:
		return m.say("Nothing is looked for: " + m.keys.First(keymap.Find) + " begins a search.")
	case f.total == 0 && f.done:
		return m.say("This is nowhere in the conversation.")
	case f.total == 0:
		return nil
	}
	to := f.at + by
	f.at = (to + f.total) % f.total
	if f.around = 0; f.at != to {
		f.around = by
	}
	m.toast.text = "" // it stood where the search line stands
	return m.showHit()
}

// showHit brings the user's hit on the screen and asks what is not known of it.
func (m *Model) showHit() tea.Cmd {
	x, ok := m.find.hit()
	if !ok || x.message >= len(m.chat.messages) {
		return nil
	}
	m.chat.list.GoToHit(m.chat.itemOf(x), x.spans[0])
	m.lead()
	return m.askWhole()
}

// itemOf is the transcript's item of a place.
func (c *chat) itemOf(x found) int64 {
	message := c.messages[x.message]
	if items := c.callIDs[message.ID]; x.call >= 0 && x.call < len(items) {
		return items[x.call]
	}
	return message.ID
}
