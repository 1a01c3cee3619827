package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/picker"
	"winnow/ui/theme"
)

// forkSign stands where conversations part.
const forkSign = "⑂"

// forks are the sessions that belong to this one by a fork.
type forks struct {
	kin   session.Kin
	point int64 // the newest message of the branch that is a copy, 0 for none
}

// forksMsg is the session's kin.
type forksMsg struct {
	session *session.Session
	kin     session.Kin
	err     error
}

// forkedMsg is a fork that was just made, opened.
type forkedMsg struct {
	opened openedMsg
	from   string // what its parent is called
	number string // of the message that it was made at, "" for the end
}

// forkSelected forks the session at the message under the cursor.
func (m *Model) forkSelected() tea.Cmd {
	message, ok := m.chat.Selected()
	if !ok {
		return m.complain("Select a message first.")
	}
	return m.forkAt(message)
}

// forkHere forks the session at its end.
func (m *Model) forkHere() tea.Cmd {
	last, ok := m.chat.Last()
	if !ok {
		return m.complain("Nothing was said yet, so there is nothing to fork.")
	}
	return m.forkAt(last)
}

// forkAt copies the branch up to a message into a session of its own, and opens that.
func (m *Model) forkAt(at store.Message) tea.Cmd {
	switch {
	case m.turn.Busy:
		return m.stillArriving()
	case m.session.Temporary():
		return m.complain("This chat is not saved, so it cannot be forked. /keep saves it first.")
	}
	deps, s, ref := m.options.Deps, m.session, m.ref
	done := forkedMsg{from: m.title(), number: m.chat.NumberOf(at.ID)}
	return m.openNext(func(ctx context.Context, number int) tea.Msg {
		done.opened.number = number
		fork, err := s.Fork(ctx, at.ID)
		if err != nil {
			done.opened.err = err
			return done
		}
		done.opened.session, done.opened.err = session.Open(ctx, deps, fork.ID, ref)
		return done
	})
}

// forked shows the fork.
func (m *Model) forked(msg forkedMsg) tea.Cmd {
	cmd := m.opened(msg.opened)
	if msg.opened.err != nil || m.session != msg.opened.session {
		return cmd
	}
	at := "at message " + msg.number
	if msg.number == "" {
		at = "at its end"
	}
	return tea.Batch(cmd, m.say(fmt.Sprintf("A fork of «%s» %s: what is said here stays here.", markdown.OneLine(msg.from, 60), at)))
}

// readForks reads which sessions belong to one by a fork.
func (m *Model) readForks(s *session.Session) tea.Cmd {
	return m.inBackground(func(ctx context.Context) tea.Msg {
		kin, err := s.Kin(ctx)
		return forksMsg{s, kin, err}
	})
}

// forksRead shows at the messages where other sessions part from this one.
func (m *Model) forksRead(msg forksMsg) tea.Cmd {
	switch {
	case msg.session != m.session || errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil:
		return m.complain(theme.Sentence(msg.err))
	}
	m.forks = forks{kin: msg.kin}
	for _, message := range m.chat.Messages {
		if msg.kin.Fork && message.Seq <= msg.kin.Copied {
			m.forks.point = message.ID
		}
	}
	m.chat.Lead(m.trails())
	return nil
}

// trails are the lines at the messages where sessions part.
func (m *Model) trails() map[int64]string {
	trails := map[int64]string{}
	if m.forks.point != 0 {
		trails[m.forks.point] = m.originLine()
	}
	for _, f := range m.forks.kin.Forks {
		n := len(m.forksAt(f.ForkedAt))
		line := forkSign + " " + theme.Plural(n, "fork") + " · " + m.keys.First(keymap.Trail)
		if line += " opens it"; n > 1 {
			line = forkSign + " " + theme.Plural(n, "fork") + " · " + m.keys.First(keymap.Trail) + " lists them"
		}
		if origin := m.originLine(); f.ForkedAt == m.forks.point && origin != "" {
			line = origin + "\n" + line
		}
		trails[f.ForkedAt] = line
	}
	return trails
}

// originLine says where the session was forked from, "" where it is no fork.
func (m *Model) originLine() string {
	kin := m.forks.kin
	switch {
	case !kin.Fork:
		return ""
	case kin.Parent.ID == "":
		return forkSign + " forked from a session that is gone"
	case !kin.Parent.Deleted.IsZero():
		return fmt.Sprintf("%s forked from «%s» at message %s, which is in the trash", forkSign, m.titleOf(kin.Parent), theme.Thousands(kin.Copied))
	}
	return fmt.Sprintf("%s forked from «%s» at message %s · %s goes there", forkSign, m.titleOf(kin.Parent), theme.Thousands(kin.Copied), m.keys.First(keymap.Trail))
}

// forksAt are the sessions that were forked at a message.
func (m *Model) forksAt(message int64) []store.Session {
	return slices.DeleteFunc(slices.Clone(m.forks.kin.Forks), func(f store.Session) bool { return f.ForkedAt != message })
}

// titleOf is what a session is called in a line.
func (m *Model) titleOf(s store.Session) string {
	if s.Title == "" {
		return "untitled"
	}
	return markdown.OneLine(m.secrets.Line(s.Title), 60)
}

// followTrail goes where the session was forked from or to a fork of it: to those that part at the message
// under the cursor, else to any.
func (m *Model) followTrail() tea.Cmd {
	if m.turn.Busy {
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
			right = "at message " + m.chat.NumberOf(f.ForkedAt) + " · " + right
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
