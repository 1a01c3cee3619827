package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
)

// The report of a recovered history stays on the screen until a message is sent.
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
	l.begins()
	l.run(l.Init())
	l.shows("Nothing in it could be read")
	l.shows("winnow.db.damaged-")
	l.say("hello")
	if screen := plain(l.Model); strings.Contains(screen, "could be read") {
		t.Errorf("it stays after a message was sent:\n%s", screen)
	}
}
