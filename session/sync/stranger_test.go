package sync

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/store"
)

// stranger is the folder of somebody else who can write into the synced folder.
const stranger = "5717a46e5717a46e"

// forge writes a plain segment of the stranger and returns its name.
func forge(t *testing.T, dir string, created int64, lines ...store.Line) string {
	t.Helper()
	h := head{Folder: stranger, Host: "stranger", Number: 1, Created: created}
	s, err := writeSegment(dir, h, nil, rowsOf(lines))
	must(t, err)
	return s.Name
}

// chat returns the lines of a session with one message.
func chat(session string, id int64, text string) []store.Line {
	return []store.Line{
		{Session: &store.Session{ID: session, Title: "forged"}},
		{Message: &store.Message{Message: history.Message{
			ID: id, Role: history.User, Status: history.Complete, Content: text,
		}}},
	}
}

func newKey(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "sync.key")
	if _, err := NewKey(file); err != nil {
		t.Fatal(err)
	}
	return file
}

func (m *machine) syncWith(key string) Result {
	m.t.Helper()
	out, err := Run(m.t.Context(), m.s, Options{Dir: m.dir, Key: key})
	must(m.t, err)
	return out
}

// skips checks that a sync reported the stranger's file, and that the status is not up to date.
func (m *machine) skips(out Result, key, file, why string) {
	m.t.Helper()
	want := fmt.Sprintf("%s is not merged: %s.", filepath.Join(stranger, shortName(file)), why)
	if len(out.Skipped) != 1 || out.Skipped[0] != want {
		m.t.Errorf("the sync says %q, want %q", out.Skipped, want)
	}
	report, err := Status(m.t.Context(), m.s, Options{Dir: m.dir, Key: key})
	must(m.t, err)
	if report.Unmerged != 1 {
		m.t.Errorf("%d files are not merged, want 1", report.Unmerged)
	}
}

// Without the key, nobody can add or purge anything.
func TestUnderAKeyOnlyWhatItOpensIsMerged(t *testing.T) {
	dir, key := t.TempDir(), newKey(t)
	a, b := newMachine(t, dir), newMachine(t, dir)
	kept, first := a.begin("kept")
	a.syncWith(key)
	b.syncWith(key)
	purge := store.Line{Tombstone: &store.Tombstone{ID: 1, Session: kept.ID, Messages: []int64{first.ID}}}
	file := forge(t, dir, 1, append([]store.Line{purge}, chat("forged", 1, "hello")...)...)
	for range 2 {
		out := b.syncWith(key)
		if out.Received != 0 || out.Purged != 0 {
			t.Errorf("of the stranger's file b merged %+v", out)
		}
		b.skips(out, key, file, "it is not encrypted, but a key is set")
	}
	b.want(kept.ID, "kept")
	// Other segments are still merged.
	a.say(kept.ID, first.ID, history.Assistant, "answer")
	a.syncWith(key)
	b.syncWith(key)
	b.want(kept.ID, "kept | answer")
}

// A key that is set later encrypts what is in the folder already, so that a machine with the key gets everything.
func TestAKeyEncryptsWhatWasWrittenWithout(t *testing.T) {
	dir, key := t.TempDir(), newKey(t)
	a := newMachine(t, dir)
	old, _ := a.begin("zephyrtoken in plain text")
	a.sync()
	a.begin("with the key")
	report, err := Status(t.Context(), a.s, Options{Dir: dir, Key: key})
	if err != nil || report.Rewrite != 1 || report.Plain != 1 {
		t.Errorf("the status is %+v, %v; want one file in plain text, to be written again", report, err)
	}
	a.syncWith(key)
	written := segments(dir)
	if len(written) != 2 {
		t.Errorf("there are %d segments, want 2", len(written))
	}
	for _, path := range written {
		if !isEncrypted(path) {
			t.Errorf("%s is in plain text", filepath.Base(path))
		}
	}
	b := newMachine(t, dir)
	if out := b.syncWith(key); out.Received != 2 || len(out.Skipped) > 0 {
		t.Errorf("a new machine with the key received %+v", out)
	}
	b.want(old.ID, "zephyrtoken in plain text")
}

// If a clock far in the future were accepted, all machines would continue from it and have no times left.
func TestAForgedClockIsRefused(t *testing.T) {
	const why = "its clock is more than a day ahead"
	now := time.Now().UnixMilli()
	ahead := (now + 48*3600*1000) << 12
	for name, forged := range map[string]struct {
		created int64
		lines   []store.Line
	}{
		"a segment": {now + 48*3600*1000, chat("forged", 1, "hello")},
		"a message": {1, chat("forged", ahead, "hello")},
		"a title": {1, append(chat("forged", 1, "hello"), store.Line{
			Register: &store.Register{Stamp: ahead, Name: "title", Value: `{"title":"x","title_from":"user"}`},
		})},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			a, b := newMachine(t, dir), newMachine(t, dir)
			file := forge(t, dir, forged.created, forged.lines...)
			kept, _ := a.begin("kept")
			a.skips(a.sync(), "", file, why)
			b.skips(b.sync(), "", file, why)
			must(t, a.s.UpdateSession(t.Context(), kept.ID, func(row *store.Session) {
				row.Title, row.TitleFrom = "renamed", store.TitleUser
			}))
			a.sync()
			b.sync()
			row, err := b.s.Session(t.Context(), kept.ID)
			if err != nil || row.Title != "renamed" {
				t.Errorf("the other machine has the title %q, %v", row.Title, err)
			}
		})
	}
}

// Different content for a stored message is not merged and is reported once. The rest of the file is merged.
func TestOtherContentOfAStoredMessageIsNamed(t *testing.T) {
	dir := t.TempDir()
	a := newMachine(t, dir)
	kept, first := a.begin("what was said")
	a.sync()
	file := forge(t, dir, 1, append(chat(kept.ID, first.ID, "what was never said"), chat("another", 1, "hello")...)...)
	out := a.sync()
	a.want(kept.ID, "what was said")
	want := filepath.Join(stranger,
		shortName(file)) + " has different content for 1 stored message; the stored content is kept."
	if len(out.Skipped) != 1 || out.Skipped[0] != want || out.Sessions != 1 {
		t.Errorf("the sync says %q and adds %d sessions, want %q and 1", out.Skipped, out.Sessions, want)
	}
	if again := a.sync(); len(again.Skipped) > 0 {
		t.Errorf("the next sync says %q", again.Skipped)
	}
}
