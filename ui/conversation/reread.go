package conversation

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// FindChanged finds out whether the session was changed in the store beside this window, as by a sync of another one,
// and takes that over.
func (c *Model) FindChanged() tea.Cmd {
	s := c.Session
	return c.ask(func(ctx context.Context) (app.Then, error) {
		changed, err := s.RefreshSettings(ctx)
		if errors.Is(err, store.ErrNotFound) || err == nil && (changed || s.State().Stale) {
			return c.Changed, nil
		}
		return func() tea.Cmd { return nil }, nil // what is wrong with the store is said when something is stored
	})
}

// Changed takes over that the session was changed in the store, now or when its answer is complete.
func (c *Model) Changed() tea.Cmd {
	c.stale = true
	return c.CatchUp()
}

// CatchUp takes over what was changed in the session beside this window, where something was and no answer arrives.
// What cannot be taken over now is for the next time.
func (c *Model) CatchUp() tea.Cmd {
	s := c.Session
	if !c.stale || c.Busy || !s.State().Loaded {
		return nil
	}
	return c.ask(func(ctx context.Context) (app.Then, error) {
		found, err := s.Reload(ctx)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return c.gone, nil
		case errors.Is(err, session.ErrBusy), errors.Is(err, session.ErrLoading):
			return func() tea.Cmd { return nil }, nil // the end of the turn catches up
		case err != nil:
			return nil, err
		}
		receipts, err := s.Records().Receipts(ctx)
		return func() tea.Cmd { return c.reread(found, receipts) }, errors.Join(err, s.ReadSpending(ctx))
	})
}

// gone leaves a session that is not in the store any more, unless a turn has begun meanwhile: its end catches up.
func (c *Model) gone() tea.Cmd {
	if c.Busy {
		return nil
	}
	return c.Screen.Gone()
}

// reread shows what was changed. The cursor, the page and the draft stay as they are.
func (c *Model) reread(found session.Reloaded, receipts map[int64]record.Receipt) tea.Cmd {
	trashed := c.Info.Deleted.IsZero() && !found.Row.Deleted.IsZero()
	c.stale = false
	c.Refresh()
	c.Panel.ToNext()
	c.Chat.Reread(c.Session.Branch(), receipts, !c.Screen.Touched())
	said := ""
	switch {
	case trashed:
		said = "This chat was moved to the trash on another machine. It stays open here; " +
			c.Keys.First(keymap.Sessions) + " lists the trash."
	case found.Diverged:
		said = "Another machine went on from an earlier message: " + c.Keys.First(keymap.Earlier) + " and " +
			c.Keys.First(keymap.Later) + " there switch."
	case found.Added > 0:
		said = "Continued on another machine: " + theme.Plural(found.Added, "new message") + "."
	}
	return tea.Batch(c.Say(said), c.Replan(), c.Chat.SearchOn())
}
