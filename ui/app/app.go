// Package app is what the parts of the screen share: the table of keys, the colours, the ways to run a command and to
// say a sentence, and the session of a conversation. The root model makes one Shared, and a Context for each
// conversation.
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

// Shared is what all parts of the screen share. Only the root model changes it.
type Shared struct {
	Program func() context.Context // the context of the program: commands end with it
	Keys    keymap.Map
	Themes  *theme.Set
	Say     func(text string) tea.Cmd // shows a sentence for a while, none for ""
	Fail    func(text string) tea.Cmd // shows why something did not work
	Copy    func(what, text string) tea.Cmd
	Replan  func() tea.Cmd                           // plans the next request anew, after the draft has rested
	Do      func(keymap.Action) tea.Cmd              // does an action, maybe to the message under the cursor
	Settled func(sentence string, err error) tea.Cmd // ends a change of the session, and says the sentence

	// Draft is what would be sent as it is now. Its Files are never nil: an edit without a file takes the earlier ones
	// away.
	Draft func() session.Draft

	With    session.Deps  // what sessions are opened with
	Secrets theme.Secrets // what is hidden

	last *step // the newest one of InOrder
}

// Context is what the parts of the screen share that are about one conversation. A part that is about the one on the
// screen gets another Context with that, so a command takes what it needs before it runs.
type Context struct {
	*Shared
	Session  *session.Session
	Info     store.Session // its row, as the screen shows it
	Ref      string        // the model in use, as the screen shows it
	Busy     bool          // its turn runs
	ReadOnly bool          // another window has it: here it can be read
}

// NewContext makes a context that ends with the program, or before it.
func (s *Shared) NewContext() (context.Context, context.CancelFunc) {
	return context.WithCancel(s.Program())
}

// Run makes a command whose context ends with it, and with the program.
func (s *Shared) Run(do func(context.Context) tea.Msg) tea.Cmd {
	program := s.Program
	return func() tea.Msg {
		ctx, cancel := context.WithCancel(program())
		defer cancel()
		return do(ctx)
	}
}

// step is done once, after the step before it.
type step struct {
	once   sync.Once
	before *step
	do     func(context.Context) error
	err    error
}

// run does the steps that are left, and returns what went wrong in them.
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

// InOrder makes a command that does something behind all that was given to it before: commands run at the same time,
// but of two drafts the newer one has to stay on disk. Done is called with what came of it.
func (s *Shared) InOrder(do func(context.Context) error, done func(error) tea.Cmd) tea.Cmd {
	newest := &step{before: s.last, do: do}
	s.last = newest
	return s.Run(func(ctx context.Context) tea.Msg {
		_ = newest.run(ctx) // done is told
		return Then(func() tea.Cmd { return done(newest.err) })
	})
}

// Finish does what the commands of InOrder have not come to when the program ends.
func (s *Shared) Finish(ctx context.Context) error {
	if s.last == nil {
		return nil
	}
	return s.last.run(ctx)
}

// Failed says why something did not work, nil for no reason.
func (s *Shared) Failed(err error) tea.Cmd {
	if err == nil {
		return nil
	}
	return s.Fail(theme.Sentence(err))
}

// NoKey says that a key does nothing where it was pressed, and which others do something.
func (s *Shared) NoKey(msg tea.KeyPressMsg, others string) tea.Cmd {
	return s.Say(msg.String() + " does nothing here; " + others)
}

// Then is what is left to do when a command is done: Update calls it, and so it may change what is on the screen.
type Then func() tea.Cmd

// Latest counts the commands that ask for the same thing: only what the newest one brings is shown.
type Latest int

// Begin begins a command that replaces those before it. It returns what makes the command's message of what is left to
// do: nothing, once another command has replaced it.
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
