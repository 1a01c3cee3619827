package upkeep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// syncs is a sync that reports in the order of its runs.
type syncs struct {
	runs    int
	changed []string
	err     error
}

func (s *syncs) run(context.Context) ([]string, error) {
	s.runs++
	return s.changed, s.err
}

// step runs a command and takes what it brings.
func step(t *testing.T, u Model, cmd tea.Cmd) (Model, tea.Cmd) {
	t.Helper()
	if cmd == nil {
		t.Fatal("there is nothing to do")
	}
	msg, ok := cmd().(Msg)
	if !ok {
		t.Fatalf("the command brought %T", msg)
	}
	return u.Update(msg)
}

func TestASyncReportsWhatItChangedAndEachFailureOnce(t *testing.T) {
	s := new(syncs)
	u := New(opened(t), s.run, run)
	noFolder, noKey := errors.New("the folder is not there"), errors.New("the key is missing")
	for i, c := range []struct {
		changed []string
		err     error
		want    string
	}{
		{nil, nil, "[{[]}]"},
		{[]string{"a"}, nil, "[{[a]}]"},
		{nil, noFolder, "[{[]} {The folder is not there. true false false}]"},
		{nil, noFolder, "[{[]}]"},
		{[]string{"b"}, noFolder, "[{[b]}]"},
		{nil, noKey, "[{[]} {The key is missing. true false false}]"},
		{nil, context.Canceled, "[{[]}]"},
		{nil, nil, "[{[]}]"},
		{nil, noKey, "[{[]} {The key is missing. true false false}]"},
	} {
		s.changed, s.err = c.changed, c.err
		u, _ = step(t, u, u.Sync())
		if got := fmt.Sprint(u.Events()); got != c.want {
			t.Errorf("%d: %v, %v reports %s, want %s", i, c.changed, c.err, got, c.want)
		}
	}
}

func TestOneSyncRunsAtATime(t *testing.T) {
	s := new(syncs)
	u := New(opened(t), s.run, run)
	first := u.Sync()
	if first == nil || u.Sync() != nil || u.Sync() != nil || !u.Syncing() {
		t.Fatal("two runs at once")
	}
	u, again := step(t, u, first)
	u, more := step(t, u, again)
	if more != nil || s.runs != 2 || u.Syncing() {
		t.Errorf("%d runs, and another is due: %v; want the one that was asked for meanwhile", s.runs, more != nil)
	}
}

func TestTheLastSyncComesBehindTheOneThatRuns(t *testing.T) {
	var order []string
	begun, goOn := make(chan bool), make(chan bool)
	u := New(opened(t), func(context.Context) ([]string, error) {
		n := len(order) + 1
		if n == 1 {
			begun <- true
			<-goOn
		}
		order = append(order, fmt.Sprint(n))
		return nil, nil
	}, run)
	go u.Sync()()
	<-begun
	go close(goOn)
	u.SyncAtEnd(t.Context())
	if !slices.Equal(order, []string{"1", "2"}) {
		t.Errorf("the runs were %q", order)
	}
}

// A command that Bubble Tea never ran is no run to wait for.
func TestTheLastSyncDoesNotWaitForOneThatNeverBegan(t *testing.T) {
	s := new(syncs)
	u := New(opened(t), s.run, run)
	never := u.Sync()
	u.SyncAtEnd(t.Context())
	if s.runs != 1 || never() != nil || s.runs != 1 {
		t.Errorf("%d runs, want the last one alone", s.runs)
	}
}

func TestWhoeverIsInAHurryWaitsForNoSync(t *testing.T) {
	ended := make(chan error, 1)
	begun := make(chan bool)
	u := New(opened(t), func(ctx context.Context) ([]string, error) {
		begun <- true
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	}, run)
	go u.Sync()()
	<-begun
	u.Hurried = true
	u.SyncAtEnd(t.Context())
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the run ended with %v", err)
	}
}

// A folder on a disk that does not answer holds nobody.
func TestTheLastSyncIsBounded(t *testing.T) {
	stuck := make(chan bool)
	defer close(stuck)
	ctx, stop := context.WithCancel(t.Context())
	u := New(opened(t), func(context.Context) ([]string, error) {
		stop()
		<-stuck
		return nil, nil
	}, run)
	u.SyncAtEnd(ctx)
}
