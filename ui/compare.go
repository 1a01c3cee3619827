package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
)

// compareRequests marks the request on show, or compares it with the one that is marked.
func (m *Model) compareRequests() tea.Cmd {
	k, r := &m.keys, m.panel.shown()
	switch marked := m.marked; {
	case !r.ready:
		return m.say(r.whyNone())
	case marked == nil:
		kept := *r
		m.marked = &kept
		return m.say("Marked: " + m.nameOf(r) + ". Go to another request with " + k.First(keymap.Earlier) + " and " + k.First(keymap.Later) +
			", then " + k.First(keymap.Compare) + " shows what changed between the two.")
	case sameRequest(marked, r):
		m.marked = nil
		return m.say("The mark is taken away from " + m.nameOf(r) + ".")
	default:
		shown := *r
		before, after := inOrder(marked, &shown)
		m.marked = nil
		m.showRequest(after)
		return m.inspect(subject{request: true, from: before}, asChanges)
	}
}

// showRequest shows a request that has been on show before.
func (m *Model) showRequest(r *request) {
	if r.past == nil {
		m.toNext()
		return
	}
	m.seeks++ // what is still being read comes too late
	m.panel.open(r)
	m.chat.judge(r.plan)
}

// inOrder is two requests, the one that was sent first in front; the next one is the last.
func inOrder(a, b *request) (before, after *request) {
	if a.past == nil || b.past != nil && b.past.Request.ID < a.past.Request.ID {
		return b, a
	}
	return a, b
}

// sameRequest says that two are the same request of the past, or both the next one.
func sameRequest(a, b *request) bool {
	if a.past == nil || b.past == nil {
		return a.past == b.past
	}
	return a.past.Request.ID == b.past.Request.ID
}
