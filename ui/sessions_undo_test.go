package ui

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/session/store"
)

// shelfState is all of the sessions that an act of the list can change.
func (l *live) shelfState() string {
	l.t.Helper()
	var b strings.Builder
	for _, f := range []store.Filter{{}, {Archived: true}, {Trash: true}} {
		sessions, err := l.With.Store.Sessions(l.t.Context(), f)
		if err != nil {
			l.t.Fatal(err)
		}
		for _, s := range sessions {
			fmt.Fprintln(&b, f.Archived, f.Trash, s.ID, s.Title, s.Tags, s.Pinned, s.Archived)
		}
	}
	return b.String()
}

// TestEveryChangeOfASessionIsTakenBack does random things in the list, some before the one before them is
// done, and takes them all back.
func TestEveryChangeOfASessionIsTakenBack(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	l.keep("bread", "parser", "cellar")
	l.press("ctrl+s")
	l.lists("cellar", "parser", "bread")
	before := l.shelfState()
	rested := l.settled
	asks := func(what string) bool { return strings.Contains(plain(l.Model), what) }
	rapid.Check(t, func(rt *rapid.T) {
		for range rapid.IntRange(1, 25).Draw(rt, "n") {
			switch what := rapid.IntRange(0, 9).Draw(rt, "what"); what {
			case 8, 9:
				l.press("ctrl+e")
				if asks("enter save the title") {
					l.types("x")
					l.press("enter")
				}
			case 6, 7:
				l.press("ctrl+t")
				if asks("enter save the tags") {
					l.types(rapid.SampledFrom([]string{"go", "sql", "go sql"}).Draw(rt, "tags"))
					l.press("enter")
				}
			default:
				l.press([]string{"ctrl+d", "ctrl+a", "ctrl+p", "ctrl+r", "shift+tab", "down"}[what])
			}
			if asks("y delete permanently") {
				l.press("n")
			}
			if rapid.Bool().Draw(rt, "wait") {
				l.until("the act", rested)
			}
		}
		for !asks("There is nothing to undo here.") {
			l.press("ctrl+u")
			l.until("the undo", rested)
		}
		if after := l.shelfState(); after != before {
			rt.Fatalf("before:\n%safter everything was taken back:\n%s", before, after)
		}
		l.press("esc", "ctrl+s") // the next round begins with what is stored, not with what was listed
		l.until("the list", rested)
	})
}
