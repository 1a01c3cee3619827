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

// RereadIfChanged checks whether another program has changed the stored session, such as a sync in another window, and
// reads it again if so.
func (c *Model) RereadIfChanged() tea.Cmd {
	s := c.Session
	return c.ask(func(ctx context.Context) (app.Then, error) {
		changed, err := s.RefreshSettings(ctx)
		if errors.Is(err, store.ErrNotFound) || err == nil && (changed || s.State().Stale) {
			return c.RereadSoon, nil
		}
		return func() tea.Cmd { return nil }, nil // an error of the store is shown when a message is sent
	})
}

// RereadSoon reads the session again because its stored form has changed: now, or when its answer is complete.
func (c *Model) RereadSoon() tea.Cmd {
	c.stale = true
	return c.RereadIfStale()
}

// RereadIfStale reads the session again if another program has changed it. While an answer arrives or messages are
// still loading it does nothing, and is called again afterwards.
func (c *Model) RereadIfStale() tea.Cmd {
	s := c.Session
	if !c.stale || c.Busy || !s.State().Loaded {
		return nil
	}
	return c.ask(func(ctx context.Context) (app.Then, error) {
		found, err := s.Reload(ctx)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return c.purged, nil
		case errors.Is(err, session.ErrBusy), errors.Is(err, session.ErrLoading):
			return func() tea.Cmd { return nil }, nil // the end of the turn tries again
		case err != nil:
			return nil, err
		}
		receipts, err := s.Records().Receipts(ctx)
		return func() tea.Cmd { return c.reread(found, receipts) }, errors.Join(err, s.ReadSpending(ctx))
	})
}

// purged leaves a session that is no longer in the store, unless a turn has begun meanwhile: its end tries again.
func (c *Model) purged() tea.Cmd {
	if c.Busy {
		return nil
	}
	return c.Screen.Purged()
}

// reread shows what has changed. The cursor, the scroll position and the draft stay as they are.
func (c *Model) reread(found session.Reloaded, receipts map[int64]record.Receipt) tea.Cmd {
	trashed := c.Info.Deleted.IsZero() && !found.Row.Deleted.IsZero()
	c.stale = false
	c.Refresh()
	c.Panel.ShowNext()
	c.Chat.Refresh(c.Session.Branch(), receipts, !c.Screen.KeyPressed())
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
	return tea.Batch(c.Say(said), c.Replan(), c.Chat.RunSearch())
}
