package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/cells"
	"winnow/ui/input"
	"winnow/ui/terminal"
)

// frameTime is the least time between two frames.
const frameTime = time.Second / 60

// frames is the application with a view that is built and drawn once a frame, however many messages arrive in it: the
// first of a burst is seen at once, those that follow are seen together at the end of the frame. A key is seen at once
// too, the first of a frame: what was drawn just before, a plan mostly, must not make the letter wait.
//
// Bubble Tea asks for the view after every message. It gets the one that was drawn last.
type frames struct {
	app     tea.Model
	screen  *terminal.Screen // nil draws nowhere
	view    tea.View
	stale   bool             // something has happened since the view was built
	key     bool             // and one of that was a key
	until   time.Time        // when the frame is over
	awaited bool             // a frameMsg is on its way
	pressed bool             // the view was built for a key within this frame
	now     func() time.Time // the clock
	cells   cells.Terminal
}

// frameMsg says that the time of a frame is over in which something is to be seen.
type frameMsg struct{}

func newFrames(app tea.Model, screen *terminal.Screen) *frames {
	f := &frames{app: app, screen: screen, now: time.Now}
	f.draw()
	return f
}

// Init starts the application.
func (f *frames) Init() tea.Cmd { return f.guarded(f.app.Init()) }

// Update hands a message on and builds the view when it is due.
func (f *frames) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	f.guard(func() { cmd = f.update(msg) })
	return f, f.guarded(cmd)
}

// guard runs something, and gives the terminal back if it panics: Bubble Tea prints the panic, and ends the program.
func (f *frames) guard(run func()) {
	panics := true
	defer func() {
		if panics {
			_ = f.screen.Close()
		}
	}()
	run()
	panics = false
}

// guarded is a command with a guard.
func (f *frames) guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		f.guard(func() { msg = cmd() })
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = f.guarded(batch[i])
			}
		}
		return msg
	}
}

func (f *frames) update(msg tea.Msg) tea.Cmd {
	now := f.now()
	if _, ok := msg.(frameMsg); ok {
		f.awaited = false
		if f.stale {
			f.begin(now)
		}
		return nil
	}
	f.counts(msg)
	app, cmd := f.app.Update(msg)
	f.app, f.stale = app, true
	_, sized := msg.(tea.WindowSizeMsg)
	_, key := msg.(tea.KeyPressMsg)
	f.key = f.key || key
	switch {
	case !now.Before(f.until):
		f.begin(now)
	case sized, key && !f.pressed:
		f.pressed = f.key
		f.draw()
	case !f.awaited:
		f.awaited = true
		return tea.Batch(cmd, tea.Tick(f.until.Sub(now), func(time.Time) tea.Msg { return frameMsg{} }))
	}
	return cmd
}

// begin draws the first view of a frame.
func (f *frames) begin(now time.Time) {
	f.until, f.pressed = now.Add(frameTime), f.key
	f.draw()
}

// counts takes up how the terminal counts cells.
func (f *frames) counts(msg tea.Msg) {
	switch msg := msg.(type) {
	case input.MeasuredMsg:
		known := f.cells.Clusters
		f.cells = msg.Terminal
		f.cells.Clusters = f.cells.Clusters || known
	case tea.ModeReportMsg:
		if msg.Mode != ansi.ModeUnicodeCore || msg.Value.IsNotRecognized() || msg.Value.IsPermanentlyReset() {
			return
		}
		f.cells.Clusters = true
	default:
		return
	}
	if f.cells.Clusters {
		f.screen.CountClusters()
	}
}

// View is the view as it was drawn last.
func (f *frames) View() tea.View { return f.view }

// draw makes the view and shows it.
func (f *frames) draw() {
	f.view, f.stale, f.key = f.app.View(), false, false
	f.view.Content = f.cells.Safe(f.view.Content)
	f.screen.Draw(f.view)
}
