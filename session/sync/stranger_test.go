package sync

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/store"
)

// stranger is the folder of a machine that is none of the user's: somebody who can write into the synced folder.
const stranger = "5717a46e5717a46e"

// forge writes a plain segment of the stranger.
func forge(t *testing.T, dir string, head store.SyncHead, lines ...store.SyncLine) {
	t.Helper()
	head.Machine, head.Name, head.Number = stranger, "stranger", 1
	var e encoder
	for _, l := range append([]store.SyncLine{{Head: &head}}, lines...) {
		if err := e.line(l); err != nil {
			t.Fatal(err)
		}
	}
	file, _, err := e.end()
	if err != nil {
		t.Fatal(err)
	}
	path := segmentPath(dir, stranger, 1)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
}

// chat are the lines of a session with one message.
func chat(id, text string) []store.SyncLine {
	session := store.SessionLine{ID: id, Title: "forged"}
	message := store.MessageLine{ID: 1, Role: "user", Status: "complete", Content: store.Text(text)}
	return []store.SyncLine{{Line: store.Line{Session: &session}, Whole: true}, {Line: store.Line{Message: &message}}}
}

func newKey(t *testing.T) Keys {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sync.key")
	if _, err := NewKey(file); err != nil {
		t.Fatal(err)
	}
	return Keys{File: file}
}

func (m *machine) syncWith(keys Keys) Result {
	m.t.Helper()
	out, err := Run(m.t.Context(), m.s, Options{Dir: m.dir, Keys: keys})
	if err != nil {
		m.t.Fatal(err)
	}
	return out
}

// skips checks what a sync said about the stranger's file, and that the status says the same and is not up to date.
func (m *machine) skips(out Result, keys Keys, why string) {
	m.t.Helper()
	want := fmt.Sprintf("%s is not merged: %s.", filepath.Join(stranger, "00000001.segment"), why)
	if len(out.Skipped) != 1 || out.Skipped[0] != want {
		m.t.Errorf("the sync says %q, want %q", out.Skipped, want)
	}
	report, err := Status(m.t.Context(), m.s, Options{Dir: m.dir, Keys: keys})
	if err != nil {
		m.t.Fatal(err)
	}
	for _, other := range report.Machines {
		if other.Machine == stranger && (other.New != 1 || other.Why != "00000001.segment: "+why) {
			m.t.Errorf("the status says %+v, want %q", other, why)
		}
	}
	if report.Unmerged() != 1 {
		m.t.Errorf("%d files are not merged, want 1", report.Unmerged())
	}
}

// With a key, whoever has it not can add nothing, and purge nothing.
func TestUnderAKeyOnlyWhatItOpensIsMerged(t *testing.T) {
	dir, keys := t.TempDir(), newKey(t)
	a, b := newMachine(t, dir), newMachine(t, dir)
	kept, first := a.begin("kept")
	a.syncWith(keys)
	b.syncWith(keys)
	forge(t, dir, store.SyncHead{}, append([]store.SyncLine{{Purge: &store.SyncPurge{Session: kept.ID}}}, chat("forged", "hello")...)...)
	for range 2 {
		out := b.syncWith(keys)
		if out.Received != 0 || out.Purged != 0 {
			t.Errorf("of the stranger's file b merged %+v", out)
		}
		b.skips(out, keys, "it is not encrypted, and under a key only what the key opens is merged")
	}
	b.want(kept.ID, "kept")
	// What the machines have to say to one another is not held up.
	a.say(kept.ID, first.ID, history.Assistant, "answer")
	a.syncWith(keys)
	b.syncWith(keys)
	b.want(kept.ID, "kept | answer")
}

// A key that is set later encrypts what is in the folder already, so that a machine with the key gets all of it.
func TestAKeyEncryptsWhatWasWrittenWithout(t *testing.T) {
	dir, keys := t.TempDir(), newKey(t)
	a := newMachine(t, dir)
	old, _ := a.begin("zephyrtoken in plain text")
	a.sync()
	a.begin("with the key")
	report, err := Status(t.Context(), a.s, Options{Dir: dir, Keys: keys})
	if err != nil || report.Rewrite != 1 {
		t.Errorf("%d files are to be written again, %v; want the one in plain text", report.Rewrite, err)
	}
	a.syncWith(keys)
	segments, _ := filepath.Glob(filepath.Join(dir, "*", "*.segment"))
	if len(segments) != 2 {
		t.Errorf("there are %d segments, want 2", len(segments))
	}
	for _, path := range segments {
		s, err := openSegment(path)
		if err != nil {
			t.Fatal(err)
		}
		if !s.encrypted() {
			t.Errorf("%s is in plain text", filepath.Base(path))
		}
		s.close()
	}
	b := newMachine(t, dir)
	if out := b.syncWith(keys); out.Received != 2 || len(out.Skipped) > 0 {
		t.Errorf("a new machine with the key received %+v", out)
	}
	b.want(old.ID, "zephyrtoken in plain text")
}

