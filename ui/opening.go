package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/conversation"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/notice"
	"winnow/ui/theme"
)

// leaveFor leaves the conversation on the screen for another one, unless a temporary chat would be gone or an answer
// arrives that cannot go on in the background.
func (m *Model) leaveFor(o conversation.Opening) tea.Cmd {
	if stays := m.stays(); stays != nil {
		return stays
	}
	if warning := m.warns(false); warning != nil {
		return warning
	}
	m.bare()
	m.setFocus(draftPane)
	o.Leaves = true
	return m.enter(o)
}

// openStored opens a stored session at one of its messages.
func (m *Model) openStored(id string, at conversation.Arrival) tea.Cmd {
	if c := m.background.Find(id); c != nil {
		return m.leaveFor(c.Back(at))
	}
	return m.leaveFor(m.Stored(id, at))
}

// enter opens a session and puts it on the screen, unless another one is asked for until it is there.
func (m *Model) enter(o conversation.Opening) tea.Cmd {
	m.opening++
	m.entering = true
	number := m.opening
	return m.Run(func(ctx context.Context) tea.Msg {
		s, err := o.Open(ctx)
		return app.Then(func() tea.Cmd {
			switch {
			case number != m.opening && m.background.Of(s) != nil:
				return nil // it stays where it is
			case number != m.opening:
				return conversation.Leave(s)
			}
			m.entering = false
			if err != nil {
				return tea.Batch(m.Failed(err), m.draftChanged(), m.replay())
			}
			return tea.Batch(m.opened(s, o), m.replay())
		})
	})
}

// holds keeps a key or a paste for the session that is being opened. The key that stops and quits does so at once.
func (m *Model) holds(msg tea.Msg) bool {
	key, pressed := msg.(tea.KeyPressMsg)
	_, pasted := msg.(tea.PasteMsg)
	if !m.entering || !pasted && (!pressed || m.Keys.Pressed(key, keymap.Stop)) {
		return false
	}
	m.held = append(m.held, msg)
	return true
}

// replay gives the keys that came while a session was opened to the one that is on the screen now.
func (m *Model) replay() tea.Cmd {
	held := m.held
	m.held = nil
	var cmds []tea.Cmd
	for _, msg := range held {
		_, cmd := m.Update(msg)
		cmds = append(cmds, cmd)
	}
	return tea.Batch(cmds...)
}

// opened shows a session that was asked for. An answer that arrives in the one before goes on in the background.
func (m *Model) opened(s *session.Session, o conversation.Opening) tea.Cmd {
	if stays := m.stays(); stays != nil {
		return stays
	}
	var keep, left tea.Cmd
	if o.Leaves {
		keep = m.composer.Leave()
	}
	if m.Turn.Busy {
		m.background.Put(m.shown)
	} else {
		left = conversation.Leave(m.Session)
	}
	next, outcome := m.background.Take(s)
	back := next != nil
	if !back {
		next = conversation.New(m.Shared, s, conversationScreen(m))
	}
	m.bare()
	m.show(next)
	m.setFocus(draftPane)
	m.At = o.At
	cmds := []tea.Cmd{
		m.arrive(false), m.notice.Say(o.Notice), keep, left, m.Start(), m.composer.Load(), m.upkeep.Index(),
	}
	if back {
		cmds = append(cmds, m.Turn.Tick(), m.Question.Await(m.Turn.Number, m.confirm.keys))
	} else {
		cmds = append(cmds, m.openQueue(), m.draftChanged())
	}
	switch {
	case outcome.Failure != nil:
		m.Chat.TurnFailed(*outcome.Failure)
	case outcome.Err != nil:
		m.notice.Warn(notice.Alert{Text: theme.Sentence(outcome.Err)})
	case outcome.Ended:
		cmds = append(cmds, m.settings.Entitle()) // nobody wrote the title in the background
	}
	return tea.Batch(cmds...)
}

// openQueue reads what was left waiting in the session.
func (m *Model) openQueue() tea.Cmd {
	c := m.shown
	c.Waiting.Ready = func() tea.Cmd { return m.sendNext(c) }
	return c.Waiting.Load()
}

