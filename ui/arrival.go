package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/transcript"
)

// arrival is where a session that is opened is gone to, zero for its end.
type arrival struct {
	message int64
	text    string // what is marked there, "" for nothing
}

// switchTo makes the branch through a message the active one, unless another window has the session.
func switchTo(ctx context.Context, s *session.Session, message int64) error {
	elsewhere, err := s.Lease(ctx)
	if err == nil && !elsewhere {
		err = s.Switch(ctx, message)
	}
	if err != nil {
		s.Leave()
	}
	return err
}

// arrive puts the transcript's cursor on the message that the session was opened for, as soon as that is
// read. Once the session is read whole and does not have it, it is on a branch of another window's.
func (m *Model) arrive(whole bool) tea.Cmd {
	a := m.arrival
	switch {
	case a.message == 0:
		return nil
	case m.chat.GoTo(a.message):
		m.arrival = arrival{}
		m.setFocus(transcriptPane)
		return m.markFound(a)
	case !whole:
		return nil
	}
	m.arrival = arrival{}
	return m.complain("The message is on another branch than the one that is open in another window.")
}

// markFound marks what was looked for in the message under the cursor, where the transcript's own search
// finds it there.
func (m *Model) markFound(a arrival) tea.Cmd {
	m.toast.text = "" // it said that this is on its way
	at, needle := m.chat.Place[a.message], transcript.NewNeedle(a.text)
	if needle.Empty() || len(transcript.FindIn(context.Background(), m.chat.Messages[at:at+1], needle)) == 0 {
		return nil
	}
	return m.search(a.text)
}
