package current

import (
	"testing"
	"time"

	"winnow/history"
	"winnow/session"
	"winnow/session/branch"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
)

// forked are the forks of a session of three messages, of which the first two are copies: one was forked at the
// second message, two at the third.
func forked(parent store.Session) Forks {
	kin := session.Kin{
		Fork: true, Copied: 2, Parent: parent,
		Forks: []store.Session{
			{ID: "a", Title: "Oslo", ForkedAt: 12}, {ID: "b", ForkedAt: 13}, {ID: "c", ForkedAt: 13},
		},
	}
	var messages []store.Message
	for i := range 3 {
		messages = append(messages, store.Message{Message: history.Message{ID: int64(11 + i)}, Seq: i + 1})
	}
	return NewForks(kin, branch.Branch{}.With(messages...), &app.Context{Keys: keymap.Default()})
}

func TestTrailsStandWhereSessionsPart(t *testing.T) {
	for _, c := range []struct {
		parent     store.Session
		at12, from string
		fault      bool
	}{
		{store.Session{ID: "p", Title: "Trip"}, "↳ forked from “Trip” at message 2 · ctrl+p, then Forks…\n↳ 1 fork · " +
			"ctrl+p, then Forks…", "↳ Trip", false},
		{store.Session{ID: "p", Deleted: time.Unix(1, 0)}, "↳ forked from “untitled” at message 2, which is in the " +
			"trash\n↳ 1 fork · ctrl+p, then Forks…", "↳ untitled", true},
		{store.Session{}, "↳ forked from a deleted chat\n↳ 1 fork · ctrl+p, then Forks…", "↳ a deleted chat", true},
	} {
		f := forked(c.parent)
		trails := f.Trails()
		if len(trails) != 2 || trails[12] != c.at12 || trails[13] != "↳ 2 forks · ctrl+p, then Forks…" {
			t.Errorf("%+v: the trails are %v", c.parent, trails)
		}
		if _, fault := f.Parent(); f.From("") != c.from || (fault != "") != c.fault {
			t.Errorf("%+v: it comes from %q, and the parent cannot be opened because %q", c.parent, f.From(""), fault)
		}
	}
}

func TestForksAreThoseOfTheMessageElseAll(t *testing.T) {
	for message, want := range map[int64]struct {
		origin bool
		forks  int
	}{11: {true, 3}, 12: {true, 1}, 13: {false, 2}, 0: {true, 3}} {
		if origin, forks := forked(store.Session{ID: "p"}).At(message); origin != want.origin ||
			len(forks) != want.forks {
			t.Errorf("at message %d there are %d forks, the origin %v; want %+v", message, len(forks), origin, want)
		}
	}
}
