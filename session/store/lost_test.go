package store

import (
	"bytes"
	"context"
	"os"
	"slices"
	"testing"

	"winnow/history"
)

// A check tells what is damaged from what was damaged when the file was saved, and what can be read of a
// damaged message is there to be shown as such.
func TestCheckTellsWasDamagedFromIsDamaged(t *testing.T) {
	ctx := context.Background()
	path := newPath(t)
	change := func(from, to string) {
		t.Helper()
		b, err := os.ReadFile(path)
		must(t, "read", err)
		must(t, "write", os.WriteFile(path, bytes.ReplaceAll(b, []byte(from), []byte(to)), 0o600))
	}
	s := openAt(t, path, Options{Now: noon().now})
	session, first := begin(t, s, "", "what was first said")
	second := add(t, s, says(session.ID, first.ID, history.Assistant, "what was then said"))
	must(t, "close", s.Close())
	change("what was first said", "what was f\x01rst said")
	damageIndex(t, path)

	s = openAt(t, path, Options{Now: noon().now})
	c, err := s.Check(ctx)
	if err != nil || !c.Sound() || !slices.Equal(c.Lost, []int64{first.ID}) || s.salvaged == nil ||
		!slices.Equal(c.SetAside, []string{s.salvaged.File}) {
		t.Errorf("after the salvage the check says %+v, %v; want it sound, message %d lost, and the file set aside", c,
			err, first.ID)
	}
	if m := read(t, s, first.ID); !m.Damaged || m.Content != "" || m.Remains != "what was f\x01rst said" ||
		m.Status != history.Quarantined {
		t.Errorf("the damaged message is %+v", m)
	}
	if m := read(t, s, second.ID); m.Damaged || m.Remains != "" {
		t.Errorf("the sound message is %+v", m)
	}
	must(t, "close", s.Close())
	change("what was then said", "what was then sa\x02d")
	s = openAt(t, path, Options{Now: noon().now})
	_, err = s.full.Exec("PRAGMA foreign_keys = OFF; INSERT INTO windows (session, owner) VALUES (99, 'lost')")
	must(t, "damage", err)
	if c, err := s.Check(ctx); err != nil || c.Sound() || !slices.Equal(c.Faults,
		[]string{"rows that belong to nothing: 1"}) || !slices.Equal(c.Damaged, []int64{second.ID}) ||
		!slices.Equal(c.Lost, []int64{first.ID}) {
		t.Errorf("with a new damage the check says %+v, %v; want message %d damaged", c, err, second.ID)
	}
}
