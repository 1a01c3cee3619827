package ui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// startEdit loads a message of the user into the draft. Sending it creates another version of the message; the original
// and everything after it are kept.
func (m *Model) startEdit(id int64) tea.Cmd {
	if why := m.whyNot(keymap.Edit); why != nil {
		return why
	}
	message, ok := m.Chat.Message(id)
	if !ok {
		return m.notice.Error("There is no message of yours to edit here.")
	}
	switch {
	case message.Role != history.User:
		return m.notice.Error(theme.UpperFirst(m.Chat.MessagesLabel(id)) + " is not yours and cannot be edited; " +
			m.Keys.First(keymap.Again) + " asks for another answer.")
	case message.Damaged:
		return m.notice.Error("This message cannot be read, so it cannot be edited.")
	}
	m.Panel.ShowNext()
	m.composer.EditMessage(id, message.Content, message.Parts)
	m.Chat.GoTo(id)
	m.setFocus(draftPane)
	return nil
}

// versionSwitched says which version of a message is shown, and ends an edit of the other branch.
func (m *Model) versionSwitched(v session.Version) tea.Cmd {
	m.composer.EndEdit()
	said := fmt.Sprintf("%s: version %d of %d.", theme.UpperFirst(m.Chat.MessagesLabel(v.Message)), v.Nth, v.Of)
	return tea.Batch(m.notice.Say(said), m.draftChanged(), m.Chat.RunSearch())
}

// askAgain asks for another answer in the turn of a message, or in the last turn for the zero message. If ref is not
// empty, that model answers, in this turn only.
func (m *Model) askAgain(message store.Message, ref string) tea.Cmd {
	if message.ID == 0 {
		last, ok := m.Chat.LastMessage()
		if !ok {
			return m.notice.Error("There is no message to answer yet.")
		}
		message = last
	}
	at, _ := m.Chat.Messages.Find(message.ID)
	for at >= 0 && m.Chat.Messages.Role(at) != history.User {
		at--
	}
	if why := m.whyNot(keymap.Again); why != nil {
		return why
	}
	if at < 0 {
		return m.notice.Error("None of your messages comes before this one, so there is nothing to answer.")
	}
	s, behind := m.Session, m.Chat.Messages.Len()-at-1
	m.composer.EndEdit()
	m.Chat.SetBranch(m.Chat.Messages.First(at + 1))
	turn := m.begin(nil, func(ctx context.Context) <-chan session.Event { return s.Regenerate(ctx, message.ID, ref) })
	m.Turn.Regenerating = true
	if ref != "" {
		m.Chat.AnsweringModel = transcript.ModelName(ref)
	}
	if behind < 2 {
		return turn
	}
	return tea.Batch(turn, m.notice.Say("The rest is kept: on the new answer, "+m.Keys.First(keymap.Earlier)+
		" goes back to it."))
}
