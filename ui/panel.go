package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/event"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/layout"
	"winnow/ui/panel"
	"winnow/ui/remembered"
	"winnow/ui/settings"
	"winnow/ui/turn"
)

// updatePanel gives the panel what concerns it, and does what it asks for.
func (m *Model) updatePanel(msg tea.Msg) tea.Cmd {
	m.surroundPanel()
	var cmd tea.Cmd
	m.panel, cmd = m.panel.Update(msg)
	return m.handle(cmd, m.panel.Events(), m.panelEvent)
}

// keepsPanel says that a message changes nothing that the panel shows, beside what is around it: a piece of an answer,
// a letter of the draft, and the wheel over the page. Such are most messages, and after any other the panel is drawn
// anew.
func keepsPanel(m *Model, msg tea.Msg) bool {
	switch msg := msg.(type) {
	case turn.EventsMsg:
		return msg.Turn == m.turn.Number && msg.Pieces()
	case tea.KeyPressMsg:
		in := m.focus == draftPane && !m.overlays.any() && !m.chat.Search.Open && m.panel.Whatif == nil
		return in && msg.Text != "" && m.keys.Action(msg, keymap.InDraft) == "" &&
			!m.keys.Pressed(msg, keymap.Stop, keymap.Suspend, keymap.Reveal, keymap.Back, keymap.Help, keymap.Ask)
	case tea.MouseWheelMsg:
		return !m.overlays.any() && !m.layout.Panel.Holds(msg.X, msg.Y)
	}
	return false
}

// surroundPanel gives the panel what it depends on beside itself.
func (m *Model) surroundPanel() {
	first, end := m.chat.OnPage()
	m.panel.Around = panel.Around{
		Busy: m.panel.Busy, Turns: m.current.Info.Turns, Model: m.current.Ref,
		OnPage: panel.Range{From: first, To: end},
	}
	if m.panelHasKeys() {
		m.panel.Selection = m.chat.SelectionTitle()
	}
}

// panelEvent does what the panel cannot do itself.
func (m *Model) panelEvent(e event.Event) tea.Cmd {
	s := m.current.Session
	switch e := e.(type) {
	case panel.Load:
		return m.current.Run(func(ctx context.Context) tea.Msg { return loadPast(ctx, s, e) })
	case panel.Shown:
		// The transcript and the inspector show the same request.
		r := m.panel.Shown()
		m.chat.JudgeRead(r.Plan, r.FirstRead)
		if n := len(r.Plan.Entries); n > 0 && r.Past != nil {
			m.chat.ScrollTo(r.Plan.Entries[n-1].ID)
		}
		if id, ok := m.panel.FirstTried(); ok {
			m.chat.ScrollTo(id)
		}
		return m.inspector.Refresh()
	case panel.CursorMoved:
		m.follow()
	case panel.Inspect:
		on, _ := subjectAt(m.panel.Shown(), m.panel.At)
		return m.inspect(on, inspector.TextView)
	case panel.Select:
		if on := m.panel.Chosen().Entry; (on == nil || !m.chat.GoTo(on.ID)) && !m.chat.Selecting() {
			return m.notice.Say("There is no message here to select.")
		}
		return m.updateTranscript(e.Key)
	case panel.Wanted:
		return m.do(e.Action)
	case panel.Compared:
		m.chat.Judge(m.panel.Shown().Plan)
		before := m.inspected(e.Before)
		return m.inspect(inspector.Subject{Request: true, From: &before}, inspector.ChangesView)
	case panel.Try:
		draft, now := m.current.Draft(), m.panel.Next.Plan.Entries
		return func() tea.Msg { return tryOut(e, s, draft, now) }
	case panel.Apply:
		memory, known := m.settings.Memory, m.current.With.Models
		return m.current.Run(func(ctx context.Context) tea.Msg {
			return applyTrial(ctx, s, e, func() string { return settings.RememberModel(memory, s, known) })
		})
	case panel.ListModels:
		return m.settings.ListModels()
	case panel.Closed:
		m.leaveWhatif()
		return m.draftChanged() // What was not done for the next request meanwhile is done now.
	}
	return nil
}

// contextOf is how the next request is shown by what was remembered; at first it is the panel.
func contextOf(p remembered.Panel) layout.Context {
	switch p {
	case remembered.Strip:
		return layout.AsStrip
	case remembered.Off:
		return layout.Hidden
	}
	return layout.AsPanel
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
	m.panel.Unfold(true)
	m.overlays.open(panelOverlay{})
}
