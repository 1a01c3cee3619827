package upkeep

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/theme"
)

// firstFrame is more time than the first frame takes.
const firstFrame = 50 * time.Millisecond

// Sync exchanges the history with those of other machines, and returns the ids of the sessions that it changed here,
// also where it ends with an error.
type Sync func(context.Context) (changed []string, err error)

// Synced says which sessions a sync has changed, as far as it knows.
type Synced struct{ Sessions []string }

// syncing is how far the sync with other machines is.
type syncing struct {
	do      Sync     // nil syncs nothing
	running *running // the newest run, nil before the first
	again   bool     // another one was asked for since it began
	said    string   // why the last one failed, as the user was told it
}

// running is one run. It is shared by the copies of the component.
type running struct {
	begun atomic.Bool // its command runs, or is not to run any more
	stop  context.CancelFunc
	over  chan struct{} // closed when it has ended
}

type (
	// syncDueMsg says that the first frame is drawn.
	syncDueMsg struct{}
	// syncedMsg says how a run ended.
	syncedMsg struct {
		changed []string
		err     error
	}
)

func (syncDueMsg) upkeep() {}
func (syncedMsg) upkeep()  {}

// syncSoon has the first sync begin behind the first frame.
func (u Model) syncSoon() tea.Cmd {
	if u.sync.do == nil {
		return nil
	}
	return tea.Tick(firstFrame, func(time.Time) tea.Msg { return syncDueMsg{} })
}

// Sync syncs with the other machines. Where that goes on already it is done once more then.
func (u *Model) Sync() tea.Cmd {
	switch {
	case u.sync.do == nil:
		return nil
	case u.Syncing():
		u.sync.again = true
		return nil
	}
	ctx, stop := context.WithCancel(context.Background())
	run, do := &running{stop: stop, over: make(chan struct{})}, u.sync.do
	u.sync.running, u.sync.again = run, false
	return u.run(func(program context.Context) tea.Msg {
		if run.begun.Swap(true) {
			return nil
		}
		defer close(run.over)
		defer stop()
		defer context.AfterFunc(program, stop)()
		changed, err := do(ctx)
		return syncedMsg{changed, err}
	})
}

// Syncing says that a sync runs.
func (u Model) Syncing() bool {
	if u.sync.running == nil {
		return false
	}
	select {
	case <-u.sync.running.over:
		return false
	default:
		return true
	}
}

// synced reports what a run changed, and why it failed where that was not said of the one before.
func (u *Model) synced(msg syncedMsg) tea.Cmd {
	u.Emit(Synced{msg.changed})
	said := ""
	if msg.err != nil && !errors.Is(msg.err, context.Canceled) {
		said = theme.UpperFirst(theme.Sentence(msg.err))
	}
	if said != "" && said != u.sync.said {
		u.SayError(said)
	}
	u.sync.said = said
	if u.sync.again {
		return u.Sync()
	}
	return nil
}

// SyncAtEnd syncs once more when the screen is gone, for as long as the context lasts: behind a run that goes on. Where
// the user is in a hurry that run is ended instead. What is left is done at the next start.
func (u *Model) SyncAtEnd(ctx context.Context) {
	if u.sync.do == nil {
		return
	}
	run := u.sync.running
	if u.Hurried || ctx.Err() != nil {
		if run != nil {
			run.stop()
		}
		return
	}
	over := make(chan struct{})
	go func() { // a folder on a disk that does not answer keeps nobody from leaving
		defer close(over)
		if run != nil && run.begun.Swap(true) {
			<-run.over
		}
		_, _ = u.sync.do(ctx) // whoever starts winnow next is told
	}()
	select {
	case <-over:
	case <-ctx.Done():
		if run != nil {
			run.stop()
		}
	}
}
