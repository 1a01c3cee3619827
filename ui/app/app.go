// Package app is what the parts of the screen share: the session on it, the table of keys, the colours and the ways to
// run a command and to say a sentence. The root model makes one Context and gives all parts a pointer to it.
package app

import (
	"context"

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

// NoKey says that a key does nothing where it was pressed, and which others do something.
func (c *Context) NoKey(msg tea.KeyPressMsg, others string) tea.Cmd {
	return c.Say(msg.String() + " does nothing here; " + others)
}

// Then is what is left to do when a command is done: Update calls it, and so it may change what is on the screen.
type Then func() tea.Cmd
