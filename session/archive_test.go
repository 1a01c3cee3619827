package session

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/record"
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

func digestOf(t tester, s *store.Store) string {
	t.Helper()
	var sums []string
	ids, err := s.SessionIDs(context.Background())
	for _, id := range ids {
		d := store.NewDigester()
		err = cmp.Or(err, s.Dump(context.Background(), id, d.Add))
		sums = append(sums, d.Whole())
	}
	if err != nil {
		t.Fatalf("take the digest: %v", err)
	}
	return strings.Join(sums, " ")
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

// TestNoIDOfARecordIsForgotten fills a decision with ids wherever it has an int64, which is what an id
// is, and wants every one of them moved.
func TestNoIDOfARecordIsForgotten(t *testing.T) {
	d := record.Decision{Flags: map[int64]history.Flag{5: history.Pin}, Remedies: map[int64]history.Remedy{6: history.LeaveOut}, Guessed: [][2]int64{{7, 8}}, Turn: []int64{9, 10}, Summary: &history.Summary{Messages: history.IDs{{11, 12}}}, Scope: &history.Scope{Messages: history.IDs{{13, 14}}}}
	setIDs(reflect.ValueOf(&d).Elem())
	var r store.Request
	if err := record.Sign(&r, d, nil); err != nil {
		t.Fatal(err)
	}
	shifted, err := store.Shift{Messages: 1000, Summaries: 1000}.Line(store.Line{Request: &store.RequestLine{Options: store.Text(r.Options)}})
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal([]byte(shifted.Request.Options), &got); err != nil {
		t.Fatal(err)
	}
	back, err := record.ReadDecision(store.Request{Options: []byte(shifted.Request.Options)})
	if err != nil {
		t.Fatal(err)
	}
	ids := idsIn(reflect.ValueOf(back))
	if len(ids) < 9 {
		t.Errorf("only %d ids were found in %+v", len(ids), back)
	}
	for _, id := range ids {
		if id < 1000 {
			t.Errorf("id %d was not moved in %s", id, shifted.Request.Options)
		}
	}
}

// setIDs gives every int64 of a value that is 0 a number.
func setIDs(v reflect.Value) {
	switch v.Kind() {
	case reflect.Int64:
		if v.CanSet() && v.Int() == 0 { // Those inside of a time are no ids.
			v.SetInt(4)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			setIDs(v.Field(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			setIDs(v.Elem())
		}
	}
}

// idsIn are all int64s of a value, as keys too.
func idsIn(v reflect.Value) []int64 {
	var ids []int64
	switch v.Kind() {
	case reflect.Int64:
		ids = append(ids, v.Int())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				ids = append(ids, idsIn(v.Field(i))...)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			ids = idsIn(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			ids = append(ids, idsIn(v.Index(i))...)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			ids = append(append(ids, idsIn(k)...), idsIn(v.MapIndex(k))...)
		}
	}
	return ids
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
			if _, err := drain(s.Send(ctx, fmt.Sprintf("Question %d of %d?", turn+1, i+1))); err != nil {
				t.Fatal(err)
			}
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
	want := digestOf(t, b.deps.Store)
	if got := digestOf(t, there); got != want {
		t.Errorf("the digest is %s, want %s", got, want)
	}
	all := restore(t, there, file)
	if got, want := remarksOf(all), fmt.Sprintf("warning: session %s already exists in the trash; nothing of it was imported\n", ids[3]); got != want {
		t.Errorf("importing it again says\n%swant\n%s", got, want)
	}
	for _, i := range all {
		if !i.Again {
			t.Errorf("session %s came in again", i.Session.ID)
		}
	}
	if got := digestOf(t, there); got != want {
		t.Errorf("after a second import the digest is %s, want %s", got, want)
	}

	// It goes on here: an older archive has nothing to bring.
	b.deps.Store = there
	b.steps = append(b.steps, says("More."))
	if _, err := drain(b.open(ids[0]).Send(t.Context(), "And now?")); err != nil {
		t.Fatal(err)
	}
	want = digestOf(t, there)
	all = restore(t, there, file)
	if got := remarksOf(all[:1]); !all[0].Again || !strings.Contains(got, "has changed since") {
		t.Errorf("importing a conversation that went on says %q", got)
	}
	if got := digestOf(t, there); got != want {
		t.Errorf("a third import changed what is there")
	}
}

func TestRestoreUnderAnotherID(t *testing.T) {
	b, ids := several(t)
	b.Unrecorded = 1
	home := b.deps.Store
	before := archiveOf(t, home)
	there := newStoreAt(t)
	restore(t, there, before)

	// The same conversation goes on in both places.
	for i, s := range []*store.Store{home, there} {
		b.deps.Store = s
		b.steps = append(b.steps, says("More."))
		if _, err := drain(b.open(ids[0]).Send(t.Context(), fmt.Sprintf("In place %d?", i))); err != nil {
			t.Fatal(err)
		}
	}
	file := archiveOf(t, home, ids[0])
	all := restore(t, there, file)
	if len(all) != 1 || all[0].Session.ID == ids[0] || all[0].Again {
		t.Fatalf("the import says %+v", all)
	}
	if got := remarksOf(all); !strings.Contains(got, "was imported as "+all[0].Session.ID) {
		t.Errorf("the import says %q", got)
	}
	if again := restore(t, there, file); !again[0].Again || again[0].Session.ID != all[0].Session.ID {
		t.Errorf("a second import says %+v", again)
	}
	later := b.open(all[0].Session.ID)
	if got, err := later.Records().Replay(t.Context(), 4, 1); err != nil || !got.Proven {
		t.Errorf("its newest request is proven: %t (%s), %v", got.Proven, got.Doubt, err)
	}
}

// A fork finds the message that it was forked at, whichever of the two comes first.
func TestForkFindsItsParent(t *testing.T) {
	b, ids := several(t)
	home := b.deps.Store
	for _, order := range [][]string{{ids[0], ids[4]}, {ids[4], ids[0]}} {
		there := newStoreAt(t)
		restore(t, there, archiveOf(t, home, ids[1], ids[2])) // so that ids are others
		for _, id := range order {
			restore(t, there, archiveOf(t, home, id))
		}
		fork, err := there.Session(t.Context(), ids[4])
		if err != nil {
			t.Fatal(err)
		}
		m, err := there.Message(t.Context(), fork.ForkedAt)
		if err != nil || m.Session != ids[0] || m.Content != "Question 2 of 1?" {
			t.Errorf("in order %v the fork is of message %d: %q of %s, %v", order, fork.ForkedAt, m.Content, m.Session, err)
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
		d := store.NewDigester()
		if err := b.deps.Store.Dump(t.Context(), id, d.Add); err != nil {
			t.Fatal(err)
		}
		whole[id] = d.Whole()
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
			d := store.NewDigester()
			if err := there.Dump(context.Background(), id, d.Add); err != nil {
				rt.Fatalf("read session %s: %v", id, err)
			}
			if d.Whole() != whole[id] {
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

// An archive that another program wrote anew, with other spaces, says the same.
func TestArchiveInOtherSpaces(t *testing.T) {
	b, _ := several(t)
	var wide bytes.Buffer
	if err := json.Indent(&wide, archiveOf(t, b.deps.Store), "\t", "  "); err != nil {
		t.Fatal(err)
	}
	there := newStoreAt(t)
	if all := restore(t, there, wide.Bytes()); len(all) != 5 || remarksOf(all) != "" {
		t.Fatalf("the import says %+v", all)
	}
	if got, want := digestOf(t, there), digestOf(t, b.deps.Store); got != want {
		t.Errorf("the digest is %s, want %s", got, want)
	}
}
