// Package current is the session on the screen: its row and its model as the screen knows them, how it stands to other
// windows and to its forks, and the opening of another one in its place. It asks the session in commands. What follows
// for the rest of the screen it has that do.
package current

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/session"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/current/background"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Model is the session on the screen. It opens others in its place: stored ones, new ones and forks. Of several that
// were asked for the newest is shown.
type Model struct {
	*app.Context // nothing is planned while it is busy
	Screen       Screen
	// Draft is what would be sent as it is now. Its Files are never nil: an edit without a file takes the earlier ones
	// away.
	Draft   func() session.Draft
	Forks   Forks
	Earlier int     // chats before a new one
	At      Arrival // where in the session the cursor goes, as soon as that is read

	Stale bool // it was changed in the store beside this window, and is to be read again

	Background background.Model // the answers of sessions that are not on the screen
	planning

	number int // of the newest request for another session
}

// Endpoint is where the model in use is asked, the zero endpoint where the catalog does not know it.
func (m *Model) Endpoint() llm.Endpoint {
	name, _, _ := strings.Cut(m.Ref, "/")
	return m.With.Models.Endpoint(name)
}

// ModelName is the name of the model in use at its endpoint.
func (m *Model) ModelName() string {
	_, name, _ := strings.Cut(m.Ref, "/")
	return markdown.OneLine(name, 64)
}

// Guided says that the guide answers, which is a part of winnow.
func (m *Model) Guided() bool { return m.Ref == llm.Guide || strings.HasPrefix(m.Ref, llm.Guide+"/") }

// Arrival is a message that a session is opened for, zero for its end.
type Arrival struct {
	Message int64
	Text    string // what is marked there, "" for nothing
}

// Opened is a session to show. Notice is a sentence about it, "" for none.
type Opened struct {
	Session *session.Session
	At      Arrival
	Notice  string
}

// Loaded is the session on the screen as a whole, and the receipts of its answers.
type Loaded struct {
	Messages branch.Branch
	Receipts map[int64]record.Receipt
	Err      error
}

// Screen is what a session has the rest of the screen do when something is known of it.
type Screen struct {
	Opened    func(Opened) tea.Cmd
	NotOpened func(err error, left bool) tea.Cmd // left: the session on the screen had been left for it
	Loaded    func(Loaded) tea.Cmd
	Leased    func() // it is known who may write in it
	ForksRead func() // it is known which sessions belong to it by a fork
	Planned   func(Planned) tea.Cmd
	Priced    func()         // what it has cost so far was read
	PastRead  func() tea.Cmd // its records tell about its next request
	Switched  func(Switched) tea.Cmd
	Changed   func() tea.Cmd // it was changed in the store beside this window
	Reread    func(Reread) tea.Cmd

	// Reached says whether its model can be asked, and what took the place of one that is gone, "" for nothing.
	Reached func(replaced string, err error) tea.Cmd
}

// Show puts another session on the screen.
func (c *Model) Show(s *session.Session) {
	*c = Model{
		Context: c.Context, Screen: c.Screen, Draft: c.Draft,
		planning: planning{Generation: c.Generation}, number: c.number, Background: c.Background,
	}
	c.Session, c.Busy, c.ReadOnly = s, false, s.Now().ReadOnly
	c.Refresh()
}

// Refresh shows the session's row and its model as they are now.
func (c *Model) Refresh() { c.Info, c.Ref = c.Session.Info(), c.Session.Model().Ref() }

// Title is what the session is called on the screen.
func (c *Model) Title() string {
	title := cmp.Or(c.Secrets.Line(c.Info.Title), "new chat")
	if c.Session.Temporary() {
		return "temporary, not saved · " + title
	}
	return title
}

// Start takes the lease of the session on the screen and reads what opening it left out.
func (c *Model) Start() tea.Cmd {
	s, db, fresh := c.Session, c.With.Store, c.Info.ID == ""
	load := c.ask(func(ctx context.Context) (app.Then, error) {
		err := s.LoadRest(ctx)
		receipts, more := s.Records().Receipts(ctx)
		earlier := 0
		if fresh && db != nil {
			sessions, _ := db.Sessions(ctx, store.Filter{}) // a number that is not known is not shown
			earlier = len(sessions)
		}
		return func() tea.Cmd {
			c.Earlier = earlier
			return c.Screen.Loaded(Loaded{s.Branch(), receipts, errors.Join(err, more)})
		}, nil
	})
	if db == nil {
		return load
	}
	return tea.Batch(load, c.Run(func(ctx context.Context) tea.Msg {
		byOther, err := s.Lease(ctx)
		return app.Then(func() tea.Cmd { return c.leased(s, byOther, err) })
	}))
}

