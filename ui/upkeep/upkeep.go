// Package upkeep maintains the stored history while winnow runs: it makes a daily backup soon after the start, updates
// the search index in small steps, and synchronizes with other machines. All of this runs in commands that nothing
// waits for.
package upkeep

import (
	"context"
	"errors"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/theme"
)

// firstFrame is longer than the first frame takes to draw.
const firstFrame = 50 * time.Millisecond

// BackupDelay is the usual time from the start to the backup, so that the backup slows nothing down.
const BackupDelay = 2 * time.Second

// Screen is what the upkeep needs from the rest of the screen.
type Screen struct {
	News   func(text string)              // shows a text until a message is sent
	Synced func(changed []string) tea.Cmd // shows the sessions that a sync has changed, by id
}

// Sync synchronizes with other machines, and returns the ids of the sessions that it changed here, even if it fails.
type Sync func(context.Context) (changed []string, err error)

// Model is the state of backup, index and sync.
type Model struct {
	*app.Shared
	Screen      Screen
	Exchange    Sync          // nil if sync is not set up
	BackupDelay time.Duration // from the start to the backup
	Syncing     bool          // a sync is running
	Hurried     bool          // the user quits in a hurry: SyncAtEnd starts nothing

	indexing bool
	again    bool       // another sync was asked for while one was running
	reported string     // the last sync's error, as shown; "" if it succeeded
	running  sync.Mutex // held while a sync runs
	stop     func()     // cancels the newest sync; nil before the first
}

// after returns a command that has Update call do after a time.
func after(d time.Duration, do app.Then) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return do })
}

// Start syncs after the first frame, and makes the backup after BackupDelay.
func (u *Model) Start() tea.Cmd {
	if u.Deps.Store == nil {
		return nil
	}
	return tea.Batch(after(firstFrame, u.Sync), after(u.BackupDelay, u.backUp))
}

// backUp makes today's backup, unless there is one already.
func (u *Model) backUp() tea.Cmd {
	db := u.Deps.Store
	return u.Run(func(ctx context.Context) tea.Msg {
		_, err := db.BackUpToday(ctx) // which also checks the file for damage
		return app.Then(func() tea.Cmd { return u.backedUp(err) })
	})
}

// backedUp shows why the backup failed. It shows nothing for a backup that succeeded.
func (u *Model) backedUp(err error) tea.Cmd {
	switch {
	case errors.Is(err, store.ErrDamaged):
		u.Screen.News("Part of the chat history is damaged. New messages are still saved. " +
			"Restart winnow when convenient: it sets the damaged file aside and recovers what can be read.")
	case err != nil:
		return u.Fail("Today’s backup failed: " + theme.Sentence(err))
	}
	return nil
}

// UpdateIndex adds the messages that the search index lacks, such as those of a fork, unless it is already doing so.
func (u *Model) UpdateIndex() tea.Cmd {
	if u.Deps.Store == nil || u.Deps.Store.ReadOnly() || u.indexing {
		return nil
	}
	u.indexing = true
	return u.indexStep()
}

// indexStep indexes some messages and schedules the next step, after a pause as long as this one took. An error ends
// the update silently until the next call of UpdateIndex: the messages indexed so far can be found.
func (u *Model) indexStep() tea.Cmd {
	db := u.Deps.Store
	return u.Run(func(ctx context.Context) tea.Msg {
		begun := time.Now()
		left, err := db.IndexSome(ctx)
		if left == 0 && err == nil {
			err = db.FinishPurge(ctx)
		}
		took := time.Since(begun)
		return app.Then(func() tea.Cmd {
			if u.indexing = err == nil && left > 0; !u.indexing {
				return nil
			}
			return after(took, u.indexStep)
		})
	})
}

// Sync synchronizes with other machines. If a sync is running, another one follows it.
func (u *Model) Sync() tea.Cmd {
	switch {
	case u.Exchange == nil:
		return nil
	case u.Syncing:
		u.again = true
		return nil
	}
	ctx, stop := u.NewContext()
	u.Syncing, u.again, u.stop = true, false, stop
	return func() tea.Msg {
		u.running.Lock()
		defer u.running.Unlock()
		defer stop()
		changed, err := u.Exchange(ctx)
		return app.Then(func() tea.Cmd { return u.synced(changed, err) })
	}
}

// synced shows what a sync changed, and its error unless the sync before failed with the same one.
func (u *Model) synced(changed []string, err error) tea.Cmd {
	cmds, why := []tea.Cmd{u.Screen.Synced(changed)}, ""
	if err != nil && !errors.Is(err, context.Canceled) {
		why = theme.UpperFirst(theme.Sentence(err))
	}
	if why != "" && why != u.reported {
		cmds = append(cmds, u.Fail(why))
	}
	u.reported, u.Syncing = why, false
	if u.again {
		cmds = append(cmds, u.Sync())
	}
	return tea.Batch(cmds...)
}

// SyncAtEnd syncs once more after the screen is closed, following a sync that is running, until ctx ends. If the user
// is in a hurry, it cancels the running sync instead. The next start catches up.
func (u *Model) SyncAtEnd(ctx context.Context) {
	if u.Exchange == nil {
		return
	}
	if !u.Hurried && ctx.Err() == nil {
		last, over := context.WithCancel(ctx)
		go func() { // so that a disk that does not respond cannot block
			defer over()
			u.running.Lock()
			defer u.running.Unlock()
			_, _ = u.Exchange(ctx) // the sync of the next start reports errors
		}()
		<-last.Done()
	}
	if u.stop != nil {
		u.stop()
	}
}