// A clock that no machine can have reached would be that of all others from then on, and leave none for what they say.
func TestAForgedClockIsRefused(t *testing.T) {
	const why = "its clock is more than a day ahead"
	ahead := store.SyncStamp{Counter: 1 << 53, Machine: stranger}
	session := chat("forged", "hello")
	stamped, valued := chat("forged", "hello"), chat("forged", "hello")
	stamped[1].Stamp = &ahead
	valued[0].Stamps = map[string]store.SyncStamp{"title": ahead}
	day := time.Now().Add(24 * time.Hour).UnixMilli()
	for name, forged := range map[string]struct {
		clock int64
		lines []store.SyncLine
	}{
		"a head":                  {1 << 53, session},
		"a head of the next week": {day + 6*24*3600*1000, session},
		"a message":               {1, stamped},
		"a title":                 {1, valued},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			a, b := newMachine(t, dir), newMachine(t, dir)
			forge(t, dir, store.SyncHead{Clock: forged.clock}, forged.lines...)
			kept, _ := a.begin("kept")
			a.skips(a.sync(), Keys{}, why)
			b.skips(b.sync(), Keys{}, why)
			if err := a.s.Rename(t.Context(), kept.ID, "renamed", store.TitleUser); err != nil {
				t.Fatal(err)
			}
			a.sync()
			b.sync()
			row, err := b.s.Session(t.Context(), kept.ID)
			if err != nil || row.Title != "renamed" {
				t.Errorf("the other machine has the title %q, %v", row.Title, err)
			}
		})
	}
	t.Run("a clock of today", func(t *testing.T) {
		dir := t.TempDir()
		a, b := newMachine(t, dir), newMachine(t, dir)
		forge(t, dir, store.SyncHead{Clock: day - 3600*1000}, session...)
		kept, _ := a.begin("kept")
		if out := a.sync(); out.Received != 1 || len(out.Skipped) > 0 {
			t.Errorf("a received %+v", out)
		}
		b.sync()
		if err := a.s.Rename(t.Context(), kept.ID, "renamed", store.TitleUser); err != nil {
			t.Fatal(err)
		}
		a.sync()
		b.sync()
		if row, err := b.s.Session(t.Context(), kept.ID); err != nil || row.Title != "renamed" {
			t.Errorf("the other machine has the title %q, %v", row.Title, err)
		}
	})
}

// Other content for a message that is stored is not merged, and is said once: the rest of the file is merged.
func TestOtherContentOfAStoredMessageIsNamed(t *testing.T) {
	dir := t.TempDir()
	a := newMachine(t, dir)
	kept, first := a.begin("what was said")
	a.sync()
	state, err := a.s.Sync().State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lines := chat(kept.ID, "what was never said")
	lines[1].Stamp = &store.SyncStamp{Counter: 1000, Machine: stranger}
	alias := store.SyncAlias{Machine: state.Machine, Kind: "message", First: first.ID, Here: 1, Count: 1}
	lines = append([]store.SyncLine{{Alias: &alias}}, lines...)
	forge(t, dir, store.SyncHead{Clock: 1}, append(lines, chat("another", "hello")[0])...)
	out := a.sync()
	a.want(kept.ID, "what was said")
	want := filepath.Join(stranger, "00000001.segment") + " has other content for 1 message that is here; what is here stays."
	if len(out.Skipped) != 1 || out.Skipped[0] != want || out.Sessions != 1 {
		t.Errorf("the sync says %q and adds %d sessions, want %q and 1", out.Skipped, out.Sessions, want)
	}
	if again := a.sync(); len(again.Skipped) > 0 {
		t.Errorf("the next sync says %q", again.Skipped)
	}
}
