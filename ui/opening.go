package ui

import (
	"cmp"
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/current"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/markdown"
	"winnow/ui/notice"
	"winnow/ui/question"
	"winnow/ui/theme"
	"winnow/ui/turn"
)

// leaveFor leaves the session on the screen for another one, unless a temporary chat would be gone or an answer
// arrives that cannot go on behind the screen.
func (m *Model) leaveFor(open func(*current.Model) tea.Cmd) tea.Cmd {
	if stays := staysFor(m); stays != nil {
		return stays
	}
	if warning := m.warns(false); warning != nil {
		return warning
	}
	keep := m.composer.Leave()
	m.bare()
	m.setFocus(draftPane)
	return tea.Batch(keep, open(&m.current))
}

// openStored opens a stored session at one of its messages.
func (m *Model) openStored(id string, at current.Arrival) tea.Cmd {
	return m.leaveFor(func(o *current.Model) tea.Cmd { return o.Open(id, at) })
}

// opened shows a session that was asked for.
func (m *Model) opened(e current.Opened) tea.Cmd {
	if stays := staysFor(m); stays != nil {
		return tea.Batch(stays, m.composer.Stay())
	}
	left := current.Leave(m.Session)
	if m.turn.Busy {
		putBehind(m)
		left = nil
	}
	outcome, ended := m.current.Background.Outcome(e.Session.Info().ID)
	back := m.current.Background.Take(e.Session)
	m.turn = turn.Model{Number: m.current.Background.NextTurn(m.turn.Number)}
	m.question.Ask(question.Question{})
	m.bare()
	m.composer.Arrive()
	m.setFocus(draftPane)
	m.Busy = false
	m.show(e.Session)
	m.current.At = e.At
	cmds := []tea.Cmd{
		m.arrive(false), m.notice.Say(e.Notice), left, m.current.Start(), m.composer.Load(), m.upkeep.Index(),
	}
	if back != nil {
		return tea.Batch(append(cmds, comeBack(m, back))...)
	}
	if ended {
		cmds = append(cmds, showOutcome(m, outcome))
	}
	return tea.Batch(append(cmds, m.composer.OpenQueue(), m.draftChanged())...)
}

// loaded shows what opening the session left out.
func (m *Model) loaded(e current.Loaded) tea.Cmd {
	m.chat.Prepend(e.Messages, e.Receipts)
	again := tea.Batch(m.chat.SearchOn(), m.arrive(e.Err == nil))
	if e.Err != nil && !errors.Is(e.Err, context.Canceled) {
		return tea.Batch(m.notice.Error(theme.Sentence(e.Err)), m.draftChanged(), again)
	}
	return tea.Batch(m.draftChanged(), m.current.Learn(), again, rereadOpen(m))
}

// arrive puts the transcript's cursor on the message that the session was opened for, as soon as that is
// read, and marks what was looked for where the transcript's own search finds it there. Once the session is read
// whole and does not have the message, it is on a branch of another window's.
func (m *Model) arrive(whole bool) tea.Cmd {
	at := m.current.At
	switch {
	case at.Message == 0:
		return nil
	case m.chat.GoTo(at.Message):
		m.current.At = current.Arrival{}
		m.setFocus(transcriptPane)
		m.notice.Hush() // it said that this is on its way
		if !m.chat.Finds(at.Message, at.Text) {
			return nil
		}
		return m.search(at.Text)
	case !whole:
		return nil
	}
	m.current.At = current.Arrival{}
	return m.notice.Error("The message is not on the branch that is open in another window.")
}

// fork copies the branch up to a message, 0 for the last, into a session of its own, and opens that.
func (m *Model) fork(message int64) tea.Cmd {
	if last, ok := m.chat.Last(); ok && message == 0 {
		message = last.ID
	}
	switch {
	case message == 0:
		return m.notice.Error("There are no messages yet, so there is nothing to fork.")
	case m.Session.Temporary():
		return m.notice.Error("This chat is not saved, so it cannot be forked: “Save this chat” in the commands " +
			"comes first.")
	}
	title, number := m.current.Title(), m.chat.NumberOf(message)
	return m.leaveFor(func(o *current.Model) tea.Cmd { return o.Fork(message, title, number) })
}

// listForks lists the chat that this one was forked from, and its forks, to open one of them.
func (m *Model) listForks(string) tea.Cmd { return m.current.Kin(m.forksListed) }

// forksListed shows the chats that belong to the one on the screen by a fork. A parent in the trash is none.
func (m *Model) forksListed(kin session.Kin) tea.Cmd {
	var choices []list.Item
	add := func(s store.Session, sign, group string, at int64) {
		title, right := cmp.Or(m.Secrets.Line(s.Title), "untitled"), theme.Plural(s.Turns, "turn")
		if _, here := m.chat.Messages.Find(at); here {
			right = "at message " + m.chat.NumberOf(at) + " · " + right
		}
		choices = append(choices, list.Item{
			Label: sign + " " + markdown.OneLine(title, 60), Right: right, Group: group, Value: s.ID,
		})
	}
	if kin.Parent.ID != "" && kin.Parent.Deleted.IsZero() {
		add(kin.Parent, "←", "Forked from", 0)
	}
	for _, f := range kin.Forks {
		add(f, theme.ForkMark, "Forks", f.ForkedAt)
	}
	if len(choices) == 0 {
		return m.notice.Say("There is no parent or fork of this chat to open; " + m.Keys.First(keymap.Fork) +
			" forks it at a message.")
	}
	m.pick(list.Options{Title: "forks", Does: "open"}, choices, func(id string) tea.Cmd {
		at := current.Arrival{}
		if id == kin.Parent.ID {
			at.Message = m.Info.ForkedAt
		}
		return m.openStored(id, at)
	}, nil)
	return nil
}

// settled ends a setting: what it changed is shown and planned anew.
func (m *Model) settled(sentence string, err error) tea.Cmd {
	var reach tea.Cmd
	changed := m.Session.Model().Ref() != m.Ref
	if changed {
		reach = m.current.Reach()
		m.notice.Resolve(notice.Unreachable)
	}
	if m.Session.Ready() == nil {
		m.notice.Resolve(notice.OtherAddress)
	}
	m.current.Refresh()
	switch {
	case err != nil:
		return tea.Batch(m.notice.Error(theme.Sentence(err)), reach)
	case sentence == "":
		return tea.Batch(m.draftChanged(), reach)
	}
	return tea.Batch(m.notice.Say(sentence), m.draftChanged(), reach)
}
