package ui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// pastLoadedMsg says that a session knows what its records tell.
type pastLoadedMsg struct {
	session *session.Session
	err     error
}

// loadPast reads what the records of an opened session tell about its next request.
func (m *Model) loadPast(s *session.Session) tea.Cmd {
	return m.behind(func(ctx context.Context) tea.Msg {
		return pastLoadedMsg{s, s.LoadPast(ctx)}
	})
}

func (m *Model) pastLoaded(msg pastLoadedMsg) tea.Cmd {
	switch {
	case msg.session != m.session:
		return nil
	case msg.err != nil:
		return m.complain(theme.Sentence(msg.err))
	}
	return m.draftChanged()
}

// announce says once, as a request leaves, which messages the model does not get any more, and the
// cures.
func (m *Model) announce() tea.Cmd {
	gone := m.panel.Outlook.Gone
	if gone.Of == 0 {
		return nil
	}
	return m.say(fmt.Sprintf("From now on the model does not see %s. %s pins a message, /budget raises the limit.",
		gone.String(), m.keys.First(keymap.Pin)))
}
