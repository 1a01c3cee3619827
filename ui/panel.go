package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/ui/keymap"
	"winnow/ui/layout"
	"winnow/ui/panel"
	"winnow/ui/remembered"
	"winnow/ui/transcript"
)

// panelScreen is what the panel has the rest of the screen do.
func (m *Model) panelScreen() panel.Screen {
	return panel.Screen{
		Message:    m.chat.Message,
		Gist:       transcript.Gist,
		OnPage:     m.chat.OnPage,
		Draft:      m.current.Draft,
		Listed:     func() []llm.Model { return m.settings.Models },
		Shown:      m.requestShown,
		Follow:     m.follow,
		Inspect:    m.inspectRow,
		Do:         m.do,
		ListModels: m.settings.ListModels,
		Leave: func() tea.Cmd {
			m.leaveWhatif()
			return m.draftChanged() // What was not done for the next request meanwhile is done now.
		},
		Apply: m.settings.Apply,
	}
}

// requestShown has the transcript and the inspector show the request that the panel shows.
func (m *Model) requestShown() tea.Cmd {
	r := m.panel.Shown()
	m.chat.Judge(r.Plan, r.FirstRead)
	if n := len(r.Plan.Entries); n > 0 && r.Past != nil {
		m.chat.ScrollTo(r.Plan.Entries[n-1].ID)
	}
	if w := m.panel.Whatif; w != nil && w.First != nil {
		m.chat.ScrollTo(w.First.ID)
	}
	return m.inspector.Refresh()
}

// contextOf is how the next request is shown by what was remembered; at first it is the panel.
func contextOf(p remembered.Panel) layout.Context {
	return map[remembered.Panel]layout.Context{remembered.Strip: layout.AsStrip, remembered.Off: layout.Hidden}[p]
}

// togglePanel shows the next request in the next way: as the strip above the draft, as the panel, not at all. On a
// narrow screen the panel covers the page.
func (m *Model) togglePanel() tea.Cmd {
	covers, remember := !m.layout.PanelFits(), remembered.Open
	switch {
	case m.overlays.onTop(panelOverlay{}), !covers && m.layout.Context == layout.AsPanel:
		m.dismiss(panelOverlay{})
		m.layout.Context, remember = layout.Hidden, remembered.Off
	case m.layout.Context == layout.Hidden:
		m.layout.Context, remember = layout.AsStrip, remembered.Strip
	default:
		if m.layout.Context = layout.AsPanel; covers {
			m.openPanelOver()
		}
	}
	if m.layout.Context != layout.AsPanel && m.focus == panelPane {
		m.setFocus(draftPane)
	}
	m.arrange()
	return m.settings.Remember(m.settings.Memory.Panel(remember))
}

// showPanel brings the panel on the screen and gives it the keys.
func (m *Model) showPanel() {
	m.layout.Context = layout.AsPanel
	m.arrange()
	if m.layout.Panel.Empty() {
		m.openPanelOver()
		return
	}
	m.setFocus(panelPane)
}

// openPanelOver shows the panel in the place of the page, with what is not sent whole at its top.
func (m *Model) openPanelOver() {
	m.panel.ToFirstChange()
	m.panel.Focused = true
	m.overlays.open(panelOverlay{})
}

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
	m.chat.Judge(m.panel.Next.Plan, 0)
	m.arrange()
}
