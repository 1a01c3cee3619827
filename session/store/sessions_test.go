package store

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"winnow/history"
)

func TestBeginKeepsEveryFieldOfASession(t *testing.T) {
	c := noon()
	s := openAt(t, newPath(t), Options{Now: c.now})
	in := Session{
		Title: "a\x00title \xff", TitleFrom: "user", Endpoint: "openai", Model: "gpt-5.2", Preset: "classic",
		Overrides: "budget = 3\n", System: "be brief", Parent: "some-session", ForkedAt: 7,
		Pinned: true, Archived: true, Dir: "/home/x", Tags: []string{"b", "a", "b"},
	}
	got, first, err := s.Begin(context.Background(), in, says("", 99, history.User, "hello"))
	must(t, "begin", err)
	want := in
	want.ID, want.Leaf, want.Messages, want.Turns, want.Tags = got.ID, first.ID, 1, 1, []string{"a", "b"}
	want.Created, want.Updated, want.key, want.used = c.t, c.t, got.key, got.used
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Begin returns\n%+v, want\n%+v", got, want)
	}
	if stored := sessionOf(t, s, got.ID); !reflect.DeepEqual(stored, want) {
		t.Errorf("Session returns\n%+v, want\n%+v", stored, want)
	}
	if first.Parent != 0 || first.Seq != 1 || first.Session != got.ID || first.CreatedMS != c.t.UnixMilli() {
		t.Errorf("the first message is %+v", first)
	}
	if len(got.ID) != 36 || got.ID[14] != '7' {
		t.Errorf("the id is %q, want a UUIDv7", got.ID)
	}
}

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

func TestSettersSetAndMissingSessionsAreSaid(t *testing.T) {
	c := noon()
	s := openAt(t, newPath(t), Options{Now: c.now})
	ctx := context.Background()
	want, _ := begin(t, s, "", "hello")
	id := want.ID
	c.add(time.Hour)
	want.Endpoint, want.Model, want.Preset, want.Overrides = "groq", "kimi/k2", "frugal", "budget = 9"
	must(t, "configure", configure(s, want))
	must(t, "system", s.Update(ctx, id, func(row *Session) { row.System, row.SystemFixed = "be kind", true }))
	must(t, "delete", s.Delete(ctx, id))
	want.System, want.SystemFixed, want.Deleted = "be kind", true, c.t
	c.add(time.Hour)
	must(t, "delete again", s.Delete(ctx, id))
	if got := sessionOf(t, s, id); !reflect.DeepEqual(got, want) {
		t.Errorf("the session is\n%+v, want\n%+v", got, want)
	}
	must(t, "restore", s.Restore(ctx, id))
	if got := sessionOf(t, s, id); !got.Deleted.IsZero() {
		t.Errorf("a restored session is deleted at %v", got.Deleted)
	}
	_, reqErr := s.AddRequest(ctx, Request{Session: "nix"})
	_, brErr := s.BranchIDs(ctx, id, 1)
	_, remErr := s.Decisions(ctx, "nix")
	_, appErr := s.Append(ctx, says("nix", 0, history.User, "x"))
	for name, err := range map[string]error{
		"Rename": s.Rename(ctx, "nix", "", "user"), "Configure": configure(s, Session{ID: "nix"}),
		"Delete":  s.Delete(ctx, "nix"),
		"Restore": s.Restore(ctx, "nix"), "Purge": s.Purge(ctx, "nix"), "SetTags": s.Update(ctx, "nix",
			func(row *Session) { row.Tags = []string{"x"} }),
		"SetLeaf": s.Update(ctx, "nix", func(row *Session) { row.Leaf = 0 }), "SaveDraft": s.SaveDraft(ctx, "nix",
			Draft{Text: "x"}), "SetFlags": flag(ctx, s, 99, history.Pin),
		"AddRequest": reqErr, "Branch": brErr, "Append": appErr,
		"UpdateRequest": s.UpdateRequest(ctx, Request{ID: 5, Session: id}), "SetRemedies": s.SetRemedies(ctx,
			history.LeaveOut, 99),
		"Decisions": remErr,
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s of what is not there = %v, want ErrNotFound", name, err)
		}
	}
}
