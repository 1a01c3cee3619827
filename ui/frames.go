package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// frames is the application with a view that is built once a frame. Bubble Tea asks for the view after
// every message, which in a burst of typing or of output is far more often than it draws: the first
// message of a burst is seen at once, those that follow within a frame are seen together.
type frames struct {
	*Model
	view    tea.View
	stale   bool // something has happened since the view was built
	running bool // a frameMsg is on its way
}

// frameMsg says that the time of a frame is over.
type frameMsg struct{}

// Update hands a message on and builds the view when it is due.
func (f *frames) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(frameMsg); ok {
		f.running = false
		if !f.stale {
			return f, nil
		}
		return f, f.build()
	}
	cmd := f.update(msg)
	f.stale = true
	if _, resized := msg.(tea.WindowSizeMsg); f.running && !resized {
		return f, cmd
	}
	return f, tea.Batch(cmd, f.build())
}

// View is the view as it was built last.
func (f *frames) View() tea.View { return f.view }

func (f *frames) build() tea.Cmd {
	f.view, f.stale = f.Model.View(), false
	if f.running {
		return nil
	}
	f.running = true
	return tea.Tick(time.Second/frameRate, func(time.Time) tea.Msg { return frameMsg{} })
}
