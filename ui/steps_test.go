package ui

import (
	"slices"
	"testing"
)

func TestEveryPressGoesOneRequestFurther(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	for _, q := range []string{
		"The first question.", "The second question.", "The third question.",
		"The fourth question.",
	} {
		l.say(q)
	}
	l.press("tab", "tab")
	for _, c := range []struct {
		keys []string
		at   string
	}{
		{[]string{"left", "left", "left"}, "Turn 2 ·"},
		{[]string{"right", "right", "left"}, "Turn 3 ·"},
		{[]string{"right", "left", "left", "left"}, "Turn 1 ·"},
		{slices.Repeat([]string{"right"}, 9), "Next request"},
		{slices.Repeat([]string{"left"}, 9), "Turn 1 ·"},
		{[]string{"left", "right", "right"}, "Turn 3 ·"},
		{[]string{"left", "esc"}, "Next request"},
	} {
		l.press(c.keys...)
		l.shows(c.at)
		if l.panel.Reading() {
			t.Errorf("after %v: another request is still being read", c.keys)
		}
	}
}
