package ui

import (
	"slices"
	"testing"

	"winnow/ui/uitest"
)

func TestEveryPressGoesOneRequestFurther(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	for _, q := range []string{"The first question.", "The second question.", "The third question.", "The fourth question."} {
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

func TestOneRequestIsReadAtATime(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	l.say("The first question.")
	l.say("The second question.")
	l.press("tab", "tab")
	_, reads := l.Update(uitest.Key("left"))
	for range 50 {
		if _, cmd := l.Update(uitest.Key("left")); cmd != nil {
			t.Fatal("a key that is held down reads another request while one is being read")
		}
	}
	l.run(reads)
	l.shows("Turn 1 ·")
}

func TestAnotherWishEndsTheSteps(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	for _, q := range []string{"The first question.", "The second question.", "The third question."} {
		l.say(q)
	}
	l.press("tab")
	l.press("G", "tab", "left", "left", "shift+tab", "c")
	l.until("the request behind the answer", func() bool { return l.panel.Past != nil })
	if l.panel.Reading() {
		t.Error("steps that were asked for before go on after another request was asked for")
	}
	l.shows("Turn 3 ·")
}
