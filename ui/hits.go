package ui

import tea "charm.land/bubbletea/v2"

// nearest is the first hit in the message at this place or behind it, else the last one before.
func (f *find) nearest(place int) int {
	for i, x := range f.found {
		if x.message >= place {
			return f.before[i]
		}
	}
	return max(0, f.total-1)
}

// hit is the place in which the user's hit lies, with only that one of its spans.
func (f *find) hit() (found, bool) {
	lo, hi := 0, len(f.before)
	for lo < hi {
		if mid := (lo + hi) / 2; f.before[mid] <= f.at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 || f.at >= f.total {
		return found{}, false
	}
	x := f.found[lo-1]
	k := f.at - f.before[lo-1]
	return found{x.message, x.call, x.spans[k : k+1]}, true
}

// nextHit goes to the next hit or the one before. Behind the last one comes the first.
func (m *Model) nextHit(by int) tea.Cmd {
	f := &m.find
	switch {
	case !f.on:
		return m.say("Nothing is looked for: " + firstKey(m.keys.Find) + " begins a search.")
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
