package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
)

func TestABackupThatSucceedsIsNotSaid(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	before := plain(l.Model)
	if l.upkeep.BackedUp(nil); plain(l.Model) != before {
		t.Errorf("a backup that succeeds changes the screen from\n%s\nto\n%s", before, plain(l.Model))
	}
}

func TestDamageIsSaidUntilItWasRead(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		l := onStage(t, size[0], size[1])
		l.upkeep.BackedUp(fmt.Errorf("check the history: %w", store.ErrDamaged))
		if screen := plain(l.Model); !strings.Contains(screen, "Part of the chat history is damaged.") {
			t.Errorf("at %v the damage is not said:\n%s", size, screen)
		}
		l.press("esc")
		if screen := plain(l.Model); strings.Contains(screen, "the next start") {
			t.Errorf("esc does not close it:\n%s", screen)
		}
		l.upkeep.BackedUp(fmt.Errorf("copy it: %w", store.ErrDiskFull))
		if screen := plain(l.Model); !strings.Contains(screen, "Today's backup failed") ||
			strings.Contains(screen, "..") {
			t.Errorf("at %v a backup that failed is not said:\n%s", size, screen)
		}
	}
}

// What was saved and what was lost stays on the screen, however long it takes to read.
func TestSalvageIsSaidAtTheStart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "winnow.db")
	if err := os.WriteFile(path, make([]byte, 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	l := onStage(t, 80, 24)
	l.Unrecorded = 1
	l.Deps.Store = db
	l.first = func() tea.Cmd { return l.welcome(Options{Notices: db.Notices()}) }
	s, err := session.New(l.Deps, session.StartOptions{Model: "here/small"})
	if err != nil {
		t.Fatal(err)
	}
	l.begins(s)
	l.run(l.Init())
	l.shows("Nothing in it could be read")
	l.shows("winnow.db.damaged-")
	l.say("hello")
	if screen := plain(l.Model); strings.Contains(screen, "could be read") {
		t.Errorf("it stays after a message was sent:\n%s", screen)
	}
}

func TestDraftStaysWhereTheHistoryIsGone(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("hello")
	path := l.Deps.Store.Path()
	if err := os.Rename(path, path+".elsewhere"); err != nil {
		t.Fatal(err)
	}
	l.types("a long thought")
	l.press("enter")
	l.shows("start winnow again")
	if got := l.composer.Text(); got != "a long thought" {
		t.Errorf("the draft is %q now, want it as it was", got)
	}
	if n := len(l.bodies); n != 1 {
		t.Errorf("%d requests went out, want the one of before", n)
	}
}
