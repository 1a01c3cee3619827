package transfer

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"winnow/session/store"
)

// tell merges what is new in one history into another, like a sync.
func tell(t *testing.T, from, to *store.Store) store.ApplyResult {
	t.Helper()
	state, err := from.Sync().Join(t.Context(), "host")
	if err != nil {
		t.Fatal(err)
	}
	var lines []store.Line
	out, err := from.Sync().Collect(t.Context(), 1<<30, func(l store.Line) error {
		lines = append(lines, l)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := from.Sync().MarkWritten(t.Context(), out.IDs, nil, nil); err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(lines)
	if err != nil {
		t.Fatal(err)
	}
	segment := store.Segment{Machine: state.Folder, Name: fmt.Sprintf("%x", sha256.Sum256(content))}
	applied, err := to.Sync().Merge(t.Context(), state.Machine, segment, nil, func(take func(store.Line) error) error {
		for _, l := range lines {
			if err := take(l); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return applied
}

// listed returns the sessions of a history.
func listed(t *testing.T, s *store.Store) []store.Session {
	t.Helper()
	all, err := s.Sessions(t.Context(), store.SessionFilter{})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A file that is imported on two machines is one chat on both, whatever the format and the time of the import.
func TestTheSameFileOnTwoMachinesIsOneChat(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		here, there := newStoreAt(t), newStoreAt(t)
		_, err := importFrom(t, here, f.source(t))
		later := f.source(t)
		later.Time = later.Time.AddDate(0, 0, 1)
		if _, again := importFrom(t, there, later); err != nil || again != nil {
			continue // not a file that can be imported
		}
		want := listed(t, there)
		told := tell(t, here, there)
		if told.Sessions+told.Messages+told.Conflicts+told.Diverged > 0 || len(listed(t, there)) != len(want) {
			t.Errorf("%s: the other machine adds %+v to %d sessions", f.path, told, len(want))
		}
	}
}

// A chat that was purged on all machines becomes a new one when its file is imported again.
func TestAPurgedChatIsImportedAsANewOne(t *testing.T) {
	t.Parallel()
	export := exportOf("rain|q1: Will it rain?|a1<q1: No.")
	s, row := weather(t)
	own := exported(t, s, row.ID, ExportOptions{Format: JSON})
	for name, file := range map[string]string{"an export": export, "an archive": own} {
		here, there := newStoreAt(t), newStoreAt(t)
		purged := importText(t, here, file)[0].Session
		tell(t, here, there)
		if err := here.Purge(t.Context(), purged.ID); err != nil {
			t.Fatal(err)
		}
		tell(t, here, there)
		all := importText(t, here, file)
		if len(all) != 1 || !all[0].New || all[0].Session.ID == purged.ID || all[0].Added != purged.Messages {
			t.Fatalf("%s: imported again is %+v, want a new session of %d messages", name, all, purged.Messages)
		}
		got := all[0].Session
		if got.Title != purged.Title || got.System != purged.System || got.Model != purged.Model {
			t.Errorf("%s: the new session is %+v, want what was purged: %+v", name, got, purged)
		}
		if told := tell(t, here, there); told.Sessions != 1 || told.Messages != purged.Messages {
			t.Errorf("%s: the other machine is told %+v", name, told)
		}
		if again := importText(t, here, file); !again[0].Again || again[0].Session.ID != got.ID {
			t.Errorf("%s: the same once more is %+v", name, again)
		}
		branch, err := here.Branch(t.Context(), got.Leaf, 0)
		if err != nil || len(branch) != purged.Messages || strings.TrimSpace(branch[0].Content) == "" {
			t.Errorf("%s: the new session has %+v, %v", name, branch, err)
		}
	}
}
