package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"winnow/history"
)

func titles(t *testing.T, s *Store, f Filter) []string {
	t.Helper()
	list, err := s.Sessions(context.Background(), f)
	if err != nil {
		t.Fatalf("Sessions(%+v): %v", f, err)
	}
	out := []string{}
	for _, x := range list {
		out = append(out, x.Title)
	}
	return out
}

func wantTitles(t *testing.T, s *Store, f Filter, want ...string) {
	t.Helper()
	if want == nil {
		want = []string{}
	}
	if got := titles(t, s, f); !reflect.DeepEqual(got, want) {
		t.Errorf("Sessions(%+v) = %q, want %q", f, got, want)
	}
}

func TestBeginKeepsEveryFieldOfASession(t *testing.T) {
	c := noon()
	s := openAt(t, newPath(t), Options{Now: c.now})
	in := Session{
		Title: "a\x00title \xff", TitleFrom: "user", Endpoint: "openai", Model: "gpt-5.2", Preset: "classic",
		Overrides: "budget = 3\n", System: "be brief", Parent: "some-session", ForkedAt: 7, Pinned: true, Archived: true,
		Dir: "/home/x", Tags: []string{"b", "a", "b"},
	}
	got, first, err := s.Begin(context.Background(), in, says("", 99, history.User, "hello"))
	must(t, "begin", err)
	want := in
	want.ID, want.Leaf, want.Messages, want.Turns, want.Tags = got.ID, first.ID, 1, 1, []string{"a", "b"}
	want.Created, want.Updated = c.t, c.t
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

func TestFailedBeginLeavesNothing(t *testing.T) {
	s := newStore(t)
	session, _ := begin(t, s, "one", "hello")
	if _, _, err := s.Begin(context.Background(), Session{ID: session.ID, Title: "two"}, says("", 0, history.User, "x")); err == nil {
		t.Error("two sessions have one id")
	}
	wantTitles(t, s, Filter{}, "one")
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
	if !errors.As(err, &ambiguous) || ambiguous.Count != 2 || len(ambiguous.Matches) != 2 || ambiguous.Matches[0].ID != "aaaa2222" {
		t.Errorf("Session(aaaa) = %v, want an AmbiguousError with both, the last used first", err)
	}
}

func TestListIsInOrderOfLastUse(t *testing.T) {
	c := noon()
	s := openAt(t, newPath(t), Options{Now: c.now})
	ctx := context.Background()
	a, _ := begin(t, s, "Alpha Straße", "x")
	b, _ := begin(t, s, "beta", "x")
	d, _ := begin(t, s, "GAMMA ÄÖ", "x")
	wantTitles(t, s, Filter{}, "GAMMA ÄÖ", "beta", "Alpha Straße")

	// The clock goes back a day, and still the session used last is the last used one.
	c.add(-24 * time.Hour)
	add(t, s, says(a.ID, a.Leaf, history.User, "again"))
	wantTitles(t, s, Filter{}, "Alpha Straße", "GAMMA ÄÖ", "beta")
	if got, err := s.Last(ctx); err != nil || got.ID != a.ID {
		t.Errorf("Last = %q, %v; want Alpha", got.Title, err)
	}

	must(t, "pin", s.SetPinned(ctx, b.ID, true))
	wantTitles(t, s, Filter{}, "beta", "Alpha Straße", "GAMMA ÄÖ")
	wantTitles(t, s, Filter{Limit: 1}, "beta")
	wantTitles(t, s, Filter{Limit: 2}, "beta", "Alpha Straße")
	must(t, "unpin", s.SetPinned(ctx, b.ID, false))

	must(t, "tag", s.SetTags(ctx, d.ID, "Work", "work/x"))
	wantTitles(t, s, Filter{Text: "straße alp"}, "Alpha Straße")
	wantTitles(t, s, Filter{Text: "äö"}, "GAMMA ÄÖ")
	wantTitles(t, s, Filter{Text: "WORK gam"}, "GAMMA ÄÖ")
	wantTitles(t, s, Filter{Text: "a", Limit: 1}, "Alpha Straße")
	wantTitles(t, s, Filter{Text: "'; DROP TABLE sessions; --%_"})

	must(t, "archive", s.SetArchived(ctx, a.ID, true))
	must(t, "delete", s.Delete(ctx, d.ID))
	wantTitles(t, s, Filter{}, "beta")
	wantTitles(t, s, Filter{Archived: true}, "Alpha Straße")
	wantTitles(t, s, Filter{Trash: true}, "GAMMA ÄÖ")
	if got, err := s.Last(ctx); err != nil || got.ID != b.ID {
		t.Errorf("Last = %q, %v; want beta, which is neither archived nor deleted", got.Title, err)
	}
}

func TestLastWithoutSessions(t *testing.T) {
	s := newStore(t)
	if _, err := s.Last(context.Background()); !errors.Is(err, ErrNotFound) {
		t.Errorf("Last of nothing = %v, want ErrNotFound", err)
	}
}

func TestAutomaticTitleNeverReplacesTheUsers(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, _ := begin(t, s, "", "hello")
	for _, c := range []struct{ title, from, want, wantFrom string }{
		{"guess", "auto", "guess", "auto"},
		{"better guess", "auto", "better guess", "auto"},
		{"mine", "user", "mine", "user"},
		{"guess again", "auto", "mine", "user"},
		{"mine too", "user", "mine too", "user"},
	} {
		must(t, "rename", s.Rename(ctx, session.ID, c.title, TitleSource(c.from)))
		if got := sessionOf(t, s, session.ID); got.Title != c.want || got.TitleFrom != TitleSource(c.wantFrom) {
			t.Errorf("after Rename(%q, %s) the title is %q from %q, want %q from %q", c.title, c.from, got.Title, got.TitleFrom, c.want, c.wantFrom)
		}
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
	must(t, "configure", s.Configure(ctx, want))
	must(t, "system", s.SetSystem(ctx, id, "be kind"))
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
	_, brErr := s.Branch(ctx, "nix", 1, 0, 1)
	_, remErr := s.Remedies(ctx, "nix")
	_, appErr := s.Append(ctx, says("nix", 0, history.User, "x"))
	for name, err := range map[string]error{
		"Rename": s.Rename(ctx, "nix", "", "user"), "Configure": s.Configure(ctx, Session{ID: "nix"}), "Delete": s.Delete(ctx, "nix"),
		"Restore": s.Restore(ctx, "nix"), "Purge": s.Purge(ctx, "nix"), "SetTags": s.SetTags(ctx, "nix", "x"),
		"SetLeaf": s.SetLeaf(ctx, "nix", 0), "SaveDraft": s.SaveDraft(ctx, "nix", Draft{Text: "x"}), "SetFlags": flag(ctx, s, 99, history.Pin),
		"AddRequest": reqErr, "Branch": brErr, "Append": appErr,
		"UpdateRequest": s.UpdateRequest(ctx, Request{ID: 5, Session: id}), "SetRemedies": s.SetRemedies(ctx, history.LeaveOut, 99),
		"Remedies": remErr,
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s of what is not there = %v, want ErrNotFound", name, err)
		}
	}
}

func TestPurgeLeavesNoByte(t *testing.T) {
	path := newPath(t)
	s := openAt(t, path, Options{})
	ctx := context.Background()
	secret, words, pairs := "the-forgotten-secret", "xylophonist", "秘密"
	for i := range 40 { // the index has parts of several ages, and the words below stand in many of them
		keep, m := begin(t, s, "kept", fmt.Sprint("kept words xyl ", i))
		add(t, s, says(keep.ID, m.ID, history.Assistant, "and more of them"))
	}
	gone, first := begin(t, s, "title "+secret, secret)
	first = add(t, s, says(gone.ID, first.ID, history.User, words+" "+pairs+" "+secret))
	for i := range 20 {
		begin(t, s, "kept", fmt.Sprint("other words ", i))
		first = add(t, s, says(gone.ID, first.ID, history.User, fmt.Sprint(words, i, " ", pairs)))
	}
	withPart := says(gone.ID, first.ID, history.User, strings.Repeat(secret, 5000))
	withPart.Parts = []history.Part{{Kind: history.ImagePart, Data: []byte(secret)}}
	withPart.ToolCalls = []history.ToolCall{{Arguments: secret}}
	last := add(t, s, withPart)
	streamed := start(t, s, gone.ID, last.ID)
	for i := range 20 {
		must(t, "checkpoint", s.Checkpoint(ctx, streamed.ID, strings.Repeat(secret, 500*i), secret))
	}
	streamed.Content, streamed.Status = "short", history.Complete
	_, err := s.FinishAnswer(ctx, streamed, Request{})
	must(t, "finish", err)
	kept, keptFirst := begin(t, s, "kept", "stays")
	shared := says(kept.ID, keptFirst.ID, history.User, "")
	shared.Parts = []history.Part{{Kind: history.ImagePart, Data: []byte("shared")}}
	keptPart := add(t, s, shared)
	shared.Session, shared.Parent = gone.ID, last.ID
	add(t, s, shared)
	must(t, "flag", flag(ctx, s, first.ID, history.Pin))
	must(t, "remedy", s.SetRemedies(ctx, history.SendAsText, first.ID, last.ID))
	must(t, "draft", s.SaveDraft(ctx, gone.ID, Draft{Text: secret}))
	must(t, "repair", s.AddRepairs(ctx, 1, map[int64][]history.Repair{last.ID: {{Kind: "C1", Cause: history.Cause{Text: secret}, After: secret}}}))
	_, err = s.AddRequest(ctx, Request{Session: gone.ID, Error: secret})
	must(t, "request", err)

	must(t, "purge", s.Purge(ctx, gone.ID))
	if _, err := s.Message(ctx, first.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("a purged message: %v, want ErrNotFound", err)
	}
	if got := read(t, s, keptPart.ID); len(got.Parts) != 1 || string(got.Parts[0].Data) != "shared" {
		t.Errorf("an attachment that another session uses: %+v", got.Parts)
	}
	for _, table := range []string{"tool_calls", "flags", "remedies", "repairs", "requests", "drafts"} {
		var n int
		must(t, "count", s.reads.QueryRow("SELECT count(*) FROM "+table).Scan(&n))
		if n != 0 {
			t.Errorf("%s holds %d rows of a purged session", table, n)
		}
	}
	files, err := filepath.Glob(filepath.Dir(path) + "/*")
	must(t, "list", err)
	for _, f := range files {
		b, err := os.ReadFile(f)
		must(t, "read", err)
		for _, text := range []string{secret, words, pairs, words[3:], secret[4:13]} { // the index leaves out what words begin with alike
			if bytes.Contains(b, []byte(text)) {
				t.Errorf("%s still holds purged text: %q", f, text)
			}
		}
	}
	if got := hitsOf(t, s, Search{Text: words}); len(got) > 0 {
		t.Errorf("a purged message is found: %q", got)
	}
	if got := hitsOf(t, s, Search{Text: "kept words xyl 31"}); len(got) != 1 {
		t.Errorf("after the purge Search(kept words xyl 31) finds %q, want one", got)
	}
	if again, m := begin(t, s, "", "new"); m.ID <= last.ID {
		t.Errorf("message %d of session %s has the id of a purged one (%d)", m.ID, again.ID, last.ID)
	}
}
