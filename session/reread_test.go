package session

import (
	"errors"
	"testing"

	"winnow/history"
	"winnow/session/store"
)

// appended stores messages in a conversation as somebody else does: each behind the one before.
func appended(t *testing.T, b *bench, s *Session, parent int64, texts ...string) (last int64) {
	t.Helper()
	for i, text := range texts {
		role := history.User
		if i%2 == 1 {
			role = history.Assistant
		}
		m, err := b.deps.Store.Append(t.Context(), store.Message{
			Session: s.Info().ID, Parent: parent, Message: history.Message{
				Role: role, Content: text, Status: history.Complete,
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		parent = m.ID
	}
	return parent
}

func reread(t *testing.T, s *Session) Reread {
	t.Helper()
	found, err := s.Reread(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestWhatWasAddedElsewhereContinuesTheBranch(t *testing.T) {
	b := newBench(t, says("One."), says("Three."))
	s := b.begin()
	drain(s.Send(t.Context(), say("First")))
	first := s.Messages()[0].ID
	db, id := b.deps.Store, s.Info().ID
	end := appended(t, b, s, s.Info().Leaf, "Second", "Two.")
	if _, err := db.SetFlags(t.Context(), map[int64]history.Flag{first: history.Pin}); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		db.Rename(t.Context(), id, "Elsewhere", store.TitleUser),
		db.Update(t.Context(), id, func(row *store.Session) { row.Tags = []string{"trip"} }),
		db.Update(t.Context(), id, func(row *store.Session) {
			row.System, row.SystemFixed = "Be brief.", true
		}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	found := reread(t, s)
	if found.Added != 2 || found.Parts {
		t.Errorf("found %+v, want two messages behind the end", found)
	}
	wantTranscript(t, s.Messages(), "user: First\nassistant: One.\nuser: Second\nassistant: Two.\n")
	if row := s.Info(); row.Title != "Elsewhere" || len(row.Tags) != 1 || row.Leaf != end || row.Turns != 2 ||
		s.Now().System != "Be brief." || s.Now().Flags[first] != history.Pin {
		t.Errorf("the row is %+v, the system prompt %q, the flag %q", row, s.Now().System, s.Now().Flags[first])
	}
	completed(t, s.Send(t.Context(), say("Third")))
	wantTranscript(t, s.Messages(), "user: First\nassistant: One.\nuser: Second\nassistant: Two.\nuser: "+
		"Third\nassistant: Three.\n")
	if again := reread(t, s); again.Added != 0 || again.Parts {
		t.Errorf("nothing was changed, and found is %+v", again)
	}
}

func TestABranchFromElsewhereStaysBesideTheOneInUse(t *testing.T) {
	b := newBench(t, says("One."), says("Two."), says("Three."))
	s := b.begin()
	drain(s.Send(t.Context(), say("First")))
	parent := s.Info().Leaf
	drain(s.Send(t.Context(), say("Second")))
	second, leaf := s.Messages()[2].ID, s.Info().Leaf
	end := appended(t, b, s, parent, "Zweite", "Zwei.") // and the store's leaf is there now
	found := reread(t, s)
	if found.Added != 0 || !found.Parts || found.Row.Leaf != end {
		t.Errorf("found %+v, want that the branch to %d parts at %d", found, end, second)
	}
	m := s.Messages()[2]
	if m.Sibling != 1 || m.Siblings != 2 || s.Branch().Row(2).Siblings != 2 || s.Info().Leaf != leaf {
		t.Errorf("the message is %d of %d, the leaf %d, want 1 of 2 and %d", m.Sibling, m.Siblings, s.Info().Leaf, leaf)
	}
	drain(s.Send(t.Context(), say("Third")))
	wantTranscript(t, s.Messages(), "user: First\nassistant: One.\nuser: Second\nassistant: Two.\nuser: "+
		"Third\nassistant: Three.\n")
	if row, err := b.deps.Store.Session(t.Context(), s.Info().ID); err != nil || row.Leaf != s.Info().Leaf {
		t.Errorf("the stored leaf is %d, %v; want %d, where the user went on", row.Leaf, err, s.Info().Leaf)
	}
	if v, err := s.SwitchVersion(t.Context(), second, 1); err != nil || v.Nth != 2 {
		t.Errorf("the other version is %+v, %v", v, err)
	}
	wantTranscript(t, s.Messages(), "user: First\nassistant: One.\nuser: Zweite\nassistant: Zwei.\n")
}

func TestNothingIsRereadInATurnNorOfWhatIsGone(t *testing.T) {
	b := newBench(t, says("One."))
	b.Unrecorded = 1 // of the purged conversation
	s := b.begin()
	if found, err := s.Reread(t.Context()); err != nil || found.Added != 0 {
		t.Errorf("of a conversation that has not begun: %+v, %v", found, err)
	}
	drain(s.Send(t.Context(), say("First")))
	running := s.newTurn(func() {})
	if err := s.claim(running); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reread(t.Context()); !errors.Is(err, ErrBusy) {
		t.Errorf("in a turn: %v, want ErrBusy", err)
	}
	running.free()
	if err := b.deps.Store.Purge(t.Context(), s.Info().ID); err != nil && !errors.Is(err, store.ErrNotOverwritten) {
		t.Fatal(err)
	}
	if _, err := s.Reread(t.Context()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("of a purged conversation: %v, want ErrNotFound", err)
	}
	if _, err := drain(s.Send(t.Context(), say("Second"))); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a purged conversation is written again: %v", err)
	}
	if list, err := b.deps.Store.Sessions(t.Context(), store.Filter{}); err != nil || len(list) != 0 {
		t.Errorf("there are %d sessions, %v; want none", len(list), err)
	}
}
