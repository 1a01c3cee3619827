package ui

import "testing"

func TestHalfAPageIsHalfOfAPageInEveryList(t *testing.T) {
	l := damaged(t, 80, 24)
	for _, c := range []struct {
		name string
		open []string
		at   func() int
	}{
		{"the panel", []string{"ctrl+x"}, func() int { return l.panel.At }},
		{"the dials", []string{"ctrl+x", "w"}, func() int { return l.panel.At }},
	} {
		l.press(c.open...)
		l.View() // A page is what was drawn.
		moved := map[string]int{}
		for _, key := range []string{"pgdown", "ctrl+d"} {
			l.press("g")
			first := c.at()
			l.press(key)
			moved[key] = c.at() - first
		}
		l.press("esc", "esc")
		if page := moved["pgdown"]; page < 2 || moved["ctrl+d"] != page/2 {
			t.Errorf("in %s a page is %d lines and half a page %d", c.name, page, moved["ctrl+d"])
		}
	}
}
