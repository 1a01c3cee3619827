package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/turn"
)

// written is what a command writes to the terminal beside the screen. Commands that wait are left alone.
func written(cmd tea.Cmd) string {
	if cmd == nil {
		return ""
	}
	done := make(chan tea.Msg, 1)
	go func() { done <- cmd() }()
	var msg tea.Msg
	select {
	case msg = <-done:
	case <-time.After(20 * time.Millisecond):
		return ""
	}
	if r, ok := msg.(tea.RawMsg); ok {
		return fmt.Sprint(r.Msg)
	}
	text := ""
	if list, ok := commandsOf(msg); ok {
		for _, c := range list {
			text += written(c)
		}
	}
	return text
}

func TestAnAnswerCallsAUserWhoLooksElsewhere(t *testing.T) {
	for _, c := range []struct {
		name string
		away bool
		took time.Duration
		err  error
		want string
	}{
		{"away", true, 12 * time.Second, nil, "has a new answer"},
		{"away, and it failed", true, 12 * time.Second, errors.New("no"), "failed"},
		{"away for a moment", true, 2 * time.Second, nil, ""},
		{"here", false, 12 * time.Second, nil, ""},
	} {
		m := asking(t, 80, 24)
		if c.away {
			m.Update(tea.BlurMsg{})
		}
		tell(m, 0, session.Delta{Text: "a"})
		_, cmd := m.Update(turn.EventsMsg{
			Turn: m.Turn.Number, Events: []session.Event{session.Finished{Err: c.err}}, At: begun.Add(c.took),
		})
		if got := written(cmd); !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s: %q is written, want %q", c.name, got, c.want)
		}
	}
	if !fresh(t, 80, 24).View().ReportFocus {
		t.Error("the terminal is not asked to report its focus")
	}
}

func TestAQuestionCallsAUserWhoLooksElsewhere(t *testing.T) {
	for _, away := range []bool{true, false} {
		m := asking(t, 80, 24)
		if away {
			m.Update(tea.BlurMsg{})
		}
		_, cmd := m.Update(turn.EventsMsg{Turn: m.Turn.Number, Events: []session.Event{session.ApprovalNeeded{}}, At: begun})
		if got := written(cmd); strings.Contains(got, "waits for your answer") != away {
			t.Errorf("%q is written about a question, where the user is away: %t", got, away)
		}
	}
}
