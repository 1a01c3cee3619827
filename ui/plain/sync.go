package plain

import (
	"context"
	"errors"
	"time"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/theme"
)

// syncTime is how long the chat waits for the exchange with other machines.
const syncTime = 1500 * time.Millisecond

// sync exchanges the history with other machines, and takes over what that changed in the open chat. Why it failed is
// said where that was not said of the one before.
func (c *chat) sync(ctx context.Context) {
	if c.Sync == nil {
		return
	}
	bounded, stop := context.WithTimeout(ctx, syncTime)
	defer stop()
	_, err := c.Sync(bounded)
	fault := ""
	if err != nil && bounded.Err() == nil {
		fault = err.Error()
	}
	if fault != "" && fault != c.syncFault {
		c.report(err)
	}
	c.syncFault = fault
	c.refresh(ctx)
}

// refresh takes over what was changed in the open chat elsewhere. One that was deleted permanently makes room for a new
// one. What is wrong with the database is said when something is stored.
func (c *chat) refresh(ctx context.Context) {
	changed, err := c.s.Refresh(ctx)
	if !changed && !c.s.Now().Behind && !errors.Is(err, store.ErrNotFound) {
		return
	}
	switch found, err := c.s.Reread(ctx); {
	case errors.Is(err, store.ErrNotFound):
		s, err := session.New(c.Deps, session.Start{Ref: c.s.Model().Ref()})
		if err != nil {
			c.report(err)
			return
		}
		c.say("The chat that was open here was deleted permanently on another machine. This is a new chat.")
		c.open(ctx, s)
	case err != nil:
		c.report(err)
	case found.Parts:
		c.say("Another machine went on from an earlier message; /version goes to other versions.")
	case found.Added > 0:
		c.say("Continued on another machine: %s. /history prints the chat.", theme.Plural(found.Added, "new message"))
	}
}
