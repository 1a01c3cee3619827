package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/layout"
	"winnow/ui/remembered"
)

// contextOf converts the remembered choice; the default is the panel.
func contextOf(p remembered.Panel) layout.ContextView {
	return map[remembered.Panel]layout.ContextView{
		remembered.PanelStrip: layout.ContextStrip, remembered.PanelOff: layout.ContextHidden,
	}[p]
}

// togglePanel cycles how the next request is shown: strip above the draft, panel, hidden. If the panel does not fit
// beside the transcript, it covers the transcript while it has the focus.
func (m *Model) togglePanel() tea.Cmd {
	remember := remembered.PanelOpen
	switch l := &m.layout; {
	case l.Context == layout.ContextPanel && (l.PanelFits() || m.focus == panelPane):
		l.Context, remember = layout.ContextHidden, remembered.PanelOff
	case l.Context == layout.ContextHidden:
		l.Context, remember = layout.ContextStrip, remembered.PanelStrip
	default:
		if l.Context = layout.ContextPanel; !l.PanelFits() {
			m.setFocus(panelPane)
		}
	}
	if m.layout.Context != layout.ContextPanel && m.focus == panelPane {
		m.setFocus(draftPane)
	}
	return m.settings.RememberChoice(m.settings.Memory.RememberPanel(remember))
}

// openWhatif opens the What-if trial.
func (m *Model) openWhatif() tea.Cmd {
	switch {
	case m.Turn.Busy:
		return m.explainNeed(keymap.NeedIdle)
	case !m.Panel.Next.Ready:
		return m.notice.Say("There is no plan of the next request yet, so there is nothing to try.")
	}
	m.dialogs.Clear()
	cmd := m.Panel.ShowNext()
	m.Panel.OpenWhatif()
	return cmd
}
