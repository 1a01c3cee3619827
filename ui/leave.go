package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// quitWithin is how soon a second ctrl+c must follow the first to quit.
const quitWithin = 2 * time.Second

// interrupt is ctrl+c: it stops the answer, then clears the draft, then quits when pressed twice.
func (m *Model) interrupt() tea.Cmd {
	switch {
	case m.turn.busy && !m.turn.stopping:
		return m.stopTurn()
	case m.armed != 0:
		return m.quit()
	case m.editing.message != 0:
		return m.leaveEdit()
	case !m.composer.empty():
		m.composer.remember(m.composer.kept())
		m.composer.set("")
		return tea.Batch(m.say("Cleared: "+firstKey(m.keys.Older)+" brings it back, "+firstKey(m.keys.Stop)+" again quits."), m.arm())
	}
	if said, stays := m.wouldBeGone(); stays {
		return said
	}
	return tea.Batch(m.say("Press "+firstKey(m.keys.Stop)+" again to quit."), m.arm())
}

// arm makes the next ctrl+c a quit, for a while.
func (m *Model) arm() tea.Cmd {
	m.arms++
	m.armed = m.arms
	n := m.arms
	return tea.Tick(quitWithin, func(time.Time) tea.Msg { return disarmMsg{n} })
}

func (m *Model) disarm(msg disarmMsg) tea.Cmd {
	if msg.generation == m.armed {
		m.armed = 0
	}
	return nil
}

// quit leaves; a running answer is stopped and saved first. Run saves the draft, however it ends.
func (m *Model) quit() tea.Cmd {
	if said, stays := m.wouldBeGone(); stays {
		return said
	}
	if !m.turn.busy {
		return tea.Quit
	}
	m.quitting = true
	return tea.Batch(m.stopTurn(), tea.Tick(quitTime, func(time.Time) tea.Msg { return quitDueMsg{} }))
}

// back is esc in the panes, and in the panel where it covers them: leave the selection, the search, the
// request of the past, the pane; else stop the answer, else nothing. It never changes history.
func (m *Model) back() tea.Cmd {
	switch {
	case m.selection.on:
		m.unselect()
		return nil
	case m.find.on && m.overlay == noOverlay:
		m.endFind()
		return nil
	case m.panel.past != nil:
		return m.toNext()
	case m.overlay == panelOverlay:
		m.uncover()
		return nil
	case m.focus != draftPane:
		m.setFocus(draftPane)
		return nil
	case m.editing.message != 0 && !m.turn.busy:
		return m.leaveEdit()
	case m.turn.busy && !m.turn.stopping:
		return m.stopTurn()
	case m.turn.busy:
		return m.say("The answer is being stopped.")
	case m.alert != "":
		m.alert = ""
		m.arrange()
		return nil
	case m.news != "":
		m.news = ""
		m.arrange()
		return nil
	}
	if !m.composer.empty() {
		return m.say("Nothing to close or stop.")
	}
	if m.escaped {
		return m.openEdits()
	}
	m.escaped = true
	return m.say("Nothing to close or stop; " + firstKey(m.keys.Back) + " again edits an earlier message.")
}
