package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/app"
)

// An action that needs confirmation must be repeated within these times.
const (
	quitSoon  = 2 * time.Second
	leaveSoon = 10 * time.Second
)

// confirmable is an action that must be asked for twice. Asking for one does not confirm another.
type confirmable int

// The confirmable actions.
const (
	nothing  confirmable = iota
	quitting             // ctrl+c quits
	leaving              // a key or command leaves the chat or quits, and something would be lost
)

// confirm is the action that was asked for once. It also counts the keys that were pressed.
type confirm struct {
	asked    confirmable
	requests app.Latest
	keys     int // keys and pastes so far
}

// key counts a key or a paste. Any key but ctrl+c means that the user does not want to quit.
func (c *confirm) key(stop bool) {
	c.keys++
	if !stop && c.asked == quitting {
		c.asked = nothing
	}
}

// ask notes that an action was asked for, until its time is over.
func (c *confirm) ask(a confirmable) tea.Cmd {
	soon, expired := quitSoon, c.requests.Begin()
	if c.asked = a; a == leaving {
		soon = leaveSoon
	}
	return tea.Tick(soon, func(time.Time) tea.Msg {
		return expired(func() tea.Cmd {
			c.asked = nothing
			return nil
		})
	})
}
