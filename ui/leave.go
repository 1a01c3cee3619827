package ui

import (
	"time"

	"winnow/ui/keymap"

	tea "charm.land/bubbletea/v2"
)

// These are how soon a second ctrl+c must follow the first, and how soon a command that would discard a
// chat must be given again.
const (
	quitWithin    = 2 * time.Second
	discardWithin = 10 * time.Second
)

// arming is what was asked for once and is done when it is asked for again soon. Each warning has its own:
// to confirm one is not to confirm another.
type arming struct {
	what   confirmation
	number int
}

type confirmation int

const (
	nothing       confirmation = iota
	quitByStop                 // ctrl+c quits
	discardByStop              // ctrl+c quits, and a chat that is not saved is gone
	discard                    // a command or another key leaves a chat that is not saved
)

// interrupt is ctrl+c: it stops the answer, then clears the draft, then quits when pressed twice.
func (m *Model) interrupt() tea.Cmd {
	switch {
	case m.turn.busy && !m.turn.stopping:
		return m.stopTurn()
	case m.armed.what == quitByStop || m.armed.what == discardByStop:
		return m.quitNow()
	case m.editing.message != 0:
		return m.leaveEdit()
	case !m.composer.Empty():
		m.composer.Remember(m.composer.Kept())
		m.composer.Set("")
		if m.unsaved() {
			return m.say("Cleared: " + m.keys.First(keymap.Older) + " brings it back.")
		}
		return tea.Batch(m.say("Cleared: "+m.keys.First(keymap.Older)+" brings it back, "+m.keys.First(keymap.Stop)+" again quits."), m.arm(quitByStop))
	}
	if said, stays := m.wouldBeGone(discardByStop); stays {
		return said
	}
	return tea.Batch(m.say("Press "+m.keys.First(keymap.Stop)+" again to quit."), m.arm(quitByStop))
}

// arm has something done when it is asked for again, for a while.
func (m *Model) arm(what confirmation) tea.Cmd {
	m.arms++
	m.armed = arming{what, m.arms}
	within, n := quitWithin, m.arms
	if what == discard {
		within = discardWithin
	}
	return tea.Tick(within, func(time.Time) tea.Msg { return disarmMsg{n} })
}

func (m *Model) disarm(msg disarmMsg) tea.Cmd {
	if msg.generation == m.armed.number {
		m.armed = arming{}
	}
	return nil
}

// unarm is any key but ctrl+c: whoever types does not mean to quit.
func (m *Model) unarm() {
	if m.armed.what != discard {
		m.armed = arming{}
	}
}

// quit leaves, unless a chat would be gone.
func (m *Model) quit() tea.Cmd {
	if said, stays := m.wouldBeGone(discard); stays {
		return said
	}
	return m.quitNow()
}

// quitNow leaves; a running answer is stopped and saved first. Run saves the draft, however it ends.
func (m *Model) quitNow() tea.Cmd {
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
	case m.find.On && !m.covered():
		m.endFind()
		return nil
	case m.panel.Past != nil:
		return m.toNext()
	case m.onTop(panelOverlay{}):
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
	if !m.composer.Empty() {
		return m.say("Nothing to close or stop.")
	}
	if m.escaped {
		return m.openEdits()
	}
	m.escaped = true
	return m.say("Nothing to close or stop; " + m.keys.First(keymap.Back) + " again edits an earlier message.")
}
