package sync

import (
	"os"
	"testing"

	"winnow/session/store"
)

// damageSegments changes a byte in each segment of a folder.
func damageSegments(t *testing.T, dir string) {
	t.Helper()
	written := segments(dir)
	if len(written) == 0 {
		t.Fatal("there is no segment")
	}
	for _, path := range written {
		file, err := os.ReadFile(path)
		must(t, err)
		file[len(file)/2] ^= 1
		must(t, os.WriteFile(path, file, 0o600))
	}
}

// A folder that is taken over is complete even if a file in it is damaged, because this machine has merged it before.
func TestAFolderWithADamagedSegmentIsTakenOver(t *testing.T) {
	dir := t.TempDir()
	a, b, c := newMachine(t, dir), newMachine(t, dir), newMachine(t, dir)
	chat, _ := a.begin("hello")
	a.sync()
	b.sync()
	damageSegments(t, dir)
	state, err := a.s.Sync().State(t.Context())
	must(t, err)
	if _, err := Run(t.Context(), b.s, Options{Dir: dir, Adopt: state.Folder}); err != nil {
		t.Fatal(err)
	}
	if out := c.sync(); len(out.Skipped) > 0 {
		t.Errorf("the third machine says %q", out.Skipped)
	}
	c.want(chat.ID, "hello")
}

// Importing an archive sends its rows to the other machines, and not all earlier purges again.
func TestAnArchiveTellsOfNoOtherChat(t *testing.T) {
	dir := t.TempDir()
	a, elsewhere := newMachine(t, dir), newMachine(t, t.TempDir())
	gone, _ := a.begin("something else")
	a.sync()
	must(t, a.s.Purge(t.Context(), gone.ID))
	a.sync()
	chat, _ := elsewhere.begin("hello")
	_, err := a.s.Apply(t.Context(), func(take func(store.Line) error) error {
		return elsewhere.s.Dump(t.Context(), chat.ID, take)
	})
	must(t, err)
	told := 0
	_, err = a.s.Sync().Collect(t.Context(), 1<<20, func(l store.Line) error {
		if l.Tombstone != nil {
			t.Errorf("the purge of %s is told again", l.Tombstone.Session)
		}
		told++
		return nil
	})
	if err != nil || told == 0 {
		t.Errorf("%d lines are told, %v", told, err)
	}
}
