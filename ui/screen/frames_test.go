//go:build unix

package screen

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// counted counts how often its view is built, and for how many messages.
type counted struct{ views, msgs int }

func (c *counted) Init() tea.Cmd { return nil }

func (c *counted) Update(tea.Msg) (tea.Model, tea.Cmd) {
	c.msgs++
	return c, nil
}

func (c *counted) View() tea.View {
	c.views++
	return tea.NewView(fmt.Sprint(c.msgs))
}

// stopped is a program whose clock is moved by hand: over ends a frame.
func stopped() (f *frames, app *counted, over func()) {
	app = &counted{}
	f = newFrames(app, &terminal{})
	now := time.UnixMilli(1_000_000)
	f.now = func() time.Time { return now }
	return f, app, func() {
		now = now.Add(frameTime)
		if f.awaited {
			f.Update(frameMsg{})
		}
	}
}

var key = tea.KeyPressMsg{Code: 'a', Text: "a"}

// What happens first in a frame is seen at once, what follows at its end, and at rest nothing is awaited or built.
func TestAViewIsBuiltOnceAFrame(t *testing.T) {
	f, app, over := stopped()
	want := func(views int, what string) {
		t.Helper()
		if app.views != views || f.terminal.view.Content != fmt.Sprint(app.msgs) && !f.stale {
			t.Fatalf("%s: %d views and %q drawn, want %d", what, app.views, f.terminal.view.Content, views)
		}
	}
	if _, cmd := f.Update(tea.FocusMsg{}); cmd != nil {
		t.Error("a frame is awaited in which nothing is to be seen")
	}
	want(1, "a message")
	for i := range 1000 {
		if _, cmd := f.Update(tea.FocusMsg{}); (cmd != nil) != (i == 0) {
			t.Errorf("message %d of a frame awaits its end: %v", i, cmd != nil)
		}
	}
	want(1, "a burst")
	over()
	want(2, "the end of the frame")
	over()
	over()
	want(2, "at rest")
	if f.awaited {
		t.Error("at rest a frame is awaited")
	}
}

// A key is seen at once, whatever was drawn just before it but another key; a new size waits for nothing.
func TestAKeyWaitsForNothing(t *testing.T) {
	f, app, over := stopped()
	f.Update(tea.FocusMsg{})
	f.Update(key)
	if app.views != 2 || f.stale {
		t.Errorf("a key within a frame leaves %d views, want 2", app.views)
	}
	f.Update(key)
	if app.views != 2 || !f.stale || !f.awaited {
		t.Errorf("a second key within a frame leaves %d views, want it to wait", app.views)
	}
	f.Update(tea.WindowSizeMsg{Width: 60, Height: 20})
	if app.views != 3 || f.stale {
		t.Errorf("a new size leaves %d views, want 3", app.views)
	}
	over()
	if app.views != 3 {
		t.Errorf("the end of a frame in which all was seen builds a view")
	}
}

// However fast keys come, a frame has one view.
func TestABurstOfKeysBuildsOneViewAFrame(t *testing.T) {
	f, app, over := stopped()
	const keys, perFrame = 20_000, 20
	for i := range keys {
		if i%perFrame == 0 {
			over()
		}
		f.Update(key)
	}
	if most := keys/perFrame + 1; app.msgs != keys || app.views > most {
		t.Errorf("%d keys built %d views, want at most %d", app.msgs, app.views, most)
	}
}
