package upkeep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/app"
)

// syncs is a sync that counts its runs and returns what the test has set.
type syncs struct {
	runs    int
	changed []string
	err     error
}

func (s *syncs) run(context.Context) ([]string, error) {
	s.runs++
	return s.changed, s.err
}

// exchanging returns an upkeep with a sync, and what it has shown so far.
func exchanging(t *testing.T, exchange Sync) (u *Model, told *[]string) {
	told = new([]string)
	say := func(text string) tea.Cmd {
		*told = append(*told, text)
		return nil
	}
	return &Model{
		Shared:   &app.Shared{ProgramContext: t.Context, Fail: say, Deps: session.Deps{Store: opened(t)}},
		Exchange: exchange,
		Screen: Screen{
			News:   func(text string) { say("news: " + text) },
			Synced: func(changed []string) tea.Cmd { return say(fmt.Sprint(changed)) },
		},
	}, told
}

// step runs a command and the Then it returns.
func step(t *testing.T, cmd tea.Cmd) tea.Cmd {
	t.Helper()
	if cmd == nil {
		t.Fatal("there is nothing to do")
	}
	return cmd().(app.Then)()
}

func TestASyncReportsWhatItChangedAndEachFailureOnce(t *testing.T) {
	s := new(syncs)
	u, told := exchanging(t, s.run)
	noFolder, noKey := errors.New("the folder is not there"), errors.New("the key is missing")
	for i, c := range []struct {
		changed []string
		err     error
		want    []string
	}{
		{nil, nil, []string{"[]"}},
		{[]string{"a"}, nil, []string{"[a]"}},
		{nil, noFolder, []string{"[]", "The folder is not there."}},
		{nil, noFolder, []string{"[]"}},
		{[]string{"b"}, noFolder, []string{"[b]"}},
		{nil, noKey, []string{"[]", "The key is missing."}},
		{nil, context.Canceled, []string{"[]"}},
		{nil, noKey, []string{"[]", "The key is missing."}},
	} {
		s.changed, s.err, *told = c.changed, c.err, nil
		step(t, u.Sync())
		if !slices.Equal(*told, c.want) {
			t.Errorf("%d: %v, %v reports %q, want %q", i, c.changed, c.err, *told, c.want)
		}
	}
}

func TestOneSyncRunsAtATime(t *testing.T) {
	s := new(syncs)
	u, _ := exchanging(t, s.run)
	first := u.Sync()
	if first == nil || u.Sync() != nil || u.Sync() != nil {
		t.Fatal("two runs at once")
	}
	if more := step(t, step(t, first)); more != nil || s.runs != 2 || u.Syncing {
		t.Errorf("%d runs, and another is due: %v; want the one that was asked for meanwhile", s.runs, more != nil)
	}
}

func TestTheLastSyncComesBehindTheOneThatRuns(t *testing.T) {
	var order []string
	begun, goOn := make(chan bool), make(chan bool)
	u, _ := exchanging(t, func(context.Context) ([]string, error) {
		n := len(order) + 1
		if n == 1 {
			begun <- true
			<-goOn
		}
		order = append(order, fmt.Sprint(n))
		return nil, nil
	})
	go u.Sync()()
	<-begun
	go close(goOn)
	u.SyncAtEnd(t.Context())
	if !slices.Equal(order, []string{"1", "2"}) {
		t.Errorf("the runs were %q", order)
	}
}

// A sync whose command Bubble Tea never ran is not waited for.
func TestTheLastSyncDoesNotWaitForOneThatNeverBegan(t *testing.T) {
	s := new(syncs)
	u, _ := exchanging(t, s.run)
	u.Sync()
	u.SyncAtEnd(t.Context())
	if s.runs != 1 {
		t.Errorf("%d runs, want the last one alone", s.runs)
	}
}

func TestWhoeverIsInAHurryWaitsForNoSync(t *testing.T) {
	ended := make(chan error, 1)
	begun := make(chan bool)
	u, _ := exchanging(t, func(ctx context.Context) ([]string, error) {
		begun <- true
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	go u.Sync()()
	<-begun
	u.Hurried = true
	u.SyncAtEnd(t.Context())
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the run ended with %v", err)
	}
}

// A disk that does not respond does not block the end.
func TestTheLastSyncIsBounded(t *testing.T) {
	stuck := make(chan bool)
	defer close(stuck)
	ctx, stop := context.WithCancel(t.Context())
	u, _ := exchanging(t, func(context.Context) ([]string, error) {
		stop()
		<-stuck
		return nil, nil
	})
	u.SyncAtEnd(ctx)
}
