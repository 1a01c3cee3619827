package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/notice/bell"
)

// callEnded calls a user who is not looking when the last answer on the screen is there, or has failed.
func callEnded(m *Model, err error) tea.Cmd {
	text := "winnow: " + named(m, m.current.Session) + " has a new answer"
	if err != nil {
		text = "winnow: the answer of " + named(m, m.current.Session) + " failed"
	}
	return m.notice.Bell.Call(text, m.turn.Took())
}

// callAsked calls a user who is not looking about a question of the turn on the screen.
func callAsked(m *Model) tea.Cmd {
	if !m.turn.Busy {
		return nil
	}
	return m.notice.Bell.CallLater("winnow: "+named(m, m.current.Session)+" waits for your answer",
		m.turn.Number, m.turn.Took())
}

// callDue calls about a question that waits for its answer still.
func callDue(m *Model, msg bell.DueMsg) tea.Cmd {
	asks := m.turn.Number == msg.Turn && m.question.Waits()
	if asks || m.current.Background.Turn(msg.Turn).Asks() {
		return m.notice.Bell.Call(msg.Text, bell.Worth)
	}
	return nil
}
