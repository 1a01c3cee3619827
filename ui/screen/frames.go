//go:build unix

package screen

import (
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	frameTime = time.Second / 60 // the least time between two frames
	restTime  = time.Second      // after this time without a frame, memory is returned to the system
)

// frames wraps the root model, and draws its view at most once per frame time. A change is drawn at once if nothing was
// drawn within the last frame time, else at the end of it. A key waits only for other keys: it is drawn at once even if
// a piece of an answer was drawn just before.
type frames struct {
	app      tea.Model
	terminal *terminal
	now      func() time.Time // the clock
	drawn    time.Time        // when the last view was built
	typed    time.Time        // when a view was built for a key, or will be
	stale    bool             // the view is older than the last message
	awaited  bool             // a frameMsg is on its way
	rest     *time.Timer      // returns memory to the system once nothing is drawn any more
}

// frameMsg arrives at the end of a frame in which a message was not drawn at once.
type frameMsg struct{}

func newFrames(app tea.Model, t *terminal) *frames {
	// Opening or scrolling a long chat leaves half of the memory free, which Go would keep for minutes.
	return &frames{
		app: app, terminal: t, now: time.Now, rest: time.AfterFunc(restTime, debug.FreeOSMemory),
	}
}

// Init initializes the root model.
func (f *frames) Init() tea.Cmd { return f.guarded(f.app.Init()) }

// View returns an empty view: Bubble Tea asks for it after each message, but has no renderer.
func (f *frames) View() tea.View { return tea.View{} }

// Update passes a message on, and draws the view now or at the end of the frame.
func (f *frames) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	defer f.guard()
	if _, over := msg.(frameMsg); over {
		f.awaited = false
		if f.stale {
			f.draw()
		}
		return f, nil
	}
	app, cmd := f.app.Update(msg)
	f.app, f.stale, cmd = app, true, f.guarded(cmd)
	if wait := f.wait(msg); wait <= 0 {
		f.draw()
	} else if !f.awaited {
		f.awaited = true
		cmd = tea.Batch(cmd, tea.Tick(wait, func(time.Time) tea.Msg { return frameMsg{} }))
	}
	return f, cmd
}

// wait returns how long to wait before drawing what a message has changed.
func (f *frames) wait(msg tea.Msg) time.Duration {
	now := f.now()
	switch msg.(type) {
	case tea.WindowSizeMsg:
		return 0
	case tea.KeyPressMsg:
		wait := max(0, f.typed.Add(frameTime).Sub(now))
		if !f.typed.After(now) {
			f.typed = now.Add(wait)
		}
		return wait
	}
	return f.drawn.Add(frameTime).Sub(now)
}

func (f *frames) draw() {
	f.drawn, f.stale = f.now(), false
	f.terminal.draw(f.app.View())
	f.rest.Reset(restTime)
}

// guard releases the terminal during a panic, before Bubble Tea prints the panic and ends the program.
func (f *frames) guard() {
	if failure := recover(); failure != nil {
		f.terminal.release()
		panic(failure)
	}
}

// guarded returns a command that calls guard in a panic, as do the commands of a batch that it returns.
func (f *frames) guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		defer f.guard()
		msg := cmd()
		if list, ok := msg.(tea.BatchMsg); ok { // tea.Sequence is not used
			for i, c := range list {
				list[i] = f.guarded(c)
			}
		}
		return msg
	}
}
