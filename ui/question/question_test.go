package question

import (
	"testing"

	"winnow/history"
	"winnow/session"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

var asked = session.Question{
	Call:      history.ToolCall{Name: "shell", Arguments: `{"command":"rm -r build"}`},
	Arguments: history.Arguments{Object: `{"command":"rm -r build"}`},
}

func TestTheSafeAnswerIsTheFirst(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want Event
	}{
		{[]string{"enter"}, decided(false)},
		{[]string{"down", "enter"}, decided(true)},
		{[]string{"down", "up", "enter"}, decided(false)},
		{[]string{"y"}, decided(true)},
		{[]string{"n"}, decided(false)},
		{[]string{"esc"}, Stopped{}},
		{[]string{"x"}, Other{}},
	} {
		q := Of(session.Asked{Question: asked})
		var got Event
		for _, key := range c.keys {
			q, got = q.Update(keymap.Default(), uitest.Key(key))
		}
		if got != c.want {
			t.Errorf("%v: got %#v, want %#v", c.keys, got, c.want)
		}
	}
}

func TestAPendingCallCanWait(t *testing.T) {
	q := OfPending(session.PendingCall{Message: 2, Question: asked})
	if _, got := q.Update(keymap.Default(), uitest.Key("esc")); got != (Later{}) {
		t.Errorf("esc: got %#v, want it later", got)
	}
}

func TestScreens(t *testing.T) {
	st := theme.New(theme.None, theme.Palette{})
	moved, _ := Of(session.Asked{Question: asked}).Update(keymap.Default(), uitest.Key("down"))
	var screens uitest.Screens
	screens.Add("the draft has the focus", moved.View(st, keymap.Default(), 60, 6, false))
	screens.Add("it has the focus", moved.View(st, keymap.Default(), 60, 6, true))
	screens.Add("narrow and low", moved.View(st, keymap.Default(), 44, 2, true))
	screens.Golden(t)
}
