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

	"winnow/llm"
	"winnow/session"
	display "winnow/ui/screen"
	"winnow/ui/settings"
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
	Choice  llm.ModelChoice          // which model was chosen, and why: for the first screen
	Notices []string                 // sentences to show at the start
	Keys    map[string][]string      // action to keys, as in keymap.Map.Table
	Theme   string                   // one of Themes or of the next; "" is auto
	Themes  map[string]theme.Palette // the user's own, by name
	Panel   string                   // auto, open or closed: the context panel at the start; "" is auto
	Notify  string                   // auto, bell or off: how the user is called who is not looking; "" is auto
	Mouse   bool                     // the wheel scrolls
	Version string
	Attach  []string // files to hang on the draft at the start

	Settings settings.Options // what the settings need; the paths in it are whole

	Reasoning bool // reasoning is shown at the start

	// Secrets says where secrets stand in a text, as bytes from and to, in order and apart: known keys and,
	// if it is asked for shapes, what looks like a secret. Nil finds none.
	Secrets func(text string, shapes bool) [][2]int

	// ReadPage reads the page at an address as text; cut says that only its beginning was read. It is called where
	// the user agreed to that.
	ReadPage func(ctx context.Context, address string) (text string, cut bool, err error)

	// Background is called soon after the first frame, for what takes time to start; nil has nothing to do.
	Background func()

	// Sync exchanges the history with other machines, and returns the ids of the sessions that it changed here; nil
	// exchanges nothing. It runs at the start, after each turn and at the end, once at a time.
	Sync func(context.Context) (changed []string, err error)
}

// quitTime bounds how long quitting waits for a running answer to be saved.
const quitTime = 5 * time.Second

// syncTime bounds how long quitting waits for what is exchanged with other machines.
const syncTime = 1500 * time.Millisecond

// Run shows the application until the user leaves it, and returns the id of the session that was
// open then, "" where nothing was stored. A running answer is stopped and saved first, and so is the
// draft, whether the user left, the terminal went away or the program failed.
func Run(ctx context.Context, o Options) (string, error) {
	m, err := New(o)
	if err != nil {
		return "", err
	}
	m.Program = func() context.Context { return ctx }
	err = display.Run(ctx, m, os.Stdin, os.Stdout)

	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), quitTime)
	defer cancel()
	closing := errors.Join(m.Session.Close(saving), m.background.Close(saving), m.leaveDraft(saving))
	m.upkeep.Hurried = m.upkeep.Hurried || errors.Is(err, tea.ErrInterrupted)
	syncing, stop := context.WithTimeout(ctx, syncTime)
	defer stop()
	m.upkeep.SyncAtEnd(syncing)
	id := m.Session.Info().ID
	if m.Session.Temporary() {
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
	m.Program = func() context.Context { return ctx }
	if sent := m.composer.Sending; sent != nil && m.Session.Info().Leaf != sent.Leaf {
		m.composer.Sending = nil // it is stored, and the screen did not live to see it
	}
	return m.composer.KeepAtEnd(ctx)
}
