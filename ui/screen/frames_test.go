//go:build unix

package screen

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// counted counts its views and messages.
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

// stopped returns frames whose clock stands still, except that over ends a frame.
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

// A key is drawn at once unless another key was drawn just before it. A new size is always drawn at once.
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
