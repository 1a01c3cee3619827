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

// written returns what a command writes to the terminal. Commands that wait are ignored.
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

func TestAUserWhoLooksElsewhereIsNotified(t *testing.T) {
	for _, c := range []struct {
		name  string
		away  bool
		took  time.Duration
		event session.Event
		want  string
	}{
		{"an answer", true, 12 * time.Second, session.Finished{}, "has a new answer"},
		{"a failure", true, 12 * time.Second, session.Finished{Err: errors.New("no")}, "failed"},
		{"a quick answer", true, 2 * time.Second, session.Finished{}, ""},
		{"an answer before the user's eyes", false, 12 * time.Second, session.Finished{}, ""},
		{"a question", true, 0, session.ApprovalNeeded{}, "waits for your answer"},
		{"a question before the user's eyes", false, 0, session.ApprovalNeeded{}, ""},
	} {
		m := asking(t, 80, 24)
		if c.away {
			m.Update(tea.BlurMsg{})
		}
		tell(m, 0, session.Delta{Text: "a"})
		_, cmd := m.Update(turn.EventsMsg{
			Turn: m.Turn.Number, Events: []session.Event{c.event}, At: begun.Add(c.took),
		})
		if got := written(cmd); !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s: %q is written, want %q", c.name, got, c.want)
		}
	}
	if !fresh(t, 80, 24).View().ReportFocus {
		t.Error("the terminal is not asked to report its focus")
	}
}
