//go:build unix

package screen

import (
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	frameTime = time.Second / 60 // the least time between two views
	restTime  = time.Second      // after so long without a view, memory is given back
)

// frames is the model of the program: the application, whose view is built and drawn at most once a frame. A message
// is seen at once where no other was within the frame before, else at the end of the frame. A letter waits only for
// another one: what was drawn just before it, a piece of an answer mostly, does not count.
type frames struct {
	app      tea.Model
	terminal *terminal
	now      func() time.Time // the clock
	drawn    time.Time        // when the newest view was built
	typed    time.Time        // when one was built for a key, or will be
	stale    bool             // something happened since the newest view
	awaited  bool             // a frameMsg is on its way
	rest     *time.Timer      // gives memory back once nothing is drawn any more
}

// frameMsg says that a frame is over in which something happened.
type frameMsg struct{}

func newFrames(app tea.Model, t *terminal) *frames {
	// Go keeps what a long chat left behind when it was opened or scrolled, half of what the program then has.
	return &frames{app: app, terminal: t, now: time.Now, rest: time.AfterFunc(restTime, debug.FreeOSMemory)}
}

// Init starts the application.
func (f *frames) Init() tea.Cmd { return f.guarded(f.app.Init()) }

// View is nothing: Bubble Tea asks for it after each message, and draws nothing.
func (f *frames) View() tea.View { return tea.View{} }

// Update hands a message on, and draws the view or has it drawn later.
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

// wait is how long a message waits to be seen.
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

// guard gives the terminal back where a panic goes by, before Bubble Tea prints it and ends the program.
func (f *frames) guard() {
	if failure := recover(); failure != nil {
		f.terminal.release()
		panic(failure)
	}
}

// guarded is a command with a guard, and so are those of a batch.
func (f *frames) guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		defer f.guard()
		msg := cmd()
		if list, ok := msg.(tea.BatchMsg); ok { // the application has no use for tea.Sequence
			for i, c := range list {
				list[i] = f.guarded(c)
			}
		}
		return msg
	}
}
