package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/theme"
)

// lastWhole is the newest request in which the model saw a message whole.
type lastWhole struct {
	turn  int
	never bool
}

// wholeMsg says when the model saw a message whole for the last time.
type wholeMsg struct {
	session *session.Session
	message int64
	last    lastWhole
	err     error
}

// askWhole asks when the model saw the message of the user's hit whole, where it does not see the hit
// now. One question is asked at a time: what the user has left meanwhile needs no answer.
func (m *Model) askWhole() tea.Cmd {
	f := &m.find
	x, ok := f.hit()
	if !ok || f.asking || x.message >= len(m.chat.messages) {
		return nil
	}
	id := m.chat.messages[x.message].ID
	if s, _ := m.chat.sees(x); s != cutAway && s != leftOut {
		return nil
	}
	if _, known := f.whole[id]; known {
		return nil
	}
	f.asking = true
	s := m.session
	return m.behind(func(ctx context.Context) tea.Msg {
		seen, err := s.LastWhole(ctx, id)
		at, ok := seen[id]
		return wholeMsg{s, id, lastWhole{at.Turn, !ok}, err}
	})
}

// wholeKnown takes the answer, and asks again where the user has gone on.
func (m *Model) wholeKnown(msg wholeMsg) tea.Cmd {
	f := &m.find
	if msg.session != m.session {
		return nil
	}
	f.asking = false
	if msg.err != nil {
		if errors.Is(msg.err, context.Canceled) {
			return nil
		}
		return m.complain(theme.Sentence(msg.err))
	}
	if f.whole == nil {
		f.whole = map[int64]lastWhole{}
	}
	f.whole[msg.message] = msg.last
	return m.askWhole()
}
