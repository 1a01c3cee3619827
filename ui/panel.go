package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/layout"
	"winnow/ui/remembered"
)

// contextOf is how the next request is shown by what was remembered; at first it is the panel.
func contextOf(p remembered.Panel) layout.Context {
	return map[remembered.Panel]layout.Context{remembered.Strip: layout.AsStrip, remembered.Off: layout.Hidden}[p]
}

// togglePanel shows the next request in the next way: as the strip above the draft, as the panel, not at all. Where the
// panel does not fit beside the page, it covers that for as long as it has the keys.
func (m *Model) togglePanel() tea.Cmd {
	remember := remembered.Open
	switch l := &m.layout; {
	case l.Context == layout.AsPanel && (l.PanelFits() || m.focus == panelPane):
		l.Context, remember = layout.Hidden, remembered.Off
	case l.Context == layout.Hidden:
		l.Context, remember = layout.AsStrip, remembered.Strip
	default:
		if l.Context = layout.AsPanel; !l.PanelFits() {
			m.setFocus(panelPane)
		}
	}
	if m.layout.Context != layout.AsPanel && m.focus == panelPane {
		m.setFocus(draftPane)
	}
	return m.settings.Remember(m.settings.Memory.Panel(remember))
}

// openWhatif shows the dials.
func (m *Model) openWhatif() tea.Cmd {
	switch {
	case m.Turn.Busy:
		return m.lacks(keymap.NeedIdle)
	case !m.Panel.Next.Ready:
		return m.notice.Say("There is no plan of the next request yet, so there is nothing to try.")
	}
	m.dialogs.Clear()
	cmd := m.Panel.ToNext()
	m.Panel.OpenWhatif()
	return cmd
}
