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

// Opening describes a session that is to be opened and shown.
type Opening struct {
	Open        func(context.Context) (*session.Session, error)
	Destination Destination
	Notice      string // shown once it is open; "" for nothing
	LeavesDraft bool   // the draft is kept with the conversation that leaves the screen
}

// Destination is the message that a session is opened at. The zero value is the end of the session.
type Destination struct {
	Message int64
	Text    string // marked in the message; "" for nothing
}

// OpenNew opens a new session with the model and the working folder of this one.
func (c *Model) OpenNew() Opening {
	deps, start := c.Deps, session.StartOptions{Model: c.Ref, Dir: c.Info.Dir}
	return Opening{
		Open: func(context.Context) (*session.Session, error) { return session.New(deps, start) },
	}
}

// OpenTemporary opens a new session that is kept in memory only.
func (c *Model) OpenTemporary() Opening {
	deps, start := c.Deps, session.StartOptions{Model: c.Ref, Dir: c.Info.Dir}
	return Opening{Open: func(ctx context.Context) (*session.Session, error) {
		return session.NewTemporary(ctx, deps, start)
	}}
}

// OpenStored opens a stored session at one of its messages, and switches to the branch of that message if no other
// window has the session. If the session's model no longer exists, it continues with the one in use here.
func (c *Model) OpenStored(id string, at Destination) Opening {
	deps, ref := c.Deps, c.Ref
	return Opening{Destination: at, Open: func(ctx context.Context) (*session.Session, error) {
		s, err := session.Open(ctx, deps, id, ref)
		if err != nil || onBranch(s, at) {
			return s, err
		}
		byOther, err := s.Lease(ctx) // only the window with the lease may switch branches
		if err == nil && !byOther {
			err = s.SwitchBranch(ctx, at.Message)
		}
		if err != nil {
			s.ReleaseLease()
		}
		return s, err
	}}
}

// OpenBackground returns this conversation from the background. Its branch cannot change while an answer arrives.
func (c *Model) OpenBackground(at Destination) Opening {
	o := Opening{
		Destination: at, Open: func(context.Context) (*session.Session, error) { return c.Session, nil },
	}
	if !onBranch(c.Session, at) {
		o.Destination = Destination{}
		o.Notice = "The message is on another branch, which can be opened when the answer is complete."
	}
	return o
}

// onBranch reports whether a destination is on the loaded part of the session's active branch.
func onBranch(s *session.Session, at Destination) bool {
	_, there := s.Branch().Find(at.Message)
	return there || at.Message == 0
}

// OpenFork copies the branch up to a message into a new session. The number is the message's, as the screen shows it.
func (c *Model) OpenFork(message int64, number string) Opening {
	s, notice := c.Session, fmt.Sprintf("Forked from “%s” at message %s. The original is not changed.",
		markdown.OneLine(c.Title(), 60), number)
	return c.openRow(notice, func(ctx context.Context) (store.Session, error) { return s.Fork(ctx, message) })
}

// OpenSaved stores this temporary session and opens the stored one.
func (c *Model) OpenSaved() Opening {
	db, s := c.Deps.Store, c.Session
	return c.openRow("This chat is now saved in the list of chats.",
		func(ctx context.Context) (store.Session, error) { return s.SaveTo(ctx, db) })
}

// OpenReleased opens this session again for writing, if the other window has closed it. It is read anew, because that
// window may have added messages.
func (c *Model) OpenReleased() Opening {
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

// openRow opens the stored session whose row the function returns.
func (c *Model) openRow(
	notice string, row func(context.Context) (store.Session, error),
) Opening {
	deps, ref := c.Deps, c.Ref
	return Opening{Notice: notice, Open: func(ctx context.Context) (*session.Session, error) {
		stored, err := row(ctx)
		if err != nil {
			return nil, err
		}
		return session.Open(ctx, deps, stored.ID, ref)
	}}
}

// Leave releases the lease of a session that is no longer shown, so that other windows can take it. The memory of a
// temporary session is freed. A nil session is ignored.
func Leave(s *session.Session) tea.Cmd {
	if s == nil {
		return nil
	}
	return func() tea.Msg {
		if s.ReleaseLease(); s.Temporary() {
			s.Store().Close() // in memory, so there is nothing to lose by an error
		}
		return nil
	}
}
