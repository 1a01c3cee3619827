package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/app"
	"winnow/ui/conversation"
	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/theme"
)

// leaveFor opens another session in place of the one on the screen. It refuses, with a sentence, if a temporary chat
// would be lost or an arriving answer cannot continue in the background.
func (m *Model) leaveFor(o conversation.Opening) tea.Cmd {
	if stays := m.cannotLeave(); stays != nil {
		return stays
	}
	if warning := m.warnBeforeLeaving(false); warning != nil {
		return warning
	}
	m.clearOverlays()
	m.setFocus(draftPane)
	o.LeavesDraft = true
	return m.enter(o)
}

// openStored opens a stored session, or one in the background, at one of its messages.
func (m *Model) openStored(id string, at conversation.Destination) tea.Cmd {
	if c := m.background.ByID(id); c != nil {
		return m.leaveFor(c.OpenBackground(at))
	}
	return m.leaveFor(m.OpenStored(id, at))
}

// enter opens a session and shows it, unless another one is asked for before it is open.
func (m *Model) enter(o conversation.Opening) tea.Cmd {
	m.opening++
	m.entering = true
	number := m.opening
	return m.Run(func(ctx context.Context) tea.Msg {
		s, err := o.Open(ctx)
		return app.Then(func() tea.Cmd {
			if number != m.opening {
				return m.drop(s)
			}
			m.entering = false
			if err != nil {
				return tea.Batch(m.ReportError(err), m.draftChanged(), m.replay())
			}
			return tea.Batch(m.opened(s, o), m.replay())
		})
	})
}

// drop leaves a session that was opened but is not shown. One in the background stays there.
func (m *Model) drop(s *session.Session) tea.Cmd {
	if m.background.BySession(s) != nil {
		return nil
	}
	return conversation.Leave(s)
}

// holdKey keeps a key or a paste for the session that is being opened, and reports whether it did. It never keeps
// ctrl+c.
func (m *Model) holdKey(msg tea.Msg) bool {
	key, pressed := msg.(tea.KeyPressMsg)
	_, pasted := msg.(tea.PasteMsg)
	if !m.entering || !pasted && (!pressed || m.Keys.Pressed(key, keymap.Stop)) {
		return false
	}
	m.held = append(m.held, msg)
	return true
}

// replay handles the keys that were held while a session was opened.
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

// opened shows a session that was opened. If an answer is arriving in the previous one, it continues in the background.
func (m *Model) opened(s *session.Session, o conversation.Opening) tea.Cmd {
	if stays := m.cannotLeave(); stays != nil {
		return tea.Batch(stays, m.drop(s))
	}
	var keep, left tea.Cmd
	if o.LeavesDraft {
		keep = m.composer.LeaveSession()
	}
	if m.Turn.Busy {
		m.background.Add(m.shown)
	} else {
		left = conversation.Leave(m.Session)
	}
	next, outcome := m.background.Remove(s)
	back := next != nil
	if !back {
		next = conversation.New(m.Shared, s, conversationScreen(m))
	}
	m.clearOverlays()
	m.show(next)
	m.setFocus(draftPane)
	m.Destination = o.Destination
	cmds := []tea.Cmd{
		m.goToDestination(false), m.notice.Say(o.Notice), keep, left, m.Start(), m.composer.LoadDraft(),
		m.upkeep.UpdateIndex(),
	}
	if back {
		cmds = append(cmds, m.Turn.Tick(), m.Question.AwaitQuiet(m.Turn.Number, m.confirm.keys))
	} else {
		cmds = append(cmds, m.openQueue(), m.draftChanged())
	}
	switch {
	case outcome.Failure != nil:
		m.Chat.ShowFailure(*outcome.Failure)
	case outcome.Err != nil:
		m.notice.ShowAlert(notice.Alert{
			Text: theme.Sentence(outcome.Err),
		})
	case outcome.State != "":
		cmds = append(cmds, m.settings.AutoTitle()) // no title is asked for in the background
	}
	return tea.Batch(cmds...)
}

