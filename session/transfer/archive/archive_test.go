package archive_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store"
	"winnow/session/transfer/archive"
	"winnow/session/transfer/conversation"
)

// empty returns an empty history in memory.
func empty(t rapid.TB) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), store.InMemory, store.Options{})
	if err != nil {
		t.Fatalf("open a store: %v", err)
	}
	return s
}

// goesOn appends a question and its answer to a session, or begins one if id is "".
func goesOn(t rapid.TB, s *store.Store, id, text string) string {
	t.Helper()
	for _, role := range []history.Role{history.User, history.Assistant} {
		m := store.Message{Message: history.Message{Role: role, Content: text, Status: history.Complete}}
		row, err := s.Session(context.Background(), id)
		if m.Session, m.Parent = id, row.Leaf; id == "" {
			row, _, err = s.BeginSession(context.Background(), store.Session{Title: text, TitleFrom: store.TitleUser}, m)
			id = row.ID
		} else if err == nil {
			_, err = s.AppendMessage(context.Background(), m)
		}
		if err != nil {
			t.Fatalf("store %q: %v", text, err)
		}
	}
	return id
}

// several returns a history with some conversations, one of them in the trash, and a fork of the first.
func several(t rapid.TB) (s *store.Store, ids []string) {
	t.Helper()
	s = empty(t)
	for i := range 4 {
		id := ""
		for turn := range 3 {
			id = goesOn(t, s, id, fmt.Sprintf("Turn %d of %d.", turn+1, i+1))
		}
		ids = append(ids, id)
	}
	first, err := s.Messages(context.Background(), ids[0])
	if err != nil {
		t.Fatalf("read the messages: %v", err)
	}
	fork, err := s.Fork(context.Background(), ids[0], first[2].ID)
	if err == nil {
		err = s.UpdateSession(context.Background(), ids[3], func(row *store.Session) { row.Deleted = time.Now() })
	}
	if err != nil {
		t.Fatalf("fork and delete: %v", err)
	}
	return s, append(ids, fork.ID)
}

func idsOf(t rapid.TB, s *store.Store) (ids []string) {
	t.Helper()
	list, err := s.Sessions(context.Background(), store.SessionFilter{All: true})
	if err != nil {
		t.Fatalf("list the sessions: %v", err)
	}
	for _, row := range list {
		ids = append(ids, row.ID)
	}
	slices.Sort(ids)
	return ids
}

// written returns an archive of sessions.
func written(t rapid.TB, s *store.Store, ids ...string) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := archive.Write(context.Background(), s, &file, ids...); err != nil {
		t.Fatalf("write the archive: %v", err)
	}
	return file.Bytes()
}

// restored restores an archive, and returns the reports and their remarks.
func restored(t rapid.TB, s *store.Store, file []byte) (all []conversation.Imported, said string, err error) {
	t.Helper()
	err = archive.Restore(context.Background(), s, bytes.NewReader(file), func(r conversation.Imported) {
		all = append(all, r)
		for _, text := range r.Errors {
			said += fmt.Sprintf("error: %s\n", text)
		}
		for _, text := range r.Warnings {
			said += fmt.Sprintf("warning: %s\n", text)
		}
	})
	return all, said, err
}

// dumped returns all rows of sessions.
func dumped(t rapid.TB, s *store.Store, ids ...string) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	for _, id := range ids {
		if err := s.Dump(context.Background(), id, func(l store.Line) error { return enc.Encode(l) }); err != nil {
			t.Fatalf("dump session %s: %v", id, err)
		}
	}
	return b.String()
}