// leased takes who may write in a session.
func (c *Model) leased(s *session.Session, byOther bool, err error) tea.Cmd {
	switch {
	case s != c.Session && c.Background.Has(s):
		return nil
	case s != c.Session:
		return Leave(s) // another one was opened meanwhile
	case err != nil:
		return c.Fail(theme.Sentence(err))
	}
	c.ReadOnly = byOther
	c.Screen.Leased()
	return nil
}

// ReadForks reads which sessions belong to the one on the screen by a fork.
func (c *Model) ReadForks() tea.Cmd {
	s, keys, secrets := c.Session, c.Keys, c.Secrets
	return c.ask(func(ctx context.Context) (app.Then, error) {
		kin, err := s.Kin(ctx)
		return func() tea.Cmd {
			c.Forks = NewForks(kin, s.Branch(), keys, secrets)
			c.Screen.ForksRead()
			return nil
		}, err
	})
}

// ask makes the command that finds something out about the session on the screen, and what is left to do then where
// that session is still shown.
func (c *Model) ask(do func(context.Context) (app.Then, error)) tea.Cmd {
	s := c.Session
	return c.Run(func(ctx context.Context) tea.Msg {
		then, err := do(ctx)
		return app.Then(func() tea.Cmd {
			switch {
			case s != c.Session || errors.Is(err, context.Canceled):
				return nil
			case err != nil:
				return c.Fail(theme.Sentence(err))
			}
			return then()
		})
	})
}

// Arrived is another session to show, or why it could not be opened.
type Arrived struct {
	Opened
	Number  int              // of the request, 0 where the session on the screen was not left for it
	Instead *session.Session // the session that it takes the place of, nil for any
	Err     error
}

// Arrive shows a session that was opened, unless another one was asked for since.
func (c *Model) Arrive(a Arrived) tea.Cmd {
	switch {
	case c.Background.Has(a.Session) && a.Number != c.number:
		return nil // it stays where it is
	case a.Number != 0 && a.Number != c.number, a.Instead != nil && a.Instead != c.Session:
		return Leave(a.Session)
	case errors.Is(a.Err, errStillOpen):
		return c.Say("It is still open in the other window.")
	case a.Err != nil:
		return c.Screen.NotOpened(a.Err, a.Number != 0)
	}
	return c.Screen.Opened(a.Opened)
}

// Reveal shows what looks like a secret, or hides it again.
func (c *Model) Reveal() {
	c.Secrets.Revealed = !c.Secrets.Revealed
	c.Forks.secrets = c.Secrets
}

// open makes the command that opens a session in the place of the one on the screen.
func (c *Model) open(next Opened, open func(context.Context) (*session.Session, error)) tea.Cmd {
	c.number++
	a := Arrived{Opened: next, Number: c.number}
	return c.Run(func(ctx context.Context) tea.Msg {
		a.Session, a.Err = open(ctx)
		return app.Then(func() tea.Cmd { return c.Arrive(a) })
	})
}

// start is how a session begins beside this one.
func (c *Model) start() session.Start { return session.Start{Ref: c.Ref, Dir: c.Info.Dir} }

// New begins a session.
func (c *Model) New() tea.Cmd {
	deps, start := c.With, c.start()
	return c.open(Opened{}, func(context.Context) (*session.Session, error) { return session.New(deps, start) })
}

// Temporary begins a chat that is kept in memory alone.
func (c *Model) Temporary() tea.Cmd {
	deps, start := c.With, c.start()
	return c.open(Opened{}, func(ctx context.Context) (*session.Session, error) {
		return session.Temporary(ctx, deps, start)
	})
}

// Open opens a stored session at one of its messages, on whatever branch that is. Where its model is
// gone it goes on with the one in use.
func (c *Model) Open(id string, at Arrival) tea.Cmd {
	if s := c.Background.Find(id); s != nil {
		return c.open(arrivalIn(s, at), func(context.Context) (*session.Session, error) { return s, nil })
	}
	deps, ref := c.With, c.Ref
	return c.open(Opened{At: at}, func(ctx context.Context) (*session.Session, error) {
		s, err := session.Open(ctx, deps, id, ref)
		if err == nil && at.Message != 0 && !holds(s, at.Message) {
			err = switchTo(ctx, s, at.Message)
		}
		return s, err
	})
}

