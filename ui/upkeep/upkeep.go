// Package upkeep looks after the stored history while the application runs: some time after the start it backs the file
// up, once a day, it brings the search index up to date step by step, and it exchanges what is new
// with other machines. All of it happens in commands, and nothing waits for it.
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

// firstFrame is more time than the first frame takes.
const firstFrame = 50 * time.Millisecond

// QuietTime is how long after the start the machine has nothing more urgent to do than a backup.
const BackupDelay = 2 * time.Second

// Screen is what the upkeep has the rest of the screen do.
type Screen struct {
	News   func(text string)              // says what stays until something is sent
	Synced func(changed []string) tea.Cmd // a sync has changed these sessions, as far as it knows
}

// Sync exchanges the history with those of other machines, and returns the ids of the sessions that it changed here,
// also where it ends with an error.
type Sync func(context.Context) (changed []string, err error)

// Model is what is done for the history, and how far that is.
type Model struct {
	*app.Shared
	Screen      Screen
	Exchange    Sync          // nil syncs nothing
	BackupDelay time.Duration // until the history is backed up
	Syncing     bool          // it goes on
	Hurried     bool          // the user wants to be out of here: nothing more is begun

	indexing bool
	again    bool       // another sync was asked for since this one began
	reported string     // why the last one failed, as the user was told it
	running  sync.Mutex // is held by a sync that runs
	stop     func()     // ends the newest one, nil before the first
}

// after is a command that does something after a time.
func after(d time.Duration, do app.Then) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return do })
}

// Start syncs behind the first frame, and waits for a quiet moment to back up the history.
func (u *Model) Start() tea.Cmd {
	if u.Deps.Store == nil {
		return nil
	}
	return tea.Batch(after(firstFrame, u.Sync), after(u.BackupDelay, u.backUp))
}

// save backs the history up. It reports trouble alone: a backup that succeeds is nothing to read.
func (u *Model) backUp() tea.Cmd {
	db := u.Deps.Store
	return u.Run(func(ctx context.Context) tea.Msg {
		_, err := db.BackUpToday(ctx) // which examines what it copies
		return app.Then(func() tea.Cmd { return u.BackedUp(err) })
	})
}

// Saved says why the history could not be backed up, and nothing where it was.
func (u *Model) BackedUp(err error) tea.Cmd {
	switch {
	case errors.Is(err, store.ErrDamaged):
		u.Screen.News("Part of the chat history is damaged. New messages are still saved. " +
			"Restart winnow when convenient: it sets the damaged file aside and recovers what can be read.")
	case err != nil:
		return u.Fail("Today's backup failed: " + theme.Sentence(err))
	}
	return nil
}

// Index brings the search index up to date, where that is not going on already. It can lack messages, such as those of
// a fork.
func (u *Model) UpdateIndex() tea.Cmd {
	if u.Deps.Store == nil || u.Deps.Store.ReadOnly() || u.indexing {
		return nil
	}
	u.indexing = true
	return u.indexStep()
}

// indexStep does a step and asks for the next one. Between two of them the machine rests as long as the step took. What
// goes wrong stops it until the next occasion: nobody asked for it, and what is indexed is found.
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

// Sync syncs with the other machines. Where that goes on already it is done once more then.
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

// synced reports what a run changed, and why it failed where that was not said of the one before.
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

// SyncAtEnd syncs once more when the screen is gone, for as long as the context lasts: behind a run that goes on. Where
// the user is in a hurry that run is ended instead. What is left is done at the next start.
func (u *Model) SyncAtEnd(ctx context.Context) {
	if u.Exchange == nil {
		return
	}
	if !u.Hurried && ctx.Err() == nil {
		last, over := context.WithCancel(ctx)
		go func() { // a folder on a disk that does not answer keeps nobody from leaving
			defer over()
			u.running.Lock()
			defer u.running.Unlock()
			_, _ = u.Exchange(ctx) // whoever starts winnow next is told
		}()
		<-last.Done()
	}
	if u.stop != nil {
		u.stop()
	}
}
