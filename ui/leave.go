package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/confirm"
	"winnow/ui/keymap"
)

// interrupt is ctrl+c: it stops the answer, then clears the draft, then quits when pressed twice.
func (m *Model) interrupt() tea.Cmd {
	switch {
	case m.turn.Busy && !m.turn.Stopping:
		return m.stopTurn()
	case m.confirm.Asked(confirm.Quit, confirm.QuitUnsaved, confirm.QuitOthers):
		m.upkeep.Hurried = true
		return m.quitNow()
	case m.editing():
		return m.composer.LeaveEdit()
	case !m.composer.Empty():
		m.composer.Clear()
		if m.current.Session.Temporary() && !m.chat.Empty() || m.current.Background.Busy() > 0 {
			return m.notice.Say("Draft cleared: " + m.keys.First(keymap.ListUp) + " brings it back.")
		}
		return tea.Batch(m.notice.Say("Draft cleared: "+m.keys.First(keymap.ListUp)+" brings it back, "+
			m.keys.First(keymap.Stop)+" again quits."), m.confirm.Ask(confirm.Quit))
	}
	if warning, stays := m.wouldBeGone(confirm.QuitUnsaved); stays {
		return warning
	}
	if warning, stays := stopsOthers(m, confirm.QuitOthers, m.keys.First(keymap.Stop)+" again"); stays {
		return warning
	}
	return tea.Batch(m.notice.Say("Press "+m.keys.First(keymap.Stop)+" again to quit."), m.confirm.Ask(confirm.Quit))
}

// quit leaves, unless a chat would be gone.
func (m *Model) quit() tea.Cmd {
	if warning, stays := m.wouldBeGone(confirm.LeaveUnsaved); stays {
		return warning
	}
	if warning, stays := stopsOthers(m, confirm.LeaveOthers, "The same key again"); stays {
		return warning
	}
	return m.quitNow()
}

// quitNow leaves; a running answer is stopped and saved first. Run saves the draft, however it ends.
func (m *Model) quitNow() tea.Cmd {
	if !m.turn.Busy {
		return tea.Quit
	}
	m.turn.Quitting = true
	return tea.Batch(m.stopTurn(), tea.Tick(quitTime, func(time.Time) tea.Msg { return quitDueMsg{} }))
}

// back is esc in the panes, and in the panel where it covers them: leave the selection, the search, the
// request of the past, the pane, the list of completions; else stop the answer, else nothing. It never changes history.
func (m *Model) back() tea.Cmd {
	switch {
	case m.chat.Selecting():
		m.chat.Unselect()
		return nil
	case m.chat.Search.On && !m.overlays.any():
		m.chat.EndSearch()
		return nil
	case m.panel.Past != nil:
		return m.panel.ToNext()
	case m.overlays.onTop(panelOverlay{}):
		m.uncover()
		return nil
	case m.focus != draftPane:
		m.setFocus(draftPane)
		return nil
	case m.composer.CloseCompletions():
		m.arrange()
		return nil
	case m.editing() && !m.turn.Busy:
		return m.composer.LeaveEdit()
	case m.turn.Busy && !m.turn.Stopping:
		return m.stopTurn()
	case m.turn.Busy:
		return m.notice.Say("Stopping the answer.")
	case m.notice.Close():
		m.arrange()
		return nil
	}
	if !m.composer.Empty() {
		return nil
	}
	if m.confirm.Asked(confirm.EditEarlier) {
		return m.openEdits()
	}
	m.confirm.Ask(confirm.EditEarlier)
	return m.notice.Say(m.keys.First(keymap.Back) + " again edits an earlier message.")
}

// quitDueMsg says that quitting has waited long enough for an answer to be saved.
type quitDueMsg struct{}

// wouldBeGone warns, once, that leaving the session on the screen discards a temporary chat. Whoever means
// it does the same again soon.
func (m *Model) wouldBeGone(by confirm.Action) (warning tea.Cmd, stays bool) {
	unsaved := m.current.Session.Temporary() && !m.chat.Empty()
	if !unsaved || m.confirm.Asked(by) {
		return nil, false
	}
	again := "the same key again discards it."
	if by == confirm.QuitUnsaved {
		again = m.keys.First(keymap.Stop) + " again discards it and quits."
	}
	return tea.Batch(m.notice.Error("This chat is not saved. /keep saves it; "+again), m.confirm.Ask(by)), true
}
