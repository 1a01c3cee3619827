// Package confirm is what was asked for once and is done only when it is asked for again soon: to quit, or to leave a
// chat that is not saved. It counts the keys, and does nothing itself.
package confirm

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// These are how soon a second ctrl+c must follow the first, and how soon a command by which something would be
// lost must be given again.
const (
	quitSoon  = 2 * time.Second
	leaveSoon = 10 * time.Second
)

// Action is what is confirmed. To confirm one is not to confirm another.
type Action int

// The actions.
const (
	none  Action = iota
	Quit         // the stop key quits
	Leave        // a command or another key leaves the chat or quits, and something is lost by that
)

// Model is what was asked for. Its zero value is nothing.
type Model struct {
	asked    Action
	requests int // so far: the newest one is that of asked
	keys     int // keys and pastes so far
}

// ExpireMsg says that it is too late to confirm a request.
type ExpireMsg struct{ request int }

// Key counts a key or a paste. Whoever types does not mean to quit: anything but the stop key forgets that.
func (m *Model) Key(stop bool) {
	m.keys++
	if !stop && m.asked == Quit {
		m.asked = none
	}
}

// Keys is how many keys and pastes came so far.
func (m *Model) Keys() int { return m.keys }

// Ask has an action done when it is asked for again soon.
func (m *Model) Ask(a Action) tea.Cmd {
	m.requests++
	m.asked = a
	soon, expire := quitSoon, ExpireMsg{m.requests}
	if a == Leave {
		soon = leaveSoon
	}
	return tea.Tick(soon, func(time.Time) tea.Msg { return expire })
}

// Asked says whether an action was asked for before, and so is confirmed by asking for it now.
func (m *Model) Asked(a Action) bool { return a == m.asked }

// Expire forgets a request that was not confirmed in time.
func (m *Model) Expire(msg ExpireMsg) {
	if msg.request == m.requests {
		m.asked = none
	}
}

// Forget forgets what was asked for.
func (m *Model) Forget() { m.asked = none }
