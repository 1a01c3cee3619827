package bell

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

func TestTheUserIsCalledOnlyWhenNotLooking(t *testing.T) {
	long, short := MinWait, MinWait-time.Millisecond
	for _, c := range []struct {
		name  string
		mode  Mode
		env   string
		focus []bool
		took  time.Duration
		want  string
	}{
		{"no focus", Auto, "", []bool{false}, long, "\a\x1b]9;done\x07"},
		{"the mode is not named", "", "", []bool{false}, long, "\a\x1b]9;done\x07"},
		{"in tmux", Auto, "TMUX", []bool{false}, long, "\a\x1bPtmux;\x1b\x1b]9;done\x07\x1b\\"},
		{"in screen", Auto, "STY", []bool{false}, long, "\a"},
		{"bell", Bell, "", []bool{false}, long, "\a"},
		{"off", Off, "", []bool{false}, long, ""},
		{"a quick answer", Auto, "", []bool{false}, short, ""},
		{"focus", Auto, "", []bool{false, true}, long, ""},
		{"a terminal that does not report its focus", Auto, "", nil, long, ""},
	} {
		m := Model{Mode: c.mode}
		m.SetEnvironment(func(name string) string {
			if name == c.env {
				return "1"
			}
			return ""
		})
		for _, has := range c.focus {
			m.SetFocus(has)
		}
		got := ""
		if cmd := m.Call("done", c.took); cmd != nil {
			got = raw(cmd())
		}
		if got != c.want {
			t.Errorf("%s: %q is written, want %q", c.name, got, c.want)
		}
	}
}

func raw(msg tea.Msg) string {
	if r, ok := msg.(tea.RawMsg); ok {
		return fmt.Sprint(r.Msg)
	}
	return fmt.Sprintf("%T", msg)
}

// What others wrote, such as a title, must not end the notification and begin another sequence.
func TestANotificationHoldsNoControlCharacters(t *testing.T) {
	m := Model{}
	m.SetFocus(false)
	got := raw(m.Call("a\x07b\x1b]0;owned\x1b\\"+strings.Repeat("x", 500), MinWait)())
	inner := strings.TrimSuffix(strings.TrimPrefix(got, "\a\x1b]9;"), "\x07")
	if strings.ContainsAny(inner, "\x07\x1b") || len(inner) > 200 {
		t.Errorf("%q is written", got)
	}
}
