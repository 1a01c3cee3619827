package ui

import (
	"strings"
	"testing"
)

// TestWhatTheListAsksShowsItsKeys asks while the last thing that was done is still being told.
func TestWhatTheListAsksShowsItsKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		press []string
		keys  string
	}{
		{"a title", []string{"ctrl+p", "ctrl+e"}, "enter save the title"},
		{"tags", []string{"ctrl+p", "ctrl+t"}, "enter save the tags"},
		{"for good", []string{"ctrl+d", "shift+tab", "shift+tab", "enter", "ctrl+d"}, "y delete permanently"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := onStage(t, 80, 24)
			l.keep("parser")
			l.press("ctrl+s")
			l.lists("parser")
			for _, key := range c.press {
				l.press(key)
				l.until("its act", func() bool { return l.settled() })
			}
			if screen := plain(l.Model); !strings.Contains(screen, c.keys) {
				t.Errorf("%q is not on the screen:\n%s", c.keys, screen)
			}
		})
	}
}
