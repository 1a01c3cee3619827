package ui

// place is what the keys are for: what covers the panes, else the pane that has them.
type place struct {
	overlay overlay
	focus   pane
}

func (m *Model) where() place { return place{m.overlay, m.focus} }

// moved takes a notice away once the keys are for something else: it stands where the new keys are
// listed. A notice that came with the change stays, and so does what is wrong.
func (m *Model) moved(from place, said int) {
	if m.where() != from && m.toast.generation == said && !m.toast.bad {
		m.toast.text = ""
	}
}
