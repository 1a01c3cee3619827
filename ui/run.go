// Package ui is the terminal interface: keys, panes, colours. It shows sessions, and does not decide what a model sees.
// Update decides what happens next, commands do it, View draws; neither Update nor View does I/O.
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

// Screen is what winnow shows at the start.
type Screen string

// The first screens.
const (
	ChatScreen     Screen = ""         // the chat
	SessionsScreen Screen = "sessions" // the list of stored sessions
)

// Options is everything the interface needs from its caller.
type Options struct {
	Deps    session.Deps
	Start   *session.Session // the conversation to show first
	Screen  Screen
	Filter  string                   // initial filter of SessionsScreen
	Choice  llm.ModelChoice          // which model was chosen and why, for the first screen
	Notices []string                 // sentences to show at the start
	Keys    map[string][]string      // action to keys, as in keymap.Map.Table
	Theme   string                   // a built-in theme or one of Themes; "" is auto
	Themes  map[string]theme.Palette // the user's own, by name
	Panel   string                   // the context panel at the start, as in remembered.Panel
	Notify  string                   // auto, bell or off: how to notify a user who looks elsewhere; "" is auto
	Mouse   bool                     // winnow handles the mouse, not the terminal
	Version string
	Attach  []string // files to attach to the draft at the start

	Settings settings.Options // all paths in it are absolute

	Reasoning bool // reasoning is shown at the start

	// Secrets returns the byte ranges of secrets in a text, in order and without overlap: known keys and, if shapes is
	// true, whatever looks like a secret. Nil finds none.
	Secrets func(text string, shapes bool) [][2]int

	// ReadPage reads the web page at an address as text; cut reports that only its beginning was read. It is called
	// only after the user has agreed.
	ReadPage func(ctx context.Context, address string) (text string, cut bool, err error)

	// Background, if not nil, is called soon after the first frame, for what takes time to start.
	Background func()

	// Sync, if not nil, synchronizes with other machines and returns the ids of the sessions that it changed here. It
	// is called at the start, after each turn and at the end, never concurrently.
	Sync func(context.Context) (changed []string, err error)
}

// quitTime bounds how long quitting waits for a running answer to be saved.
const quitTime = 5 * time.Second

// syncTime bounds how long quitting waits for the last sync.
const syncTime = 1500 * time.Millisecond

// Run shows the interface until the user quits, and returns the id of the session that was open then, "" if it is not
// stored. However it ends, even if the terminal is gone, a running answer is stopped and saved, and so is the draft.
// The error is context.Canceled if ctx ended or the user interrupted winnow.
func Run(ctx context.Context, o Options) (string, error) {
	m, err := New(o)
	if err != nil {
		return "", err
	}
	m.ProgramContext = func() context.Context { return ctx }
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

// leaveDraft saves the unsent draft once the screen is closed.
func (m *Model) leaveDraft(ctx context.Context) error {
	m.ProgramContext = func() context.Context { return ctx }
	if sent := m.composer.Sending; sent != nil && m.Session.Info().Leaf != sent.Leaf {
		m.composer.Sending = nil // the message was stored, but the screen closed before its event arrived
	}
	return m.composer.SaveAtExit(ctx)
}
