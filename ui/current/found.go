package current

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/event"
)

// The events of what is found out about the session on the screen while it is used.
type (
	// Counted says how far its messages are counted.
	Counted struct{ session.Counting }
	// Priced says that what it has cost so far was read.
	Priced struct{}
	// PastRead says that it knows what its records tell about its next request.
	PastRead struct{}
	// Switched is the version of a message whose branch is the active one now, or Only says that there is one version
	// of the message Of.
	Switched struct {
		Of      int64
		Version session.Version
		Only    bool
	}
	// Reread is what was changed in the session on the screen beside this window, and the receipts of its answers.
	Reread struct {
		session.Reread
		Receipts map[int64]record.Receipt
		Gone     bool // it is not in the store any more
		Later    bool // it can only be read when its turn is over, or when it is loaded
	}
	// Changed says that it was changed in the store beside this window.
	Changed struct{}
	// Elsewhere is the branch that another machine went on with while this one did with the branch in use.
	Elsewhere struct{ session.Elsewhere }
	// Reached says whether its model can be asked, and what took the place of one that is gone, "" for nothing.
	Reached struct {
		Replaced string
		Err      error
	}
)

// ask makes the command that finds something out about the session on the screen.
func (c *Model) ask(do func(context.Context) (event.Event, error)) tea.Cmd {
	s := c.Session
	return c.Run(func(ctx context.Context) tea.Msg {
		e, err := do(ctx)
		return FoundMsg{s, e, err}
	})
}

// Learn finds out what else there is to know about a session that was loaded.
func (c *Model) Learn() tea.Cmd {
	s := c.Session
	prices := c.ask(func(ctx context.Context) (event.Event, error) {
		return Priced{}, s.ReadSpent(ctx)
	})
	past := c.ask(func(ctx context.Context) (event.Event, error) { return PastRead{}, s.LoadPast(ctx) })
	return tea.Batch(c.Count(), prices, c.Reach(), past, c.ReadForks(), c.FindElsewhere())
}

// Count counts some messages that were never counted, such as imported ones.
func (c *Model) Count() tea.Cmd {
	s := c.Session
	return c.ask(func(ctx context.Context) (event.Event, error) {
		c, err := s.CountSome(ctx)
		return Counted{c}, err
	})
}

// Reach finds out whether the model can be asked at all, so that the screen says it before a message is written.
func (c *Model) Reach() tea.Cmd {
	s := c.Session
	return c.ask(func(ctx context.Context) (event.Event, error) {
		replaced, err := s.Reach(ctx)
		return Reached{replaced, err}, nil
	})
}

// SwitchVersion goes to the branch of the version of a message that is so many versions after its own.
func (c *Model) SwitchVersion(message int64, by int) tea.Cmd {
	s := c.Session
	return c.ask(func(ctx context.Context) (event.Event, error) {
		v, err := s.SwitchVersion(ctx, message, by)
		if errors.Is(err, session.ErrOneVersion) {
			return Switched{Of: message, Only: true}, nil
		}
		return Switched{message, v, false}, err
	})
}

// FindChanged finds out whether it was changed in the store beside this window, as by a sync of another window.
func (c *Model) FindChanged() tea.Cmd {
	s := c.Session
	return c.Run(func(ctx context.Context) tea.Msg {
		stale, err := s.Stale(ctx)
		if err != nil || !stale {
			return nil // what is wrong with the store is said when something is stored
		}
		return FoundMsg{s, Changed{}, nil}
	})
}

// Reread takes over what was changed in the store beside this window.
func (c *Model) Reread() tea.Cmd {
	s := c.Session
	return c.ask(func(ctx context.Context) (event.Event, error) {
		found, err := s.Reread(ctx)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return Reread{Gone: true}, nil
		case errors.Is(err, session.ErrBusy), errors.Is(err, session.ErrLoading):
			return Reread{Later: true}, nil
		case err != nil:
			return nil, err
		}
		receipts, err := s.Records().Receipts(ctx)
		return Reread{Reread: found, Receipts: receipts}, errors.Join(err, s.ReadSpent(ctx))
	})
}

// FindElsewhere finds out whether another machine went on with another branch.
func (c *Model) FindElsewhere() tea.Cmd {
	s := c.Session
	return c.ask(func(ctx context.Context) (event.Event, error) {
		found, err := s.Elsewhere(ctx)
		return Elsewhere{found}, err
	})
}
