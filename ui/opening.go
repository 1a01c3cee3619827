package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/current"
	"winnow/ui/keymap"
	"winnow/ui/list"
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
		return m.notice.Error("This chat is not saved, so it cannot be forked: “Save this chat” in the commands comes first.")
	}
	title, number := m.current.Title(), m.chat.NumberOf(message)
	return m.leaveFor(func(o *current.Model) tea.Cmd { return o.Fork(message, title, number) })
}

// followTrail goes where the session was forked from or to a fork of it: to those that part at the message
// under the cursor, else to any. Of several the user chooses one.
func (m *Model) followTrail(string) tea.Cmd {
	message, _ := m.chat.Selected()
	known := m.current.Forks
	open := func(id string) tea.Cmd {
		if id != "" {
			return m.openStored(id, current.Arrival{})
		}
		parent, fault := known.Parent()
		if fault != "" {
			return m.notice.Error(fault)
		}
		return m.openStored(parent.ID, current.Arrival{Message: m.Info.ForkedAt})
	}
	origin, forks := known.At(message.ID)
	switch {
	case !origin && len(forks) == 0:
		return m.notice.Say("This chat is not a fork and has no forks; " + m.Keys.First(keymap.Fork) +
			" forks it at this message.")
	case origin && len(forks) == 0:
		return open("")
	case !origin && len(forks) == 1:
		return open(forks[0].ID)
	}
	var choices []list.Item
	if origin {
		parent, _ := known.Parent()
		choices = append(choices, list.Item{Label: "← forked from " + known.Title(parent), Value: ""})
	}
	for _, f := range forks {
		right := theme.Plural(f.Turns, "turn")
		if _, here := m.chat.Messages.Find(f.ForkedAt); here {
			right = "at message " + m.chat.NumberOf(f.ForkedAt) + " · " + right
		}
		choices = append(choices, list.Item{
			Label: theme.ForkMark + " " + known.Title(f), Right: right, Value: f.ID,
		})
	}
	m.pick(list.Options{Title: "forks", Does: "open"}, choices, open, nil)
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
