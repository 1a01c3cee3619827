// Package app is what the parts of the screen share: the session on it, the table of keys, the colours and the ways to
// run a command and to say a sentence. The root model makes one Context and gives all parts a pointer to it.
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

// Context is shared by the parts of the screen. Only the root model and ui/current change it.
type Context struct {
	Program func() context.Context // the context of the program: commands end with it
	Keys    keymap.Map
	Themes  *theme.Set
	Say     func(text string) tea.Cmd // shows a sentence for a while, none for ""
	Fail    func(text string) tea.Cmd // shows why something did not work

	With    session.Deps     // what sessions are opened with
	Session *session.Session // the one on the screen
	Info    store.Session    // its row, as the screen shows it
	Ref     string           // the model in use, as the screen shows it
	Secrets theme.Secrets    // what is hidden
	Busy    bool             // an answer arrives in it

	ReadOnly bool // another window has it: here it can be read

	last *step // the newest one of InOrder
}

// NewContext makes a context that ends with the program, or before it.
func (c *Context) NewContext() (context.Context, context.CancelFunc) {
	return context.WithCancel(c.Program())
}

// Run makes a command whose context ends with it, and with the program.
func (c *Context) Run(do func(context.Context) tea.Msg) tea.Cmd {
	program := c.Program
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
func (c *Context) InOrder(do func(context.Context) error, done func(error) tea.Cmd) tea.Cmd {
	s := &step{before: c.last, do: do}
	c.last = s
	return c.Run(func(ctx context.Context) tea.Msg {
		_ = s.run(ctx) // done is told
		return Then(func() tea.Cmd { return done(s.err) })
	})
}

// Finish does what the commands of InOrder have not come to when the program ends.
func (c *Context) Finish(ctx context.Context) error {
	if c.last == nil {
		return nil
	}
	return c.last.run(ctx)
}

// NoKey says that a key does nothing where it was pressed, and which others do something.
func (c *Context) NoKey(msg tea.KeyPressMsg, others string) tea.Cmd {
	return c.Say(msg.String() + " does nothing here; " + others)
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
