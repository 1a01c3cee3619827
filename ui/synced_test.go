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

func TestAChatThatWasContinuedElsewhereGoesOnThere(t *testing.T) {
	t.Parallel()
	l, sync := synced(t, 120, 40)
	l.say("First")
	l.types("half a thought")
	sync(adds(t, 0, "From the desktop", "Said there."))
	l.shows("Continued on another machine: 2 new messages.")
	l.wantTexts("First | Answer 1 | From the desktop | Said there")
	if got := l.composer.Text(); got != "half a thought" {
		t.Errorf("the draft is %q", got)
	}
	l.say(", sent")
	l.wantTexts("First | Answer 1 | From the desktop | Said there | half a thought, sent | Answer 2")
	if body := l.body(); !strings.Contains(body, "From the desktop") {
		t.Errorf("the request lacks what was said elsewhere:\n%s", body)
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

func TestABranchFromElsewhereIsNamedAndReached(t *testing.T) {
	t.Parallel()
	l, sync := synced(t, 120, 40)
	l.say("First")
	parent := l.Session.Info().Leaf
	l.say("Second")
	sync(adds(t, parent, "Zweite", "Zwei."))
	l.shows("Another machine went on from an earlier message: [ and ] there switch.")
	l.wantTexts("First | Answer 1 | Second | Answer 2")
	l.shows("1 of 2  [ ]")
	l.say("Third")
	l.wantTexts("First | Answer 1 | Second | Answer 2 | Third | Answer 3")
	l.press("tab")
	l.chat.GoTo(l.chat.Messages.ID(2))
	l.press("]")
	l.until("the other branch", func() bool { return l.chat.Messages.Len() == 4 })
	l.wantTexts("First | Answer 1 | Zweite | Zwei")
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
	l.until("the answer", func() bool { return !l.turn.Busy && l.chat.Messages.Len() == 2 })
	list, err := l.With.Store.Sessions(t.Context(), store.Filter{})
	if err != nil || len(list) != 1 || list[0].ID == was.Info().ID {
		t.Errorf("the sessions are %+v, %v; want the new one", list, err)
	}
}

func TestAChatThatWasDeletedElsewhereStaysOpen(t *testing.T) {
	t.Parallel()
	l, sync := synced(t, 120, 40)
	l.say("First")
	sync(func(db *store.Store, id string) error { return db.Delete(t.Context(), id) })
	l.shows("This chat was moved to the trash on another machine.")
	l.wantTexts("First | Answer 1")
}

func TestTheListShowsWhatASyncBrought(t *testing.T) {
	t.Parallel()
	l, sync := synced(t, 120, 40)
	l.say("First")
	l.press("ctrl+s")
	l.shows("1 chat")
	sync(func(db *store.Store, id string) error {
		_, _, err := db.Begin(t.Context(), store.Session{Title: "Begun there"}, store.Message{
			Message: history.Message{Role: history.User, Content: "x", Status: history.Complete},
		})
		return err
	})
	l.shows("Begun there")
	l.shows("2 chats")
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
