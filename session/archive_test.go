package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"winnow/session/store"
	"winnow/session/transfer/archive"
)

type tester interface {
	Helper()
	Fatalf(string, ...any)
}

// written is when the files of these tests were written.
var written = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func newStoreAt(t testing.TB) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "winnow.db"), store.Options{})
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// archiveOf is the archive of sessions, all of them where none is named.
func archiveOf(t tester, s *store.Store, ids ...string) []byte {
	t.Helper()
	if len(ids) == 0 {
		ids = idsOf(t, s)
	}
	var buf bytes.Buffer
	if err := archive.Write(context.Background(), s, &buf, ids...); err != nil {
		t.Fatalf("write the archive: %v", err)
	}
	return buf.Bytes()
}

func idsOf(t tester, s *store.Store) []string {
	t.Helper()
	var ids []string
	for _, f := range []store.Filter{{}, {Archived: true}, {Trash: true}} {
		list, err := s.Sessions(context.Background(), f)
		if err != nil {
			t.Fatalf("list the sessions: %v", err)
		}
		for _, row := range list {
			ids = append(ids, row.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// restore restores an archive and returns what was reported.
func restore(t tester, s *store.Store, file []byte) []archive.Restored {
	t.Helper()
	var all []archive.Restored
	err := archive.Restore(context.Background(), s, bytes.NewReader(file), func(i archive.Restored) { all = append(all, i) })
	if err != nil {
		t.Fatalf("import the archive: %v", err)
	}
	return all
}

// dumped is everything that is dumped of sessions, all of them where none is named.
func dumped(t tester, s *store.Store, ids ...string) string {
	t.Helper()
	var b strings.Builder
	if len(ids) == 0 {
		ids = idsOf(t, s)
	}
	enc := json.NewEncoder(&b)
	for _, id := range ids {
		if err := s.Dump(context.Background(), id, func(l store.Line) error { return enc.Encode(l) }); err != nil {
			t.Fatalf("dump session %s: %v", id, err)
		}
	}
	return b.String()
}

// remarksOf are all that was said of an import, a line each.
func remarksOf(all []archive.Restored) string {
	var b strings.Builder
	for _, i := range all {
		for _, r := range i.Errors {
			fmt.Fprintf(&b, "error: %s\n", r)
		}
		for _, r := range i.Warnings {
			fmt.Fprintf(&b, "warning: %s\n", r)
		}
	}
	return b.String()
}

// several is a history with some conversations, one of them a fork of another and one in the trash.
func several(t *testing.T) (*bench, []string) {
	b := newBench(t)
	ctx := t.Context()
	var first *Session
	for i := range 4 {
		s := b.begin()
		for turn := range 3 {
			b.steps = append(b.steps, says(fmt.Sprintf("Answer %d of %d.", turn+1, i+1)))
			completed(t, s.Send(ctx, say(fmt.Sprintf("Question %d of %d?", turn+1, i+1))))
		}
		if first == nil {
			first = s
		}
	}
	ids := idsOf(t, b.deps.Store)
	fork, err := first.Fork(ctx, first.Messages()[2].ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.deps.Store.Delete(ctx, ids[3]); err != nil {
		t.Fatal(err)
	}
	return b, append(ids, fork.ID)
}

func TestRestoreAgainChangesNothing(t *testing.T) {
	b, ids := several(t)
	b.Unrecorded = 1
	file := archiveOf(t, b.deps.Store)
	there := newStoreAt(t)
	if all := restore(t, there, file); len(all) != 5 || remarksOf(all) != "" {
		t.Fatalf("the import says %+v", all)
	}
	want := dumped(t, b.deps.Store)
	if got := dumped(t, there); got != want {
		t.Errorf("it holds\n%s\nwant\n%s", got, want)
	}
	all := restore(t, there, file)
	if got, want := remarksOf(all), fmt.Sprintf("warning: session %s is in the trash\n", ids[3]); got != want {
		t.Errorf("importing it again says\n%swant\n%s", got, want)
	}
	for _, i := range all {
		if !i.Again {
			t.Errorf("session %s came in again", i.Session.ID)
		}
	}
	// It goes on here: an older archive has nothing to bring.
	b.deps.Store = there
	b.steps = append(b.steps, says("More."))
	completed(t, b.open(ids[0]).Send(t.Context(), say("And now?")))
	want = dumped(t, there)
	restore(t, there, file)
	if got := dumped(t, there); got != want {
		t.Errorf("an older archive changed what is there")
	}
}

// The same conversation goes on in two places: an archive of one adds its branch to the other.
func TestRestoreAddsABranch(t *testing.T) {
	b, ids := several(t)
	b.Unrecorded = 1
	home := b.deps.Store
	there := newStoreAt(t)
	restore(t, there, archiveOf(t, home))
	for i, s := range []*store.Store{home, there} {
		b.deps.Store = s
		b.steps = append(b.steps, says("More."))
		completed(t, b.open(ids[0]).Send(t.Context(), say(fmt.Sprintf("In place %d?", i))))
	}
	all := restore(t, there, archiveOf(t, home, ids[0]))
	if len(all) != 1 || all[0].New || all[0].Added != 2 || remarksOf(all) != "" {
		t.Errorf("the import says %+v, want two messages that were added", all)
	}
	both, err := there.Messages(t.Context(), ids[0])
	if err != nil || len(both) != 10 {
		t.Errorf("the session has %d messages, %v; want those of both places", len(both), err)
	}
	later := b.open(ids[0])
	for nth := range 5 {
		if got, err := later.Records().Replay(t.Context(), nth+1, 1); err != nil || !got.Proven {
			t.Errorf("the request of turn %d is proven: %t (%s), %v", nth+1, got.Proven, got.Doubt, err)
		}
	}
}

// A fork names its parent, whichever of the two comes first.
func TestForkFindsItsParent(t *testing.T) {
	b, ids := several(t)
	home := b.deps.Store
	for _, order := range [][]string{{ids[0], ids[4]}, {ids[4], ids[0]}} {
		there := newStoreAt(t)
		for _, id := range order {
			restore(t, there, archiveOf(t, home, id))
		}
		fork, err := there.Session(t.Context(), ids[4])
		if err != nil {
			t.Fatal(err)
		}
		found, err := there.MessagesWith(t.Context(), []int64{fork.ForkedAt})
		if err != nil || len(found) != 1 {
			t.Fatalf("in order %v the message that was forked at is %+v, %v", order, found, err)
		}
		if m := found[0]; m.Session != ids[0] || m.Content != "Question 2 of 1?" {
			t.Errorf("in order %v the fork is of message %d: %q of %s", order, fork.ForkedAt, m.Content, m.Session)
		}
	}
}

// A damaged archive brings every session that is whole, says which ones are not, and never brings
// half of one.
func TestDamagedArchives(t *testing.T) {
	t.Parallel()
	b, ids := several(t)
	file := archiveOf(t, b.deps.Store)
	whole := map[string]string{}
	for _, id := range ids {
		whole[id] = dumped(t, b.deps.Store, id)
	}
	cases, complete := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		damaged := bytes.Clone(file)
		at := rapid.IntRange(0, len(file)-1).Draw(rt, "at")
		hit := 1
		switch rapid.SampledFrom([]string{"flip", "cut", "lose"}).Draw(rt, "damage") {
		case "flip":
			damaged[at] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
		case "cut":
			damaged, hit = damaged[:at], len(ids)
		case "lose":
			to := min(len(file), at+rapid.IntRange(1, 3000).Draw(rt, "bytes"))
			damaged, hit = append(damaged[:at], file[to:]...), 3
		}
		there, err := store.Open(context.Background(), store.Memory, store.Options{})
		if err != nil {
			rt.Fatalf("open a store: %v", err)
		}
		defer there.Close()
		var all []archive.Restored
		err = archive.Restore(context.Background(), there, bytes.NewReader(damaged), func(i archive.Restored) { all = append(all, i) })
		cases++
		if err != nil {
			if at > len(`{"winnow":1,"sessions":[`) {
				rt.Fatalf("damage at byte %d ends the import: %v", at, err)
			}
			return
		}
		restored := idsOf(rt, there)
		for _, id := range restored {
			if dumped(rt, there, id) != whole[id] {
				rt.Fatalf("session %s came in, and not as it was", id)
			}
		}
		if len(restored) == len(ids) {
			complete++
		}
		if lost := len(ids) - len(restored); lost > hit {
			rt.Fatalf("%d sessions were lost with damage at byte %d: %s", lost, at, remarksOf(all))
		} else if lost > 0 && !strings.Contains(remarksOf(all), "error: ") {
			rt.Fatalf("%d sessions were lost and the import says only %q", lost, remarksOf(all))
		}
	})
	t.Logf("%d damaged archives, %d of them with every session all the same", cases, complete)
}

func TestRestoreRefusesOtherFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "it is not a winnow archive",
		"[]":                           "it is not a winnow archive",
		`{"messages":[]}`:              "it is not a winnow archive",
		`{"winnow":2,"sessions":[]}`:   "another build of winnow wrote the archive (format 2, this one reads 1)",
		`{"winnow":"1","sessions":[]}`: "it is not a winnow archive",
	} {
		err := archive.Restore(t.Context(), newStoreAt(t), strings.NewReader(text), nil)
		if err == nil || err.Error() != want {
			t.Errorf("importing %q: %v, want %q", text, err, want)
		}
	}
}
