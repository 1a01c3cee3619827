package ui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/store"
)

// synced is the application whose next sync brings what do does to its store.
func synced(t *testing.T, w, h int) (l *live, sync func(do func(db *store.Store, id string) error)) {
	t.Helper()
	l = onStage(t, w, h)
	db := l.With.Store
	var do func(*store.Store, string) error
	l.upkeep.Exchange = func(context.Context) ([]string, error) {
		if do == nil {
			return nil, nil
		}
		id := l.Session.Info().ID
		err := do(db, id)
		do = nil
		return []string{id}, err
	}
	return l, func(next func(*store.Store, string) error) {
		l.until("the sync before", func() bool { return !l.upkeep.Syncing })
		do = next
		l.run(l.upkeep.Sync())
		l.until("the sync", func() bool { return !l.upkeep.Syncing })
	}
}

// adds stores a question and its answer behind a message, 0 for the end of the branch in use.
func adds(t *testing.T, parent int64, question, answer string) func(*store.Store, string) error {
	return func(db *store.Store, id string) error {
		row, err := db.Session(t.Context(), id)
		if err != nil {
			return err
		}
		at := parent
		if at == 0 {
			at = row.Leaf
		}
		for _, m := range []history.Message{
			{Role: history.User, Content: question}, {Role: history.Assistant, Content: answer},
		} {
			m.Status = history.Complete
			stored, err := db.Append(t.Context(), store.Message{Session: id, Parent: at, Model: "small", Message: m})
			if err != nil {
				return err
			}
			at = stored.ID
		}
		return nil
	}
}

// The page stays where it is: whoever reads is not carried away.
func TestWhatWasAddedElsewhereMovesNothing(t *testing.T) {
	t.Parallel()
	l, sync := synced(t, 90, 16)
	l.say("First")
	l.say("Second")
	l.press("tab", "g")
	page := func() string { return strings.Join(strings.Split(plain(l.Model), "\n")[1:9], "\n") }
	l.planned()
	before := page()
	sync(func(db *store.Store, id string) error {
		return errors.Join(adds(t, 0, "From the desktop", "Said there.")(db, id),
			db.Rename(t.Context(), id, "Named there", store.TitleUser))
	})
	l.shows("Continued on another machine")
	l.shows("Named there")
	if got := page(); got != before {
		t.Errorf("the page was\n%s\nand is\n%s", before, got)
	}
}

func TestAChatThatWasPurgedElsewhereCloses(t *testing.T) {
	t.Parallel()
	l, sync := synced(t, 120, 40)
	l.Unrecorded = 1
	l.say("First")
	was := l.Session
	l.types("half a thought")
	sync(func(db *store.Store, id string) error {
		if err := db.Purge(t.Context(), id); !errors.Is(err, store.ErrNotOverwritten) {
			return err
		}
		return nil
	})
	l.until("a new chat", func() bool { return l.Session != was })
	l.shows("was deleted permanently on another machine. This is a new chat.")
	l.lacks("Answer 1")
	if got := l.composer.Text(); got != "half a thought" {
		t.Errorf("the draft is %q", got)
	}
	l.press("enter")
	l.until("the answer", func() bool { return !l.Turn.Busy && l.Chat.Messages.Len() == 2 })
	list, err := l.With.Store.Sessions(t.Context(), store.Filter{})
	if err != nil || len(list) != 1 || list[0].ID == was.Info().ID {
		t.Errorf("the sessions are %+v, %v; want the new one", list, err)
	}
}

// What the sync of another window brought is seen too.
func TestWhatAnotherWindowMergedIsSeen(t *testing.T) {
	t.Parallel()
	l, sync := synced(t, 120, 40)
	l.say("First")
	db, id := l.With.Store, l.Session.Info().ID
	if err := adds(t, 0, "From the desktop", "Said there.")(db, id); err != nil {
		t.Fatal(err)
	}
	sync(nil)
	l.shows("Continued on another machine: 2 new messages.")
}