// arrivalIn is where a session is opened in which an answer arrives: its branch cannot be left.
func arrivalIn(s *session.Session, at Arrival) Opened {
	if at.Message == 0 || holds(s, at.Message) {
		return Opened{At: at}
	}
	return Opened{Notice: "The message is on another branch, which can be opened when the answer is complete."}
}

// holds says that a message is on the active branch of a session, as far as that is loaded.
func holds(s *session.Session, message int64) bool {
	_, there := s.Branch().Find(message)
	return there
}

// switchTo makes the branch through a message the active one, unless another window has the session.
func switchTo(ctx context.Context, s *session.Session, message int64) error {
	byOther, err := s.Lease(ctx)
	if err == nil && !byOther {
		err = s.Switch(ctx, message)
	}
	if err != nil {
		s.Leave()
	}
	return err
}

// Fork copies the branch of the session on the screen up to a message into a session of its own, and opens that.
// Number is the message's.
func (c *Model) Fork(message int64, title, number string) tea.Cmd {
	deps, s, ref := c.With, c.Session, c.Ref
	return c.open(Opened{Notice: forkedSentence(title, "at message "+number)},
		func(ctx context.Context) (*session.Session, error) {
			fork, err := s.Fork(ctx, message)
			if err != nil {
				return nil, err
			}
			return session.Open(ctx, deps, fork.ID, ref)
		})
}

// ForkStored copies the active branch of a stored session into a session of its own, and opens that.
func (c *Model) ForkStored(id, title string) tea.Cmd {
	deps, ref := c.With, c.Ref
	return c.open(Opened{Notice: forkedSentence(title, "at its end")},
		func(ctx context.Context) (*session.Session, error) {
			now, err := deps.Store.Session(ctx, id) // it may have grown since it was listed
			if err == nil {
				now, err = deps.Store.Fork(ctx, id, now.Leaf)
			}
			if err != nil {
				return nil, err
			}
			return session.Open(ctx, deps, now.ID, ref)
		})
}

func forkedSentence(title, at string) string {
	return fmt.Sprintf("Forked from “%s” %s. The original is not changed.", markdown.OneLine(title, 60), at)
}

// Keep stores a temporary chat after all, and opens it.
func (c *Model) Keep() tea.Cmd {
	switch {
	case !c.Session.Temporary():
		return c.Say("This chat is already saved.")
	case c.Session.Branch().Len() == 0:
		return c.Fail("There is nothing to save yet.")
	case c.Busy:
		return c.Fail(c.Keys.Lacks(keymap.NeedIdle))
	}
	deps, s, ref := c.With, c.Session, c.Ref
	return c.Run(func(ctx context.Context) tea.Msg {
		a := Arrived{Opened: Opened{Notice: "This chat is now saved in the list of chats."}, Instead: s}
		var row store.Session
		if row, a.Err = s.Keep(ctx, deps.Store); a.Err == nil {
			a.Session, a.Err = session.Open(ctx, deps, row.ID, ref)
		}
		return app.Then(func() tea.Cmd { return c.Arrive(a) })
	})
}

var errStillOpen = errors.New("the chat is still open in the other window")

// TakeOver asks for the session on the screen, which another window had, and opens it anew where it is free: the
// other window may have added to it.
func (c *Model) TakeOver() tea.Cmd {
	deps, s, ref := c.With, c.Session, c.Ref
	return c.Run(func(ctx context.Context) tea.Msg {
		a := Arrived{Instead: s}
		a.Notice = "You can write in this chat again; everything added in the other window is loaded."
		byOther, err := s.Lease(ctx)
		if a.Err = err; byOther {
			a.Err = errStillOpen
		}
		if a.Err == nil {
			a.Session, a.Err = session.Open(ctx, deps, s.Info().ID, ref)
		}
		if a.Err == nil {
			_, a.Err = a.Session.Lease(ctx) // it is this window's already
		}
		return app.Then(func() tea.Cmd { return c.Arrive(a) })
	})
}

// Leave lets go of a session that is not shown any more: other windows may have it, and of a temporary one nothing
// is left.
func Leave(s *session.Session) tea.Cmd {
	if s == nil {
		return nil
	}
	return func() tea.Msg {
		if s.Leave(); s.Temporary() {
			s.Store().Close() // It holds nothing that anybody will miss.
		}
		return nil
	}
}
