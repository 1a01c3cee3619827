package ui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/picker"
	"winnow/ui/sessions"
	"winnow/ui/theme"
)

// forksMsg is which sessions belong to one by a fork.
type forksMsg struct {
	session *session.Session
	kin     session.Kin
	err     error
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
	if m.session.Temporary() {
		return m.complain("This chat is not saved, so it cannot be forked. /keep saves it first.")
	}
	deps, s, ref := m.options.Deps, m.session, m.ref
	return m.leaveFor(openedMsg{said: forkedSentence(m.title(), "at message "+m.chat.NumberOf(at.ID))}, func(ctx context.Context) (*session.Session, error) {
		fork, err := s.Fork(ctx, at.ID)
		if err != nil {
			return nil, err
		}
		return session.Open(ctx, deps, fork.ID, ref)
	})
}

// forkListed copies the active branch of a session of the list into a session of its own, and opens that.
func (m *Model) forkListed(of sessions.Forked) tea.Cmd {
	deps, ref := m.options.Deps, m.ref
	return m.leaveFor(openedMsg{said: forkedSentence(of.Name, "at its end")}, func(ctx context.Context) (*session.Session, error) {
		now, err := deps.Store.Session(ctx, of.ID) // it may have grown since it was listed
		if err == nil {
			now, err = deps.Store.Fork(ctx, of.ID, now.Leaf)
		}
		if err != nil {
			return nil, err
		}
		return session.Open(ctx, deps, now.ID, ref)
	})
}

func forkedSentence(from, at string) string {
	return fmt.Sprintf("A fork of «%s» %s: what is said here stays here.", markdown.OneLine(from, 60), at)
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
	m.forks = sessions.NewForks(msg.kin, m.chat.Messages, m.keys, m.secrets)
	m.chat.Lead(m.forks.Trails())
	return nil
}

// followTrail goes where the session was forked from or to a fork of it: to those that part at the message
// under the cursor, else to any. Of several the user chooses one.
func (m *Model) followTrail() tea.Cmd {
	message, _ := m.chat.Selected()
	origin, forks := m.forks.At(message.ID)
	switch {
	case !origin && len(forks) == 0:
		return m.say("This session is no fork and has none; " + m.keys.First(keymap.Fork) + " forks it at this message.")
	case origin && len(forks) == 0:
		return m.openFork("")
	case !origin && len(forks) == 1:
		return m.openFork(forks[0].ID)
	}
	var choices []picker.Choice
	if origin {
		parent, _ := m.forks.Parent()
		choices = append(choices, picker.Choice{Label: "← forked from " + m.forks.Title(parent), Value: ""})
	}
	for _, f := range forks {
		right := theme.Plural(f.Turns, "turn")
		if _, here := m.chat.Place[f.ForkedAt]; here {
			right = "at message " + m.chat.NumberOf(f.ForkedAt) + " · " + right
		}
		choices = append(choices, picker.Choice{Label: sessions.ForkMark + " " + m.forks.Title(f), Right: right, Value: f.ID})
	}
	m.openList(picker.Options{Title: "forks", Does: "opens"}, 0, choices, m.openFork)
	return nil
}

// openFork opens a fork of the session, or at the message of the fork the session that this one was forked from,
// where the id is "".
func (m *Model) openFork(id string) tea.Cmd {
	if id != "" {
		return m.openStored(id, arrival{})
	}
	parent, fault := m.forks.Parent()
	if fault != "" {
		return m.complain(fault)
	}
	return m.openStored(parent.ID, arrival{message: m.info.ForkedAt})
}
