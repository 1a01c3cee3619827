package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/picker"
	"winnow/ui/theme"
)

// followTrail goes where the session was forked from or to a fork of it: to those that part at the message
// under the cursor, else to any.
func (m *Model) followTrail() tea.Cmd {
	if m.turn.busy {
		return m.stillArriving()
	}
	forks, origin := m.forks.kin.Forks, m.forks.kin.Fork
	if message, ok := m.chat.Selected(); ok {
		here := m.forksAt(message.ID)
		if from := origin && message.ID == m.forks.point; from || len(here) > 0 {
			forks, origin = here, from
		}
	}
	switch {
	case !origin && len(forks) == 0:
		return m.say("This session is no fork and has none; " + m.keys.First(keymap.Fork) + " forks it at this message.")
	case origin && len(forks) == 0:
		return m.openOrigin()
	case !origin && len(forks) == 1:
		return m.openAt(forks[0].ID, 0)
	}
	m.openForks(origin, forks)
	return nil
}

// openOrigin opens the session that this one was forked from, at the message of the fork.
func (m *Model) openOrigin() tea.Cmd {
	parent := m.forks.kin.Parent
	switch {
	case parent.ID == "":
		return m.complain("The session that this one was forked from is gone for good. What was copied of it stays here.")
	case !parent.Deleted.IsZero():
		return m.complain("«" + m.titleOf(parent) + "» is in the trash. What was copied of it stays here.")
	}
	return m.openAt(parent.ID, m.info.ForkedAt)
}

// openForks lists the session's parent and forks, to choose one.
func (m *Model) openForks(origin bool, forks []store.Session) {
	var choices []picker.Choice
	if origin {
		choices = append(choices, picker.Choice{Label: "← forked from " + m.titleOf(m.forks.kin.Parent), Value: ""})
	}
	for _, f := range forks {
		right := theme.Plural(f.Turns, "turn")
		if _, here := m.chat.Place[f.ForkedAt]; here {
			right = "at message " + m.numberOf(f.ForkedAt) + " · " + right
		}
		choices = append(choices, picker.Choice{Label: forkSign + " " + m.titleOf(f), Right: right, Value: f.ID})
	}
	m.openList(picker.Options{Title: "forks", Hints: m.listHints("opens")}, otherList, choices, m.forkChosen)
}

// forkChosen opens a session of the list, "" for the one that this was forked from.
func (m *Model) forkChosen(id string) tea.Cmd {
	if id == "" {
		return m.openOrigin()
	}
	return m.openAt(id, 0)
}

// forkedFrom says in the header what a fork comes from.
func (m *Model) forkedFrom() string {
	if !m.forks.kin.Fork {
		return ""
	}
	parent := "a session that is gone"
	if m.forks.kin.Parent.ID != "" {
		parent = m.titleOf(m.forks.kin.Parent)
	}
	return forkSign + " " + parent
}
