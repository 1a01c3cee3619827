package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/event"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/layout"
	"winnow/ui/panel"
	"winnow/ui/settings"
)

// updatePanel gives the panel what concerns it, and does what it asks for.
func (m *Model) updatePanel(msg tea.Msg) tea.Cmd {
	m.panel.Turns = m.current.Info.Turns
	if _, key := msg.(tea.KeyPressMsg); key {
		b := m.layout.Panel.Inner(true)
		if m.overlays.onTop(panelOverlay{}) || m.layout.Panel.Empty() {
			b = m.overlayRoom()
		}
		m.panel.Page = max(1, m.panel.Slice(m.themes.Styles, b.W, b.H).Height)
	}
	var cmd tea.Cmd
	m.panel, cmd = m.panel.Update(msg)
	return m.handle(cmd, m.panel.Events(), m.panelEvent)
}

// panelEvent does what the panel cannot do itself.
func (m *Model) panelEvent(e event.Event) tea.Cmd {
	s := m.current.Session
	switch e := e.(type) {
	case panel.Load:
		return m.current.Run(func(ctx context.Context) tea.Msg { return loadPast(ctx, s, e) })
	case panel.Shown:
		return m.requestShown()
	case panel.Compared:
		m.chat.Judge(m.panel.Shown().Plan)
		before := m.inspected(e.Before)
		return m.inspect(inspector.Subject{Request: true, From: &before}, inspector.ChangesView)
	case panel.Try:
		draft, now := m.current.Draft(), m.panel.Next.Plan.Entries
		return func() tea.Msg { return tryOut(e, s, draft, now) }
	case panel.Apply:
		return m.current.Run(func(ctx context.Context) tea.Msg { return applyTrial(ctx, s, e) })
	case panel.ListModels:
		return m.inSettings((*settings.Model).ListModels)
	case panel.Closed:
		m.leaveWhatif()
		return m.draftChanged() // What was not done for the next request meanwhile is done now.
	}
	return nil
}

// requestShown shows in the transcript, and in the inspector, the request that the panel shows.
func (m *Model) requestShown() tea.Cmd {
	r := m.panel.Shown()
	m.chat.JudgeRead(r.Plan, r.FirstRead)
	if n := len(r.Plan.Entries); n > 0 && r.Past != nil {
		m.chat.ScrollTo(r.Plan.Entries[n-1].ID)
	}
	return m.updateInspector(inspector.Refresh{})
}

// toNext goes back to the next request.
func (m *Model) toNext() tea.Cmd {
	m.panel.ToNext()
	return m.requestShown()
}

// togglePanel shows or hides the context panel, as an overlay where the screen is narrow.
func (m *Model) togglePanel() tea.Cmd {
	if m.layout.Width < layout.WideWidth || m.layout.Height < layout.FrameHeight {
		m.overlays.open(panelOverlay{})
		return nil
	}
	m.layout.WantPanel = !m.layout.WantPanel
	if !m.layout.WantPanel && m.focus == panelPane {
		m.setFocus(draftPane)
	}
	m.arrange()
	return nil
}

// showPanel brings the panel on the screen and gives it the keys.
func (m *Model) showPanel() {
	m.layout.WantPanel = true
	m.arrange()
	if m.layout.Panel.Empty() {
		m.overlays.open(panelOverlay{})
		return
	}
	m.setFocus(panelPane)
}

// panelPress is a key in the panel. Of a message that it is about the transcript has the same under its own cursor.
func (m *Model) panelPress(msg tea.KeyPressMsg) tea.Cmd {
	switch m.keys.Action(msg, keymap.InPanel) {
	case keymap.Pin:
		return m.flag(history.Pin)
	case keymap.Exclude:
		return m.flag(history.Exclude)
	case keymap.Auto:
		return m.flag("")
	case keymap.TakeBack:
		return m.do(keymap.TakeBack)
	case keymap.Select, keymap.Pick:
		if e := m.panel.Chosen().Entry; (e == nil || !m.chat.GoTo(e.ID)) && !m.chat.Selecting() {
			return m.notice.Say("There is no message here to select.")
		}
		return m.updateTranscript(msg)
	case keymap.Adopt:
		return m.inSettings((*settings.Model).AdoptWindow)
	case keymap.Request:
		return m.inspectRequest()
	case keymap.Inspect:
		return m.inspectLine()
	case keymap.WhatIf:
		return m.openWhatif()
	case keymap.Repairs:
		return m.openRepairs()
	case keymap.Ask:
		return m.openHelp()
	}
	return m.updateAndFollow(msg)
}

// updateAndFollow gives the panel a key or the wheel, and brings the message under its cursor into the
// transcript's view.
func (m *Model) updateAndFollow(msg tea.Msg) tea.Cmd {
	at := m.panel.At
	cmd := m.updatePanel(msg)
	if m.panel.At != at {
		m.follow()
	}
	return cmd
}