// openQueue loads the queue that was stored with the session.
func (m *Model) openQueue() tea.Cmd {
	c := m.shown
	c.Waiting.SendNext = func() tea.Cmd { return m.sendNext(c) }
	return c.Waiting.Load()
}

// loaded is called when the older messages of the session are loaded, or with why they are not.
func (m *Model) loaded(err error) tea.Cmd {
	again := tea.Batch(m.Chat.RunSearch(), m.goToDestination(err == nil))
	if err != nil && !errors.Is(err, context.Canceled) {
		return tea.Batch(m.ReportError(err), m.draftChanged(), again)
	}
	return tea.Batch(m.draftChanged(), m.LoadDetails(), again, m.RereadIfStale())
}

// leased is called with the result of taking a session's lease. byOther reports that another window has it.
func (m *Model) leased(c *conversation.Model, byOther bool, err error) tea.Cmd {
	switch {
	case c != m.shown:
		return m.drop(c.Session) // another session was opened meanwhile
	case err != nil:
		return m.ReportError(err)
	}
	if m.ReadOnly = byOther; byOther {
		m.endQuestion()
		m.composer.DropStoredDraft()
		m.arrange()
	}
	return nil
}

// goToDestination puts the transcript's cursor on the message that the session was opened at, once that is loaded, and
// marks the searched text there. If the session is loaded whole without the message, another window has switched to a
// branch that does not have it.
func (m *Model) goToDestination(whole bool) tea.Cmd {
	at := m.Destination
	switch {
	case at.Message == 0:
		return nil
	case m.Chat.GoTo(at.Message):
		m.Destination = conversation.Destination{}
		m.setFocus(transcriptPane)
		m.notice.ClearSentence() // it said that the chat is being opened
		if !m.Chat.Matches(at.Message, at.Text) {
			return nil
		}
		return m.search(at.Text)
	case !whole:
		return nil
	}
	m.Destination = conversation.Destination{}
	return m.notice.Error("The message is not on the branch that is open in another window.")
}

// fork copies the branch up to a message, 0 for the last one, into a new session, and opens that.
func (m *Model) fork(message int64) tea.Cmd {
	if last, ok := m.Chat.LastMessage(); ok && message == 0 {
		message = last.ID
	}
	switch {
	case message == 0:
		return m.notice.Error("There are no messages yet, so there is nothing to fork.")
	case m.Session.Temporary():
		return m.notice.Error("This chat is not saved, so it cannot be forked: “Save this chat” in the commands " +
			"comes first.")
	}
	return m.leaveFor(m.OpenFork(message, m.Chat.MessageNumber(message)))
}

// saveTemporary stores a temporary session, and opens the stored one.
func (m *Model) saveTemporary() tea.Cmd {
	switch {
	case !m.Session.Temporary():
		return m.notice.Say("This chat is already saved.")
	case m.Chat.Messages.Len() == 0:
		return m.notice.Error("There is nothing to save yet.")
	case m.Busy:
		return m.explainNeed(keymap.NeedIdle)
	}
	return m.enter(m.OpenSaved())
}

// settingsChanged ends a change of settings: it shows the sentence, or err, and plans the next request again.
func (m *Model) settingsChanged(sentence string, err error) tea.Cmd {
	var reach tea.Cmd
	changed := m.Session.Model().Ref() != m.Ref
	if changed {
		reach = m.Reach()
		m.notice.Resolve(notice.ModelUnreachable)
	}
	if m.Session.Ready() == nil {
		m.notice.Resolve(notice.AddressChanged)
	}
	m.Refresh()
	if err != nil {
		return tea.Batch(m.ReportError(err), reach)
	}
	return tea.Batch(m.notice.Say(sentence), m.draftChanged(), reach)
}