// loaded says what went wrong while the rest of a session was read, which is shown, and finds out what else there is.
func (m *Model) loaded(err error) tea.Cmd {
	again := tea.Batch(m.Chat.SearchOn(), m.arrive(err == nil))
	if err != nil && !errors.Is(err, context.Canceled) {
		return tea.Batch(m.Failed(err), m.draftChanged(), again)
	}
	return tea.Batch(m.draftChanged(), m.Learn(), again, m.CatchUp())
}

// leased takes who may write in a session.
func (m *Model) leased(c *conversation.Model, byOther bool, err error) tea.Cmd {
	switch {
	case m.background.Of(c.Session) != nil:
		return nil
	case c != m.shown:
		return conversation.Leave(c.Session) // another one was opened meanwhile
	case err != nil:
		return m.Failed(err)
	}
	if m.ReadOnly = byOther; byOther {
		m.endQuestion()
		m.composer.Yield()
		m.arrange()
	}
	return nil
}

// arrive puts the transcript's cursor on the message that the session was opened for, as soon as that is
// read, and marks what was looked for where the transcript's own search finds it there. Once the session is read
// whole and does not have the message, it is on a branch of another window's.
func (m *Model) arrive(whole bool) tea.Cmd {
	at := m.At
	switch {
	case at.Message == 0:
		return nil
	case m.Chat.GoTo(at.Message):
		m.At = conversation.Arrival{}
		m.setFocus(transcriptPane)
		m.notice.Hush() // it said that this is on its way
		if !m.Chat.Finds(at.Message, at.Text) {
			return nil
		}
		return m.search(at.Text)
	case !whole:
		return nil
	}
	m.At = conversation.Arrival{}
	return m.notice.Error("The message is not on the branch that is open in another window.")
}

// fork copies the branch up to a message, 0 for the last, into a session of its own, and opens that.
func (m *Model) fork(message int64) tea.Cmd {
	if last, ok := m.Chat.Last(); ok && message == 0 {
		message = last.ID
	}
	switch {
	case message == 0:
		return m.notice.Error("There are no messages yet, so there is nothing to fork.")
	case m.Session.Temporary():
		return m.notice.Error("This chat is not saved, so it cannot be forked: “Save this chat” in the commands " +
			"comes first.")
	}
	return m.leaveFor(m.Forked(message, m.Chat.NumberOf(message)))
}

// keep stores a temporary chat after all, and opens it.
func (m *Model) keep() tea.Cmd {
	switch {
	case !m.Session.Temporary():
		return m.notice.Say("This chat is already saved.")
	case m.Chat.Messages.Len() == 0:
		return m.notice.Error("There is nothing to save yet.")
	case m.Busy:
		return m.lacks(keymap.NeedIdle)
	}
	return m.enter(m.Kept())
}

// listForks lists the chat that this one was forked from, and its forks, to open one of them.
func (m *Model) listForks(kin []store.Session) tea.Cmd {
	items := m.KinItems(kin)
	if len(items) == 0 {
		return m.notice.Say("There is no parent or fork of this chat to open; " + m.Keys.First(keymap.Fork) +
			" forks it at a message.")
	}
	m.dialogs.List(list.New(m.Context, list.Options{Title: "forks", Does: "open"}, items...), func(id string) tea.Cmd {
		at := conversation.Arrival{}
		if id == m.Info.Parent {
			at.Message = m.Info.ForkedAt
		}
		return m.openStored(id, at)
	})
	return nil
}

// settled ends a setting: what it changed is shown and planned anew.
func (m *Model) settled(sentence string, err error) tea.Cmd {
	var reach tea.Cmd
	changed := m.Session.Model().Ref() != m.Ref
	if changed {
		reach = m.Reach()
		m.notice.Resolve(notice.Unreachable)
	}
	if m.Session.Ready() == nil {
		m.notice.Resolve(notice.OtherAddress)
	}
	m.Refresh()
	if err != nil {
		return tea.Batch(m.Failed(err), reach)
	}
	return tea.Batch(m.notice.Say(sentence), m.draftChanged(), reach)
}
