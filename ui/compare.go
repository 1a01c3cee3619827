package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/panel"
)

// compareRequests marks the request on show, or compares it with the one that is marked.
func (m *Model) compareRequests() tea.Cmd {
	k, r := &m.keys, m.panel.Shown()
	switch marked := m.marked; {
	case !r.Ready:
		return m.say(whyNone(r))
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
func (m *Model) showRequest(r *panel.Request) {
	if r.Past == nil {
		m.toNext()
		return
	}
	m.seeks++ // what is still being read comes too late
	m.panel.Open(r)
	m.chat.Judge(r.Plan)
}

// inOrder is two requests, the one that was sent first in front; the next one is the last.
func inOrder(a, b *panel.Request) (before, after *panel.Request) {
	if a.Past == nil || b.Past != nil && b.Past.Request.ID < a.Past.Request.ID {
		return b, a
	}
	return a, b
}

// sameRequest says that two are the same request of the past, or both the next one.
func sameRequest(a, b *panel.Request) bool {
	if a.Past == nil || b.Past == nil {
		return a.Past == b.Past
	}
	return a.Past.Request.ID == b.Past.Request.ID
}
