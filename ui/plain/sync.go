package plain

import (
	"context"
	"errors"
	"slices"
	"time"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/theme"
)

// These bound how long the first prompt waits for what other machines added to the session that is opened, and how long
// quitting waits for what is exchanged with them.
const (
	startTime = time.Second
	endTime   = 1500 * time.Millisecond
)

// syncing is the sync with other machines. It runs beside the chat, and what it brought is shown before the next
// prompt.
type syncing struct {
	over  chan synced // nil while none runs
	again bool        // another one was asked for since it began
	said  string      // why the last one failed, as the user was told it
}

// synced is how a run ended.
type synced struct {
	changed []string // the ids of sessions
	err     error
}

// sync syncs beside the chat; where that goes on already, once more then.
func (c *chat) sync(ctx context.Context) {
	switch {
	case c.Sync == nil:
		return
	case c.syncing.over != nil:
		c.syncing.again = true
		return
	}
	over := make(chan synced, 1)
	c.syncing.over, c.syncing.again = over, false
	go func() {
		changed, err := c.Sync(ctx)
		over <- synced{changed, err}
	}()
}

// syncFirst syncs before the first prompt. Who opens a session sees what was added to it elsewhere, where that comes
// soon.
func (c *chat) syncFirst(ctx context.Context) {
	c.sync(ctx)
	if c.syncing.over == nil || c.s.Info().ID == "" {
		return
	}
	c.awaitSync(ctx, startTime)
}

// awaitSync waits so long for the run that goes on, and shows what it brought. 0 takes only what is there.
func (c *chat) awaitSync(ctx context.Context, most time.Duration) {
	if c.syncing.over == nil {
		return
	}
	select {
	case run := <-c.syncing.over:
		c.synced(ctx, run)
		return
	default:
	}
	if most == 0 {
		return
	}
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case run := <-c.syncing.over:
		c.synced(ctx, run)
	case <-late.C:
	case <-ctx.Done():
	}
}

// synced shows what a run changed, and why it failed where that was not said of the one before.
func (c *chat) synced(ctx context.Context, run synced) {
	c.syncing.over = nil
	said := ""
	if run.err != nil && !errors.Is(run.err, context.Canceled) {
		said = theme.UpperFirst(theme.Sentence(run.err))
	}
	if said != "" && said != c.syncing.said {
		c.say("%s", said)
	}
	c.syncing.said = said
	stale := slices.Contains(run.changed, c.s.Info().ID)
	if !stale { // another window may have synced; what is wrong with the store is said when something is stored
		stale, _ = c.s.Refresh(ctx)
		stale = stale || c.s.Now().Behind
	}
	if stale {
		c.reread(ctx)
	}
	if c.syncing.again {
		c.sync(ctx)
	}
}

// reread takes over what was changed in the open session.
func (c *chat) reread(ctx context.Context) {
	trashed := !c.s.Info().Deleted.IsZero()
	found, err := c.s.Reread(ctx)
	switch {
	case errors.Is(err, store.ErrNotFound):
		c.gone(ctx)
	case err != nil:
		c.say("%s", theme.UpperFirst(theme.Sentence(err)))
	case !trashed && !found.Row.Deleted.IsZero():
		c.say("This chat was moved to the trash on another machine. It stays open here.")
	case found.Parts:
		c.say("Another machine went on from an earlier message; /versions lists what there is.")
	case found.Added > 0:
		c.say("Continued on another machine: %s. /history prints the chat.",
			theme.Plural(found.Added, "new message"))
	}
}

// gone begins a new session in the place of one that was deleted permanently.
func (c *chat) gone(ctx context.Context) {
	s, err := session.New(c.Deps, session.Start{Ref: c.s.Model().Ref()})
	if err != nil {
		c.say("%s", theme.UpperFirst(theme.Sentence(err)))
		return
	}
	c.s.Leave()
	c.s, c.last = s, ""
	c.say("The chat that was open here was deleted permanently on another machine. This is a new chat.")
	c.enter(ctx)
}

// syncLast syncs once more, for a while. What is left is done at the next start.
func (c *chat) syncLast(ctx context.Context) {
	if c.Sync == nil || ctx.Err() != nil {
		return
	}
	ctx, stop := context.WithTimeout(ctx, endTime)
	defer stop()
	before, last := c.syncing.over, make(chan bool)
	go func() { // a folder on a disk that does not answer keeps nobody from leaving
		defer close(last)
		if before != nil {
			<-before
		}
		_, _ = c.Sync(ctx)
	}()
	select {
	case <-last:
	case <-ctx.Done():
	}
}
