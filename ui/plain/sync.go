package plain

import (
	"context"
	"errors"
	"time"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/theme"
)

// These bound how long the first prompt waits for what other machines added to the chat that is opened, and how long
// quitting waits for what is exchanged with them.
const (
	syncStart = time.Second
	syncEnd   = 1500 * time.Millisecond
)

// sync exchanges the history with other machines beside the chat, unless that goes on already.
func (c *chat) sync(ctx context.Context) {
	if c.Sync == nil || c.syncing != nil {
		return
	}
	over := make(chan error, 1)
	c.syncing = over
	go func() {
		_, err := c.Sync(ctx)
		over <- err
	}()
}

// awaitSync waits so long for the sync that goes on, and says why it failed where that was not said of the one before.
func (c *chat) awaitSync(ctx context.Context, most time.Duration) {
	if c.syncing == nil {
		return
	}
	select {
	case err := <-c.syncing:
		c.syncing = nil
		if errors.Is(err, context.Canceled) {
			err = nil
		}
		if err != nil && (c.syncFault == nil || err.Error() != c.syncFault.Error()) {
			c.report(err)
		}
		c.syncFault = err
		c.refresh(ctx)
	case <-time.After(most):
	case <-ctx.Done():
	}
}

// refresh takes over what was changed in the open chat elsewhere. One that was deleted permanently makes room for a new
// one. What is wrong with the database is said when something is stored.
func (c *chat) refresh(ctx context.Context) {
	changed, err := c.s.Refresh(ctx)
	if !changed && !c.s.Now().Behind && !errors.Is(err, store.ErrNotFound) {
		return
	}
	found, err := c.s.Reread(ctx)
	switch {
	case errors.Is(err, store.ErrNotFound):
		s, err := session.New(c.Deps, session.Start{Ref: c.s.Model().Ref()})
		if err != nil {
			c.report(err)
			return
		}
		c.say("The chat that was open here was deleted permanently on another machine. This is a new chat.")
		c.s.Leave()
		c.s, c.tooLong = s, ""
		c.enter(ctx)
	case err != nil:
		c.report(err)
	case found.Parts:
		c.say("Another machine went on from an earlier message; /version goes to other versions.")
	case found.Added > 0:
		c.say("Continued on another machine: %s. /history prints the chat.", theme.Plural(found.Added, "new message"))
	}
}