// An archive restores a history completely. Restoring it again changes nothing, even if a conversation was continued;
// if it was continued in two places, both branches are there.
func TestRestoreMerges(t *testing.T) {
	home, ids := several(t)
	there, file := empty(t), written(t, home, ids...)
	if all, said, err := restored(t, there, file); err != nil || len(all) != 5 || said != "" {
		t.Fatalf("the import says %+v, %v", all, err)
	}
	if got, want := dumped(t, there, ids...), dumped(t, home, ids...); got != want {
		t.Errorf("it holds\n%s\nwant\n%s", got, want)
	}
	goesOn(t, there, ids[0], "In the other place.")
	want := dumped(t, there, ids...)
	all, said, err := restored(t, there, file)
	if want := fmt.Sprintf("warning: session %s is in the trash\n", ids[3]); err != nil || said != want {
		t.Errorf("importing it again says\n%s(%v) want\n%s", said, err, want)
	}
	changed := slices.ContainsFunc(all, func(r conversation.Imported) bool { return !r.Again })
	if changed || dumped(t, there, ids...) != want {
		t.Errorf("importing it again changed what is there: %+v", all)
	}
	goesOn(t, home, ids[0], "At home.")
	all, said, err = restored(t, there, written(t, home, ids[0]))
	if err != nil || len(all) != 1 || all[0].New || all[0].Added != 2 || said != "" {
		t.Errorf("the import says %+v, %v; want two messages that were added", all, err)
	}
	if both, err := there.Messages(t.Context(), ids[0]); err != nil || len(both) != 10 {
		t.Errorf("the session has %d messages, %v; want those of both places", len(both), err)
	}
}

// A fork names its parent, whichever of the two is restored first.
func TestForkFindsItsParent(t *testing.T) {
	home, ids := several(t)
	for _, order := range [][]string{{ids[0], ids[4]}, {ids[4], ids[0]}} {
		there := empty(t)
		for _, id := range order {
			if _, said, err := restored(t, there, written(t, home, id)); err != nil || said != "" {
				t.Fatalf("restore %s: %v %s", id, err, said)
			}
		}
		fork, err := there.Session(t.Context(), ids[4])
		if err != nil {
			t.Fatal(err)
		}
		found, err := there.MessagesByID(t.Context(), []int64{fork.ForkedAt})
		if err != nil || len(found) != 1 || found[0].Session != ids[0] || found[0].Content != "Turn 2 of 1." {
			t.Errorf("in order %v the message that was forked at is %+v, %v", order, found, err)
		}
	}
}

// From a damaged archive, every undamaged session is restored, the others are reported, and none is restored in part.
func TestDamagedArchives(t *testing.T) {
	t.Parallel()
	home, ids := several(t)
	file := written(t, home, ids...)
	rapid.Check(t, func(rt *rapid.T) {
		damaged, hit := bytes.Clone(file), 1
		at := rapid.IntRange(0, len(file)-1).Draw(rt, "at")
		switch rapid.SampledFrom([]string{"flip", "cut", "lose"}).Draw(rt, "damage") {
		case "flip":
			damaged[at] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
		case "cut":
			damaged, hit = damaged[:at], len(ids)
		case "lose":
			to := min(len(file), at+rapid.IntRange(1, len(file)/8).Draw(rt, "bytes"))
			damaged, hit = append(damaged[:at], file[to:]...), 3
		}
		there := empty(rt)
		defer there.Close()
		_, said, err := restored(rt, there, damaged)
		if err != nil {
			if at > len(`{"winnow":1,"sessions":[`) {
				rt.Fatalf("damage at byte %d ends the import: %v", at, err)
			}
			return
		}
		whole := idsOf(rt, there)
		for _, id := range whole {
			if dumped(rt, there, id) != dumped(rt, home, id) {
				rt.Fatalf("session %s came in, and not as it was", id)
			}
		}
		if lost := len(ids) - len(whole); lost > hit || lost > 0 && !strings.Contains(said, "error: ") {
			rt.Fatalf("%d sessions were lost with damage at byte %d: %s", lost, at, said)
		}
	})
}

func TestRestoreRefusesOtherFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "it is not a winnow archive",
		"[]":                           "it is not a winnow archive",
		`{"messages":[]}`:              "it is not a winnow archive",
		`{"winnow":2,"sessions":[]}`:   "another build of winnow wrote the archive (format 2, this one reads 1)",
		`{"winnow":"1","sessions":[]}`: "it is not a winnow archive",
	} {
		if _, _, err := restored(t, empty(t), []byte(text)); err == nil || err.Error() != want {
			t.Errorf("importing %q: %v, want %q", text, err, want)
		}
	}
}
