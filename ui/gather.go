package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
)

// joinTime is how long the pieces of an answer are joined before they change the screen: 30 times a
// second is as often as anybody reads.
const joinTime = 33 * time.Millisecond

// gather waits for the next events of a turn. The pieces of an answer that come within joinTime are
// one; anything else ends the waiting.
func gather(number int, from <-chan session.Event) tea.Msg {
	msg := turnMsg{turn: number, from: from}
	var text, reasoning strings.Builder
	end := func(last ...session.Event) tea.Msg {
		if text.Len()+reasoning.Len() > 0 {
			msg.events = append(msg.events, session.Delta{Text: text.String(), Reasoning: reasoning.String()})
		}
		msg.events = append(msg.events, last...)
		msg.at = time.Now()
		return msg
	}
	var due <-chan time.Time // nil until the first piece came
	for {
		select {
		case <-due:
			return end()
		case e, ok := <-from:
			if !ok {
				msg.over = true
				return end()
			}
			d, piece := e.(session.Delta)
			if !piece {
				return end(e)
			}
			text.WriteString(d.Text)
			reasoning.WriteString(d.Reasoning)
			if due == nil {
				due = time.After(joinTime)
			}
		}
	}
}
