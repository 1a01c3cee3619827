package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/app"
)

// These are how soon a second ctrl+c must follow the first, and how soon a command by which something would be
// lost must be given again.
const (
	quitSoon  = 2 * time.Second
	leaveSoon = 10 * time.Second
)

// confirmable is an action that is done only when it is asked for twice. To confirm one is not to confirm another.
type confirmable int

// The actions.
const (
	nothing  confirmable = iota
	quitting             // the stop key quits
	leaving              // a command or another key leaves the chat or quits, and something is lost by that
)

// confirm is what was asked for once. It counts the keys, and does nothing itself.
type confirm struct {
	asked    confirmable
	requests app.Latest
	keys     int // keys and pastes so far
}

// key counts a key or a paste. Whoever types does not mean to quit: anything but the stop key forgets that.
func (c *confirm) key(stop bool) {
	c.keys++
	if !stop && c.asked == quitting {
		c.asked = nothing
	}
}

// ask has an action done when it is asked for again soon.
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
