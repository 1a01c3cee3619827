package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/theme"
)

// spinTime is one step of the spinner.
const spinTime = 100 * time.Millisecond

// tick moves the clocks, as long as the turn runs.
func (m *Model) tick(msg tickMsg) tea.Cmd {
	if msg.turn != m.turn.number || !m.turn.busy {
		return nil
	}
	m.turn.clock(msg.at)
	m.turn.spin++
	number := msg.turn
	return tea.Tick(spinTime, func(t time.Time) tea.Msg { return tickMsg{number, t} })
}

// activity is what the turn does now, for the frame of the composer.
func (m *Model) activity() string {
	t := &m.turn
	if !t.busy {
		return ""
	}
	frames := []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	text := frames[t.spin%len(frames)] + " "
	switch {
	case t.stopping:
		text += "stopping"
	case t.question.waits():
		text += "waits for your answer"
	case t.retry != "":
		text += "tries again in " + theme.Duration(max(0, t.until.Sub(t.now)).Truncate(time.Second))
	case t.tool != "":
		text += "calls " + t.tool
	case t.writing:
		text += "answers"
	default:
		text += "asking"
	}
	if !t.began.IsZero() {
		text += " · " + theme.Duration(t.now.Sub(t.began))
	}
	return text
}
