package ui

import (
	"winnow/ui/sessions"
)

// place is what the keys are for: what covers the panes, else the pane that has them. The list of
// sessions has keys of its own for each of its shelves, for the search in it and for what it asks.
type place struct {
	overlay overlay
	focus   pane
	list    sessions.Mode
}

func (m *Model) where() place {
	return place{m.top(), m.focus, m.sessions.Mode()}
}

// moved takes a notice away once the keys are for something else: it stands where the new keys are
// listed. A notice that came with the change stays, and so does what is wrong.
func (m *Model) moved(from place, said int) {
	if m.where() != from && m.toast.generation == said && !m.toast.bad {
		m.toast.text = ""
	}
}
