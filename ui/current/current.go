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
	NotOpened func(error) tea.Cmd
	Loaded    func(Loaded) tea.Cmd
	Leased    func() // it is known who may write in it
	Planned   func(Planned) tea.Cmd
	PastRead  func() tea.Cmd                // its records tell about its next request, and what it has cost so far
	Switched  func(session.Version) tea.Cmd // another version of a message has the active branch
	Changed   func() tea.Cmd                // it was changed in the store beside this window
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

// Kin reads which sessions belong to the one on the screen by a fork.
func (c *Model) Kin(then func(session.Kin) tea.Cmd) tea.Cmd {
	s := c.Session
	return c.ask(func(ctx context.Context) (app.Then, error) {
		kin, err := s.Kin(ctx)
		return func() tea.Cmd { return then(kin) }, err
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

// open makes the command that opens a session in the place of the one on the screen, unless another one is asked for
// until it is there.
func (c *Model) open(next Opened, open func(context.Context) (*session.Session, error)) tea.Cmd {
	c.number++
	number := c.number
	return c.Run(func(ctx context.Context) tea.Msg {
		s, err := open(ctx)
		return app.Then(func() tea.Cmd {
			switch {
			case number != c.number && c.Background.Has(s):
				return nil // it stays where it is
			case number != c.number:
				return Leave(s)
			case err != nil:
				return c.Screen.NotOpened(err)
			}
			next.Session = s
			return c.Screen.Opened(next)
		})
	})
}

// openRow opens a stored session that was made or freed for that, and says what happened.
func (c *Model) openRow(notice string, row func(context.Context) (store.Session, error)) tea.Cmd {
	deps, ref := c.With, c.Ref
	return c.open(Opened{Notice: notice}, func(ctx context.Context) (*session.Session, error) {
		stored, err := row(ctx)
		if err != nil {
			return nil, err
		}
		return session.Open(ctx, deps, stored.ID, ref)
	})
}

// New begins a session with the model and in the folder of the one on the screen.
func (c *Model) New() tea.Cmd {
	deps, start := c.With, session.Start{Ref: c.Ref, Dir: c.Info.Dir}
	return c.open(Opened{}, func(context.Context) (*session.Session, error) { return session.New(deps, start) })
}

// Temporary begins a chat that is kept in memory alone.
func (c *Model) Temporary() tea.Cmd {
	deps, start := c.With, session.Start{Ref: c.Ref, Dir: c.Info.Dir}
	return c.open(Opened{}, func(ctx context.Context) (*session.Session, error) {
		return session.Temporary(ctx, deps, start)
	})
}

// Open opens a stored session at one of its messages, on whatever branch that is. Where its model is gone it goes on
// with the one in use. One in which an answer arrives stays on its branch.
func (c *Model) Open(id string, at Arrival) tea.Cmd {
	deps, ref := c.With, c.Ref
	if s := c.Background.Find(id); s != nil {
		next := Opened{At: at}
		if !holds(s, at) {
			next = Opened{Notice: "The message is on another branch, which can be opened when the answer is complete."}
		}
		return c.open(next, func(context.Context) (*session.Session, error) { return s, nil })
	}
	return c.open(Opened{At: at}, func(ctx context.Context) (*session.Session, error) {
		s, err := session.Open(ctx, deps, id, ref)
		if err != nil || holds(s, at) {
			return s, err
		}
		byOther, err := s.Lease(ctx) // another window may have the session, and so decides on its branch
		if err == nil && !byOther {
			err = s.Switch(ctx, at.Message)
		}
		if err != nil {
			s.Leave()
		}
		return s, err
	})
}

// holds says that the message of an arrival is on the active branch of a session, as far as that is loaded.
func holds(s *session.Session, at Arrival) bool {
	_, there := s.Branch().Find(at.Message)
	return there || at.Message == 0
}

// forkedFrom says what a fork was made of.
const forkedFrom = "Forked from “%s” %s. The original is not changed."

// Fork copies the branch of the session on the screen up to a message into a session of its own, and opens that.
// Number is the message's.
func (c *Model) Fork(message int64, title, number string) tea.Cmd {
	s, notice := c.Session, fmt.Sprintf(forkedFrom, markdown.OneLine(title, 60), "at message "+number)
	return c.openRow(notice, func(ctx context.Context) (store.Session, error) { return s.Fork(ctx, message) })
}

// ForkStored copies the active branch of a stored session into a session of its own, and opens that.
func (c *Model) ForkStored(id, title string) tea.Cmd {
	db, notice := c.With.Store, fmt.Sprintf(forkedFrom, markdown.OneLine(title, 60), "at its end")
	return c.openRow(notice, func(ctx context.Context) (store.Session, error) {
		now, err := db.Session(ctx, id) // it may have grown since it was listed
		if err != nil {
			return now, err
		}
		return db.Fork(ctx, id, now.Leaf)
	})
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
	db, s := c.With.Store, c.Session
	return c.openRow("This chat is now saved in the list of chats.",
		func(ctx context.Context) (store.Session, error) { return s.Keep(ctx, db) })
}

// TakeOver asks for the session on the screen, which another window had, and opens it anew where it is free: the
// other window may have added to it.
func (c *Model) TakeOver() tea.Cmd {
	s := c.Session
	return c.openRow("You can write in this chat again; everything added in the other window is loaded.",
		func(ctx context.Context) (store.Session, error) {
			byOther, err := s.Lease(ctx)
			if byOther {
				err = errors.New("the chat is still open in the other window")
			}
			return s.Info(), err
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
