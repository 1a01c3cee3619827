package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
)

// openWhatif shows the dials.
func (m *Model) openWhatif() tea.Cmd {
	switch {
	case m.turn.Busy:
		return m.lacks(keymap.NeedIdle)
	case !m.panel.Next.Ready:
		return m.notice.Say("There is no plan of the next request yet, so there is nothing to try.")
	}
	cmd := m.panel.ToNext()
	m.panel.OpenWhatif()
	m.overlays.open(whatifOverlay{})
	m.layout.Dials = true
	m.arrange()
	return cmd
}

// leaveWhatif goes back to the next request as it is set.
func (m *Model) leaveWhatif() {
	if m.panel.Whatif == nil {
		return
	}
	m.layout.Dials = false
	m.panel.CloseWhatif()
	m.dismiss(whatifOverlay{})
	m.chat.Judge(m.panel.Next.Plan)
	m.arrange()
}
