package plain

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
)

// chatted has a chat say a message, and returns options that open its session again.
func chatted(t *testing.T, steps ...string) (Options, *server, store.Session) {
	t.Helper()
	o, s := options(t, append([]string{says("One.")}, steps...)...)
	printed(t, o, "First\n/quit\n")
	row, err := o.Deps.Store.Session(t.Context(), o.Start.Info().ID)
	if err != nil {
		t.Fatal(err)
	}
	if o.Start, err = session.Open(t.Context(), o.Deps, row.ID, "here/small"); err != nil {
		t.Fatal(err)
	}
	return o, s, row
}

func TestWhatWasAddedElsewhereIsThereBeforeTheFirstPrompt(t *testing.T) {
	t.Parallel()
	o, s, row := chatted(t, says("Three."))
	var runs atomic.Int32
	o.Sync = func(ctx context.Context) ([]string, error) {
		if runs.Add(1) > 1 {
			return nil, nil
		}
		at := row.Leaf
		for _, m := range []history.Message{
			{Role: history.User, Content: "Second"}, {Role: history.Assistant, Content: "Two."},
		} {
			m.Status = history.Complete
			stored, err := o.Deps.Store.Append(ctx, store.Message{Session: row.ID, Parent: at, Message: m})
			if err != nil {
				return nil, err
			}
			at = stored.ID
		}
		return []string{row.ID}, nil
	}
	out := printed(t, o, "Third\n/quit\n")
	wantInOrder(t, out, `This is "First" with 2 messages.`, "Continued on another machine: 2 new messages. /history "+
		"prints the chat.", "you: Third", "Three.")
	if !strings.Contains(s.bodies[1], "Two.") {
		t.Errorf("the request lacks what was said elsewhere: %s", s.bodies[1])
	}
	if n := runs.Load(); n < 2 {
		t.Errorf("%d runs, want one at the start and one at the end", n)
	}
}

func TestASessionThatWasPurgedElsewhereIsLeft(t *testing.T) {
	t.Parallel()
	o, _ := options(t, says("One."))
	row, _, err := o.Deps.Store.Begin(t.Context(), store.Session{Title: "Gone"}, store.Message{
		Message: history.Message{Role: history.User, Content: "x", Status: history.Complete},
	})
	if err != nil {
		t.Fatal(err)
	}
	if o.Start, err = session.Open(t.Context(), o.Deps, row.ID, "here/small"); err != nil {
		t.Fatal(err)
	}
	o.Sync = func(ctx context.Context) ([]string, error) {
		if err := o.Deps.Store.Purge(ctx, row.ID); err != nil && !errors.Is(err, store.ErrNotOverwritten) &&
			!errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		return []string{row.ID}, nil
	}
	out := printed(t, o, "First\n/quit\n")
	wantInOrder(t, out, "The chat that was open here was deleted permanently on another machine.", "This is a new chat.", "you: First", "One.")
	if list, err := o.Deps.Store.Sessions(t.Context(), store.Filter{}); err != nil || len(list) != 1 ||
		list[0].ID == row.ID {
		t.Errorf("the sessions are %+v, %v; want the new one", list, err)
	}
}

func TestAFailedSyncIsSaidOnce(t *testing.T) {
	t.Parallel()
	o, _ := options(t, says("One."), says("Two."))
	o.Sync = func(context.Context) ([]string, error) { return nil, errors.New("the folder is not there") }
	out := printed(t, o, "First\nSecond\n/quit\n")
	if n := strings.Count(out, "The folder is not there."); n != 1 {
		t.Errorf("it is said %d times in\n%s", n, out)
	}
}

// The folder may be on a network that is gone.
func TestASyncThatHangsHoldsNoPrompt(t *testing.T) {
	t.Parallel()
	o, _ := options(t, says("One."), says("Two."))
	began := false
	o.Sync = func(ctx context.Context) ([]string, error) {
		if began {
			<-ctx.Done()
		}
		began = true
		return nil, nil
	}
	in, out, ended := typed(t, o)
	in.lines <- "First\n"
	out.want(t, "you: ", 2)
	in.lines <- "Second\n"
	out.want(t, "Two.", 1)
	close(in.lines)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}
