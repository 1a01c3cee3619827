package conversation

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/markdown"
)

// Opening is a session that is asked for.
type Opening struct {
	Open   func(context.Context) (*session.Session, error)
	At     Arrival
	Notice string // what is said when it is there, "" for nothing
	Leaves bool   // the draft stays with the conversation on the screen, which is left
}

// Arrival is a message that a session is opened for, zero for its end.
type Arrival struct {
	Message int64
	Text    string // what is marked there, "" for nothing
}

// Begun is a session with the model and in the folder of this one.
func (c *Model) Begun() Opening {
	deps, start := c.With, session.StartOptions{Model: c.Ref, Dir: c.Info.Dir}
	return Opening{Open: func(context.Context) (*session.Session, error) { return session.New(deps, start) }}
}

// Temporary is a session that is kept in memory alone.
func (c *Model) Temporary() Opening {
	deps, start := c.With, session.StartOptions{Model: c.Ref, Dir: c.Info.Dir}
	return Opening{Open: func(ctx context.Context) (*session.Session, error) {
		return session.NewTemporary(ctx, deps, start)
	}}
}

// Stored is a stored session at one of its messages, on whatever branch that is. Where its model is gone it goes on
// with the one in use here.
func (c *Model) Stored(id string, at Arrival) Opening {
	deps, ref := c.With, c.Ref
	return Opening{At: at, Open: func(ctx context.Context) (*session.Session, error) {
		s, err := session.Open(ctx, deps, id, ref)
		if err != nil || holds(s, at) {
			return s, err
		}
		byOther, err := s.Lease(ctx) // another window may have the session, and so decides on its branch
		if err == nil && !byOther {
			err = s.SwitchBranch(ctx, at.Message)
		}
		if err != nil {
			s.ReleaseLease()
		}
		return s, err
	}}
}

// Back is this conversation itself, which is in the background. It stays on its branch while an answer arrives there.
func (c *Model) Back(at Arrival) Opening {
	o := Opening{At: at, Open: func(context.Context) (*session.Session, error) { return c.Session, nil }}
	if !holds(c.Session, at) {
		o.At, o.Notice = Arrival{}, "The message is on another branch, which can be opened when the answer is complete."
	}
	return o
}

// holds says that the message of an arrival is on the active branch of a session, as far as that is loaded.
func holds(s *session.Session, at Arrival) bool {
	_, there := s.Branch().Find(at.Message)
	return there || at.Message == 0
}

// Forked is a copy of the branch up to a message, with the number that the screen gives that.
func (c *Model) Forked(message int64, number string) Opening {
	s, notice := c.Session, fmt.Sprintf("Forked from “%s” at message %s. The original is not changed.",
		markdown.OneLine(c.Title(), 60), number)
	return c.made(notice, func(ctx context.Context) (store.Session, error) { return s.Fork(ctx, message) })
}

// Kept is a temporary chat that is stored after all.
func (c *Model) Kept() Opening {
	db, s := c.With.Store, c.Session
	return c.made("This chat is now saved in the list of chats.",
		func(ctx context.Context) (store.Session, error) { return s.SaveTo(ctx, db) })
}

// TakenOver is the session itself, which another window had, read anew where it is free: the other window may have
// added to it.
func (c *Model) TakenOver() Opening {
	s := c.Session
	return c.made("You can write in this chat again; everything added in the other window is loaded.",
		func(ctx context.Context) (store.Session, error) {
			byOther, err := s.Lease(ctx)
			if byOther {
				err = errors.New("the chat is still open in the other window")
			}
			return s.Info(), err
		})
}

// made is a stored session that is made or freed for that.
func (c *Model) made(notice string, row func(context.Context) (store.Session, error)) Opening {
	deps, ref := c.With, c.Ref
	return Opening{Notice: notice, Open: func(ctx context.Context) (*session.Session, error) {
		stored, err := row(ctx)
		if err != nil {
			return nil, err
		}
		return session.Open(ctx, deps, stored.ID, ref)
	}}
}

// Leave lets go of a session that is not shown any more: other windows may have it, and of a temporary one nothing
// is left.
func Leave(s *session.Session) tea.Cmd {
	if s == nil {
		return nil
	}
	return func() tea.Msg {
		if s.ReleaseLease(); s.Temporary() {
			s.Store().Close() // It holds nothing that anybody will miss.
		}
		return nil
	}
}
