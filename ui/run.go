// Package ui is the application on the terminal: keys, panes, colours. It shows a session and
// decides nothing about what a model sees. Update decides what happens next, commands do it, View
// draws; neither Update nor View does any I/O.
package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/llm"
	"winnow/llm/mcp"
	"winnow/session"
	"winnow/ui/cells"
	"winnow/ui/input"
	"winnow/ui/remembered"
	"winnow/ui/theme"
)

// Screen is what the application opens with.
type Screen string

// The first screens.
const (
	ChatScreen     Screen = ""         // the chat
	SessionsScreen Screen = "sessions" // the session picker
)

// Options is everything the application needs from outside.
type Options struct {
	Deps    session.Deps
	Start   *session.Session // the conversation to show first
	Screen  Screen
	Filter  string                   // what the list of sessions is filtered by, where that is the first screen
	Choice  llm.Choice               // which model was chosen, and why: for the first screen
	Notices []string                 // sentences to show at the start
	Keys    map[string][]string      // action to keys, as in keymap.Map.Table
	Theme   string                   // one of Themes or of the next; "" is auto
	Themes  map[string]theme.Palette // the user's own, by name
	Panel   string                   // auto, open or closed: the context panel at the start; "" is auto
	Notify  string                   // auto, bell or off: how the user is called who is not looking; "" is auto
	Mouse   bool                     // the wheel scrolls
	Memory  *remembered.Memory       // keeps what is chosen on the screen; nil forgets it
	Version string
	Attach  []string // files to hang on the draft at the start

	Personas   func() ([]Persona, error) // reads the user's system prompts; nil has none
	PersonasIn string                    // the folder that holds them

	Reasoning bool // reasoning is shown at the start

	// Secrets says where secrets stand in a text, as bytes from and to, in order and apart: known keys and,
	// if it is asked for shapes, what looks like a secret. Nil finds none.
	Secrets func(text string, shapes bool) [][2]int

	// Servers are the MCP servers, nil for none.
	Servers *mcp.Servers

	// ReadPage reads the page at an address as text; cut says that only its beginning was read. It is called where
	// the user agreed to that. nil reads none.
	ReadPage func(ctx context.Context, address string) (text string, cut bool, err error)

	// Background is called soon after the first frame, for what takes time to start; nil has nothing to do.
	Background func()

	// Export writes a session to a file as the words want it, a format and a file, and says where; nil
	// writes none.
	Export func(ctx context.Context, s *session.Session, words string) (string, error)
}

// quitTime bounds how long quitting waits for a running answer to be saved.
const quitTime = 5 * time.Second

// frameRate is how often a second a changed screen is drawn. A key waits for half a frame on
// average, so frames are short: the answer's pieces are joined for joinTime before they change
// anything, and a frame without a change costs nothing.
const frameRate = 120

// Run shows the application until the user leaves it, and returns the id of the session that was
// open then, "" where nothing was stored. A running answer is stopped and saved first, and so is the
// draft, whether the user left, the terminal went away or the program failed.
func Run(ctx context.Context, o Options) (string, error) {
	m, err := New(o)
	if err != nil {
		return "", err
	}
	m.current.Context = func() context.Context { return ctx }
	options := append(input.Options(os.Stdin, os.Stdout), tea.WithContext(ctx), tea.WithFPS(frameRate))
	first := &frames{Model: m}
	first.draw()
	_, err = tea.NewProgram(first, options...).Run()

	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), quitTime)
	defer cancel()
	closing := errors.Join(m.current.Session.Close(saving), m.current.Background.Close(saving), m.leaveDraft(saving))
	id := m.current.Session.Info().ID
	if m.current.Session.Temporary() {
		id = ""
	}
	switch {
	case errors.Is(err, tea.ErrInterrupted), ctx.Err() != nil:
		return id, context.Canceled
	case err != nil:
		return id, fmt.Errorf("run the screen: %w", err)
	}
	return id, closing
}

// leaveDraft writes down what is unsent when the screen is gone.
func (m *Model) leaveDraft(ctx context.Context) error {
	m.current.Context = func() context.Context { return ctx }
	if sent := m.composer.Sending(); sent != nil && m.current.Session.Info().Leaf != sent.Leaf {
		m.composer.Hold(nil) // it is stored, and the screen did not live to see it
	}
	m.surround()
	return errors.Join(append(m.composer.KeepAtEnd(), m.composer.KeepQueueAtEnd(ctx))...)
}

// frames is the application with a view that is built once a frame. Bubble Tea asks for the view after
// every message, which in a burst of typing or of output is far more often than it draws: the first
// message of a burst is seen at once, those that follow within a frame are seen together. A key is seen at once too,
// the first of a frame: what was drawn just before, a plan mostly, must not make the letter wait.
type frames struct {
	*Model
	view    tea.View
	stale   bool // something has happened since the view was built
	running bool // a frameMsg is on its way
	pressed bool // the view was built for a key within this frame
	cells   cells.Terminal
}

// frameMsg says that the time of a frame is over.
type frameMsg struct{}

// Update hands a message on and builds the view when it is due.
func (f *frames) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(frameMsg); ok {
		f.running, f.pressed = false, false
		if !f.stale {
			return f, nil
		}
		return f, f.build()
	}
	cmd := f.counts(msg)
	if _, more := f.Model.Update(msg); more != nil {
		cmd = tea.Batch(cmd, more)
	}
	f.stale = true
	now := !f.running
	switch msg.(type) {
	case tea.WindowSizeMsg:
		now = true
	case tea.KeyPressMsg:
		now, f.pressed = now || !f.pressed, true
	}
	if !now {
		return f, cmd
	}
	return f, tea.Batch(cmd, f.build())
}

// counts takes up how the terminal counts cells. Bubble Tea counts as terminals with mode 2027 do once it
// hears of that mode, so it is told of one that counts in that way without it.
func (f *frames) counts(msg tea.Msg) tea.Cmd {
	announce := func() tea.Msg { return tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeSet} }
	switch msg := msg.(type) {
	case input.MeasuredMsg:
		known := f.cells.Clusters
		f.cells = msg.Terminal
		if f.cells.Clusters && !known {
			return announce
		}
		f.cells.Clusters = f.cells.Clusters || known
	case tea.ResumeMsg:
		if f.cells.Clusters {
			return announce // Bubble Tea turned the mode off when it gave the terminal away
		}
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore && !msg.Value.IsNotRecognized() && !msg.Value.IsPermanentlyReset() {
			f.cells.Clusters = true
		}
	}
	return nil
}

// View is the view as it was built last.
func (f *frames) View() tea.View { return f.view }

// draw makes the view.
func (f *frames) draw() {
	f.view, f.stale = f.Model.View(), false
	f.view.Content = f.cells.Safe(f.view.Content)
}

func (f *frames) build() tea.Cmd {
	f.draw()
	if f.running {
		return nil
	}
	f.running = true
	return tea.Tick(time.Second/frameRate, func(time.Time) tea.Msg { return frameMsg{} })
}
