// Package app holds what the components of the screen share: key bindings, colours, functions that run commands and
// show sentences, and the session of a conversation. The root model makes one Shared, and one Context per conversation.
package app

import (
	"context"
	"errors"
	"sync"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Shared is what all components share. Only the root model changes it.
type Shared struct {
	ProgramContext  func() context.Context // ends when winnow ends; the parent of every command's context
	Keys            keymap.Map
	Themes          *theme.Selection
	Say             func(text string) tea.Cmd // shows a sentence for a few seconds; "" shows none
	Fail            func(text string) tea.Cmd // shows an error for a few seconds
	Copy            func(what, text string) tea.Cmd
	Replan          func() tea.Cmd                           // plans the next request again, once typing pauses
	Do              func(keymap.Action) tea.Cmd              // performs an action of the panes
	SettingsChanged func(sentence string, err error) tea.Cmd // ends a change of settings, and shows the sentence

	// Draft returns what enter would send now. Its Files are never nil, because an edit without files removes those of
	// the edited message.
	Draft func() session.Draft

	Deps    session.Deps  // passed to every session that is opened
	Secrets theme.Secrets // finds and hides secrets in texts

	last *step // the newest step added by InOrder
}

// Context is what the components of one conversation share. Components that belong to the conversation on the screen
// get another Context when that changes, so a command must read what it needs before it runs.
type Context struct {
	*Shared
	Session  *session.Session
	Info     store.Session // the session's row, as the screen shows it
	Ref      string        // the model in use as ENDPOINT/MODEL, as the screen shows it
	Busy     bool          // a turn is running
	ReadOnly bool          // another window holds the lease
}

// NewContext returns a context that ends when it is cancelled or winnow ends.
func (s *Shared) NewContext() (context.Context, context.CancelFunc) {
	return context.WithCancel(s.ProgramContext())
}

// Run returns a command that calls do with a context that ends when do returns or winnow ends.
func (s *Shared) Run(do func(context.Context) tea.Msg) tea.Cmd {
	program := s.ProgramContext
	return func() tea.Msg {
		ctx, cancel := context.WithCancel(program())
		defer cancel()
		return do(ctx)
	}
}

// step is one function given to InOrder. It runs once, after the step before it.
type step struct {
	once   sync.Once
	before *step
	do     func(context.Context) error
	err    error
}

// run runs the steps up to this one that have not run yet, and joins their errors.
func (s *step) run(ctx context.Context) (err error) {
	s.once.Do(func() {
		if s.before != nil {
			err = s.before.run(ctx)
			s.before = nil
		}
		s.err = s.do(ctx)
		err = errors.Join(err, s.err)
	})
	return err
}

// InOrder returns a command that calls do after all functions given to InOrder before, and then done with do's error.
// Bubble Tea runs commands concurrently, but of two saved drafts the newer one must be the one left on disk.
func (s *Shared) InOrder(do func(context.Context) error, done func(error) tea.Cmd) tea.Cmd {
	newest := &step{before: s.last, do: do}
	s.last = newest
	return s.Run(func(ctx context.Context) tea.Msg {
		_ = newest.run(ctx) // done gets the error
		return Then(func() tea.Cmd { return done(newest.err) })
	})
}

// Flush runs what InOrder was given and no command has run yet. It is called when winnow ends.
func (s *Shared) Flush(ctx context.Context) error {
	if s.last == nil {
		return nil
	}
	return s.last.run(ctx)
}

// ReportError shows an error as a sentence. It returns nil for a nil error.
func (s *Shared) ReportError(err error) tea.Cmd {
	if err == nil {
		return nil
	}
	return s.Fail(theme.Sentence(err))
}

// NoKey says that a key does nothing here, followed by a sentence about keys that do something.
func (s *Shared) NoKey(msg tea.KeyPressMsg, others string) tea.Cmd {
	return s.Say(msg.String() + " does nothing here; " + others)
}

// Then is the message of a command that has more to do on the main goroutine: Update calls it, so it may change models.
type Then func() tea.Cmd

// Latest numbers commands that ask for the same thing, so that only the result of the newest one is used.
type Latest int

// Begin starts a command that replaces the earlier ones. It returns a function that wraps what the command has left to
// do: the wrapped function does nothing if another command has begun meanwhile.
func (n *Latest) Begin() func(do func() tea.Cmd) Then {
	*n++
	number := *n
	return func(do func() tea.Cmd) Then {
		return func() tea.Cmd {
			if number != *n {
				return nil
			}
			return do()
		}
	}
}
