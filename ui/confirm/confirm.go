// Package confirm is what was asked for once and is done only when it is asked for again soon: to quit, to leave a
// chat that is not saved, to edit an earlier message. It counts the keys, and does nothing itself.
package confirm

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// These are how soon a second ctrl+c must follow the first, and how soon a command that would discard a chat must be
// given again.
const (
	quitSoon    = 2 * time.Second
	discardSoon = 10 * time.Second
)

// Action is what is confirmed. Each has its own warning: to confirm one is not to confirm another.
type Action int

// The actions.
const (
	none         Action = iota
	Quit                // the stop key quits
	QuitUnsaved         // the stop key quits, and a chat that is not saved is gone
	LeaveUnsaved        // a command or another key leaves a chat that is not saved
	QuitOthers          // the stop key quits, and answers behind the screen are stopped
	LeaveOthers         // a command or another key quits, and answers behind the screen are stopped
	EditEarlier         // the back key lists the messages to edit
)

// Model is what was asked for. Its zero value is nothing.
type Model struct {
	asked    Action
	requests int // so far: the newest one is that of asked
	keys     int // keys and pastes so far
	editAt   int // the key that asked for EditEarlier
}

// ExpireMsg says that it is too late to confirm a request.
type ExpireMsg struct{ request int }

// Key counts a key or a paste. Whoever types does not mean to quit: anything but the stop key forgets that.
func (m *Model) Key(stop bool) {
	m.keys++
	if !stop && m.asked != LeaveUnsaved && m.asked != LeaveOthers {
		m.asked = none
	}
}

// Keys is how many keys and pastes came so far.
func (m *Model) Keys() int { return m.keys }

// Ask has an action done when it is asked for again: EditEarlier with the very next key, any other for a while.
func (m *Model) Ask(a Action) tea.Cmd {
	if a == EditEarlier {
		m.editAt = m.keys
		return nil
	}
	m.requests++
	m.asked = a
	soon, expire := quitSoon, ExpireMsg{m.requests}
	if a == LeaveUnsaved || a == LeaveOthers {
		soon = discardSoon
	}
	return tea.Tick(soon, func(time.Time) tea.Msg { return expire })
}

// Asked says whether one of some actions was asked for before, and so is confirmed by asking for it now.
func (m *Model) Asked(actions ...Action) bool {
	for _, a := range actions {
		if a == m.asked || a == EditEarlier && m.editAt > 0 && m.keys == m.editAt+1 {
			return true
		}
	}
	return false
}

// Expire forgets a request that was not confirmed in time.
func (m *Model) Expire(msg ExpireMsg) {
	if msg.request == m.requests {
		m.asked = none
	}
}

// Forget forgets what was asked for.
func (m *Model) Forget() { m.asked = none }
