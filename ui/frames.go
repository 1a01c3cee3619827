package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/cells"
	"winnow/ui/event"
	"winnow/ui/input"
	"winnow/ui/terminal"
	"winnow/ui/turn"
)

// frameTime is the least time between two frames.
const frameTime = time.Second / 60

// calmTime is the least time between a frame and one that shows nothing new but how an answer goes on. Who types beside
// an answer sees its next piece with the next letter, instead of between two.
const calmTime = time.Second / 15

// frames is the application with a view that is built and drawn once a frame, however many messages arrive in it: the
// first of a burst is seen at once, those that follow are seen together at the end of the frame. A key is seen at once
// too, the first of a frame: what was drawn just before, a plan mostly, must not make the letter wait. An answer that
// goes on waits longest.
//
// Bubble Tea asks for the view after every message. It gets the one that was drawn last.
type frames struct {
	app     tea.Model
	screen  *terminal.Screen // nil draws nowhere
	view    tea.View
	stale   bool             // something has happened since the view was built
	key     bool             // and one of that was a key
	until   time.Time        // when the frame is over
	drawn   time.Time        // when the view was built
	due     time.Time        // when it is to be built again, where it is stale
	awaited time.Time        // when the next frameMsg comes; zero where none is on its way
	pressed bool             // the view was built for a key within this frame
	now     func() time.Time // the clock
	cells   cells.Terminal
}

// frameMsg says that the time of a frame is over in which something is to be seen.
type frameMsg struct{}

func newFrames(app tea.Model, screen *terminal.Screen) *frames {
	f := &frames{app: app, screen: screen, now: time.Now}
	f.draw(f.now())
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
		f.awaited = time.Time{}
		switch {
		case !f.stale:
		case now.Before(f.due): // what it was awaited for was seen with a key
			return f.await(now)
		default:
			f.begin(now)
		}
		return nil
	}
	f.counts(msg)
	app, cmd := f.app.Update(msg)
	f.app = app
	if unseen(msg) {
		return cmd
	}
	due := f.until
	if calm := f.drawn.Add(calmTime); goesOn(msg) && calm.After(due) {
		due = calm
	}
	if !f.stale || due.Before(f.due) {
		f.due = due
	}
	_, sized := msg.(tea.WindowSizeMsg)
	_, key := msg.(tea.KeyPressMsg)
	f.stale, f.key = true, f.key || key
	switch {
	case !now.Before(f.due):
		f.begin(now)
	case sized, key && !f.pressed:
		f.pressed = f.key
		f.draw(now)
	default:
		return tea.Batch(cmd, f.await(now))
	}
	return cmd
}

// await has a frameMsg come when the view is due.
func (f *frames) await(now time.Time) tea.Cmd {
	if !f.awaited.IsZero() && !f.due.Before(f.awaited) {
		return nil
	}
	f.awaited = f.due
	return tea.Tick(f.due.Sub(now), func(time.Time) tea.Msg { return frameMsg{} })
}

// begin draws the first view of a frame.
func (f *frames) begin(now time.Time) {
	f.until, f.pressed = now.Add(frameTime), f.key
	f.draw(now)
}

// unseen says that a message changes nothing on the screen.
func unseen(msg tea.Msg) bool {
	u, is := msg.(event.Unseen)
	return is && u.Unseen()
}

// goesOn says that a message shows no more than that an answer goes on.
func goesOn(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case turn.EventsMsg:
		return msg.Pieces() && !msg.First()
	case turn.TickMsg:
		return true
	}
	return false
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
func (f *frames) draw(now time.Time) {
	f.view, f.drawn, f.stale, f.key = f.app.View(), now, false, false
	f.view.Content = f.cells.Safe(f.view.Content)
	f.screen.Draw(f.view)
}
