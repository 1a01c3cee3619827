package store

import (
	"context"
	"errors"
	"testing"

	"winnow/history"
)

func TestSessionIsFoundByUniquePrefix(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	for _, id := range []string{"aaaa1111", "aaaa2222", "bbbb3333", "bbbb4444"} {
		_, _, err := s.Begin(ctx, Session{ID: id, Title: id}, says("", 0, history.User, "x"))
		must(t, "begin", err)
	}
	must(t, "delete", s.Delete(ctx, "bbbb4444"))
	for typed, want := range map[string]string{
		"aaaa1111": "aaaa1111", "aaaa1": "aaaa1111", " AAAA2 ": "aaaa2222",
		"b": "bbbb3333", "bbbb": "bbbb3333", "bbbb4": "bbbb4444",
	} {
		if got := sessionOf(t, s, typed).ID; got != want {
			t.Errorf("Session(%q) = %s, want %s", typed, got, want)
		}
	}
	for _, typed := range []string{"", "  ", "c", "aaaa11112", "%", "a%", "_aaa"} {
		if _, err := s.Session(ctx, typed); !errors.Is(err, ErrNotFound) {
			t.Errorf("Session(%q) = %v, want ErrNotFound", typed, err)
		}
	}
	_, err := s.Session(ctx, "aaaa")
	var ambiguous *AmbiguousError
	if !errors.As(err, &ambiguous) || ambiguous.Count != 2 {
		t.Errorf("Session(aaaa) = %v, want an AmbiguousError with both, the last used first", err)
	}
}

func TestWhatIsNotThereIsSaid(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, _ := begin(t, s, "", "hello")
	_, requestErr := s.AddRequest(ctx, Request{Session: "nix"})
	_, branchErr := s.BranchIDs(ctx, session.ID, 1)
	_, decisionsErr := s.Decisions(ctx, "nix")
	_, appendErr := s.Append(ctx, says("nix", 0, history.User, "x"))
	for name, err := range map[string]error{
		"Rename": s.Rename(ctx, "nix", "", "user"), "Delete": s.Delete(ctx, "nix"), "Restore": s.Restore(ctx, "nix"),
		"Purge": s.Purge(ctx, "nix"), "Update": s.Update(ctx, "nix", func(row *Session) { row.Tags = []string{"x"} }),
		"SaveDraft": s.SaveDraft(ctx, "nix", Draft{Text: "x"}), "SetFlags": flag(ctx, s, 99, history.Pin),
		"AddRequest": requestErr, "BranchIDs": branchErr, "Append": appendErr, "Decisions": decisionsErr,
		"UpdateRequest": s.UpdateRequest(ctx, Request{ID: 5, Session: session.ID}),
		"SetRemedies":   s.SetRemedies(ctx, history.LeaveOut, 99),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s of what is not there = %v, want ErrNotFound", name, err)
		}
	}
}
