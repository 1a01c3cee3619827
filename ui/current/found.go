package current

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/app"
)

// Reread is what was changed in the session on the screen beside this window, and the receipts of its answers.
type Reread struct {
	session.Reread
	Receipts map[int64]record.Receipt
	Gone     bool // it is not in the store any more
	Later    bool // it can only be read when its turn is over, or when it is loaded
}

// Learn finds out what else there is to know about a session that was loaded.
func (c *Model) Learn() tea.Cmd {
	s, read := c.Session, c.Screen.PastRead
	past := c.ask(func(ctx context.Context) (app.Then, error) {
		return read, errors.Join(s.ReadSpent(ctx), s.LoadPast(ctx))
	})
	return tea.Batch(c.Reach(), past)
}

// Reach finds out whether the model can be asked at all, so that the screen says it before a message is written.
func (c *Model) Reach() tea.Cmd {
	s := c.Session
	return c.ask(func(ctx context.Context) (app.Then, error) {
		replaced, err := s.Reach(ctx)
		return func() tea.Cmd { return c.Screen.Reached(replaced, err) }, nil
	})
}

// SwitchVersion goes to the branch of the version of a message that is so many versions after its own.
func (c *Model) SwitchVersion(message int64, by int) tea.Cmd {
	s := c.Session
	return c.ask(func(ctx context.Context) (app.Then, error) {
		v, err := s.SwitchVersion(ctx, message, by)
		return func() tea.Cmd { return c.Screen.Switched(v) }, err
	})
}

// FindChanged finds out whether it was changed in the store beside this window, as by a sync of another window.
func (c *Model) FindChanged() tea.Cmd {
	s, reread := c.Session, c.Screen.Changed
	return c.ask(func(ctx context.Context) (app.Then, error) {
		changed, err := s.Refresh(ctx)
		if errors.Is(err, store.ErrNotFound) || err == nil && (changed || s.Now().Behind) {
			return reread, nil
		}
		return func() tea.Cmd { return nil }, nil // what is wrong with the store is said when something is stored
	})
}

// Reread takes over what was changed in the store beside this window.
func (c *Model) Reread() tea.Cmd {
	s := c.Session
	return c.ask(func(ctx context.Context) (app.Then, error) {
		found, err := s.Reread(ctx)
		read := Reread{
			Reread: found, Gone: errors.Is(err, store.ErrNotFound),
			Later: errors.Is(err, session.ErrBusy) || errors.Is(err, session.ErrLoading),
		}
		switch {
		case read.Gone, read.Later:
			err = nil
		case err == nil:
			read.Receipts, err = s.Records().Receipts(ctx)
			err = errors.Join(err, s.ReadSpent(ctx))
		}
		return func() tea.Cmd { return c.Screen.Reread(read) }, err
	})
}
