// Package upkeep looks after the stored history while the application runs: some time after the start it examines the
// file and backs it up, once a day, it brings the search index up to date step by step, and it exchanges what is new
// with other machines. All of it happens in commands, and nothing waits for it.
package upkeep

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/event"
	"winnow/ui/theme"
)

// quietTime is how long after the start the machine has nothing more urgent to do.
const quietTime = 2 * time.Second

// Model is what is done for the history, and how far that is. Its zero value does nothing.
type Model struct {
	event.Queue
	Unindexed int64 // messages that a search does not find yet
	Hurried   bool  // the user wants to be out of here: nothing more is begun

	store    *store.Store
	run      func(func(context.Context) tea.Msg) tea.Cmd
	indexing bool
	sync     syncing
}

// New looks after a store, nil for none, with a sync to other machines, nil for none. Run makes a command whose context
// ends with it.
func New(s *store.Store, sync Sync, run func(func(context.Context) tea.Msg) tea.Cmd) Model {
	return Model{store: s, run: run, sync: syncing{do: sync}}
}

// Msg is a message for Update.
type Msg interface{ upkeep() }

type (
	// QuietMsg says that the time has come to examine and back up.
	QuietMsg struct{}
	// SavedMsg says that the history was examined and backed up, or why not.
	SavedMsg struct{ Err error }
	// indexedMsg says that a step is done and how many messages are left, or why it was not done.
	indexedMsg struct {
		left int64
		took time.Duration
		err  error
	}
	// indexDueMsg says that it is time for the next step.
	indexDueMsg struct{}
)

func (QuietMsg) upkeep()    {}
func (SavedMsg) upkeep()    {}
func (indexedMsg) upkeep()  {}
func (indexDueMsg) upkeep() {}

// Start syncs behind the first frame, and waits for a quiet moment to examine and back up the history.
func (u Model) Start() tea.Cmd {
	if u.store == nil {
		return nil
	}
	return tea.Batch(u.syncSoon(), tea.Tick(quietTime, func(time.Time) tea.Msg { return QuietMsg{} }))
}

// Update takes a message. It reports trouble alone: a backup that succeeds is nothing to read.
func (u Model) Update(msg Msg) (Model, tea.Cmd) {
	switch msg := msg.(type) {
	case QuietMsg:
		return u, u.save()
	case SavedMsg:
		u.saved(msg.Err)
	case indexedMsg:
		return u.indexed(msg)
	case indexDueMsg:
		return u, u.indexStep()
	case syncDueMsg:
		cmd := u.Sync()
		return u, cmd
	case syncedMsg:
		cmd := u.synced(msg)
		return u, cmd
	}
	return u, nil
}

func (u *Model) saved(err error) {
	switch {
	case errors.Is(err, store.ErrDamaged):
		u.Emit(event.News{Text: "Part of the chat history is damaged. New messages are still saved. " +
			"Restart winnow when convenient: it sets the damaged file aside and recovers what can be read."})
	case err != nil:
		u.SayError("Today's backup failed: " + theme.Sentence(err))
	}
}

func (u Model) save() tea.Cmd {
	return u.run(func(ctx context.Context) tea.Msg {
		_, err := u.store.BackUpToday(ctx) // which examines what it copies
		if !errors.Is(err, store.ErrDamaged) {
			if damage := u.store.Examine(ctx); damage != nil {
				err = damage
			}
		}
		return SavedMsg{err}
	})
}

// Index brings the search index up to date, where that is not going on already. It can lack messages, such as
// those of a fork.
func (u *Model) Index() tea.Cmd {
	if u.store == nil || u.store.ReadOnly() || u.indexing {
		return nil
	}
	u.indexing = true
	return u.indexStep()
}

func (u Model) indexStep() tea.Cmd {
	return u.run(func(ctx context.Context) tea.Msg {
		begun := time.Now()
		left, err := u.store.IndexSome(ctx)
		if left == 0 && err == nil {
			err = u.store.FinishPurge(ctx)
		}
		return indexedMsg{left, time.Since(begun), err}
	})
}

// indexed asks for the next step. Between two of them the machine rests as long as the step took. What
// went wrong stops it until the next occasion: nobody asked for it, and what is indexed is found.
func (u Model) indexed(msg indexedMsg) (Model, tea.Cmd) {
	if msg.err != nil {
		u.indexing = false
		return u, nil
	}
	u.Unindexed, u.indexing = msg.left, msg.left > 0
	if !u.indexing {
		return u, nil
	}
	return u, tea.Tick(msg.took, func(time.Time) tea.Msg { return indexDueMsg{} })
}
