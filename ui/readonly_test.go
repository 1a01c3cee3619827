package ui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
)

// besideAnother is the application on a session that another window has open: that window's session,
// which has a first turn.
func besideAnother(t *testing.T, w, h int) (*live, *session.Session) {
	t.Helper()
	l := onStage(t, w, h)
	beside, err := store.Open(t.Context(), l.With.Store.Path(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { beside.Close() })
	deps := l.With
	deps.Store = beside
	other, err := session.New(deps, session.Start{Ref: "here/small"})
	if err == nil {
		_, err = other.Lease(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	l.turnOf(other.Send(t.Context(), session.Draft{Text: "The first question."}))
	s, err := session.Open(t.Context(), l.With, other.Info().ID, l.Ref)
	if err != nil {
		t.Fatal(err)
	}
	l.arrives(s)
	l.until("a chat for reading", func() bool { return l.ReadOnly })
	return l, other
}

// stored are the texts of a session as its file has it.
func stored(t *testing.T, s *store.Store, id string) string {
	t.Helper()
	row, err := s.Session(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	messages, err := s.Branch(t.Context(), row.Leaf, 0)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(string(m.Role) + ": " + m.Content + "\n")
	}
	return b.String()
}

func TestSessionOpenElsewhereIsForReading(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 40}, {20, 5}} {
		l, other := besideAnother(t, size[0], size[1])
		before := stored(t, l.With.Store, other.Info().ID)
		asked := len(l.bodies)
		l.types("a draft of mine, and a question?")
		l.press("esc", "ctrl+r", "ctrl+g", "ctrl+o", "alt+enter")
		l.press("tab", "K", "r", "p", "x", "u", "t")
		l.run(palette{l.Model}.run("/rename Mine"))
		l.until("the refusal", func() bool { return strings.Contains(l.notice.Sentence(), "another window") })
		l.run(palette{l.Model}.run("/retry"))
		l.run(palette{l.Model}.run("/alone Hello"))
		if got := stored(t, l.With.Store, other.Info().ID); got != before || len(l.bodies) != asked {
			t.Errorf("at %v the session is\n%s\nwant\n%s", size, got, before)
		}
		if row, err := l.With.Store.Session(t.Context(), other.Info().ID); err != nil || row.Title == "Mine" {
			t.Errorf("at %v the session is called %q, %v", size, row.Title, err)
		}
		if !l.composer.Empty() {
			t.Errorf("at %v the closed composer holds %q", size, l.composer.Shown())
		}
	}
}

// What was typed before it was known that another window has the chat is the user's, and the fork's draft. The chat's
// stored draft is the other window's.
func TestWhatWasTypedGoesIntoAFork(t *testing.T) {
	t.Parallel()
	l, other := besideAnother(t, 80, 24)
	l.composer.Set("half a thought")
	l.Screen.Leased(l.shown, true, nil)
	l.shows("half a thought")
	l.press("ctrl+f")
	l.until("the fork", func() bool { return l.Info.Parent == other.Info().ID })
	l.planned()
	if got := l.composer.Text(); got != "half a thought" {
		t.Errorf("the draft of the fork is %q", got)
	}
	l.composer.Set("")
	if err := l.With.Store.SaveDraft(t.Context(), other.Info().ID, store.Draft{Text: "theirs"}); err != nil {
		t.Fatal(err)
	}
	l.open(other.Info().ID)
	l.until("a chat for reading", func() bool { return l.ReadOnly })
	if !l.composer.Empty() {
		t.Errorf("the draft is %q, want none of the other window's", l.composer.Text())
	}
}

func TestSessionOpenElsewhereSaysWhatItsKeysDo(t *testing.T) {
	t.Parallel()
	l, _ := besideAnother(t, 80, 24)
	l.shows("Open in another window; read-only here")
	l.shows("ctrl+f fork")
	l.shows("enter take over")
	l.types("h")
	l.shows("this chat is open in another window; you can read and fork it here.")
	l.Update(tea.PasteMsg{Content: "a text"})
	if !l.composer.Empty() {
		t.Errorf("the closed composer took %q", l.composer.Shown())
	}
}

func TestSessionIsTakenOnceTheOtherWindowHasLetGoOfIt(t *testing.T) {
	t.Parallel()
	l, other := besideAnother(t, 120, 40)
	l.press("enter")
	l.shows("still open in the other window.")
	l.turnOf(other.Send(t.Context(), session.Draft{Text: "A second question, asked elsewhere."}))
	other.Leave()
	l.press("enter")
	l.shows("A second question, asked elsewhere.")
	l.until("a composer that is open", func() bool { return !l.ReadOnly })
	l.say("And a third one.")
	got := stored(t, l.With.Store, other.Info().ID)
	for _, text := range []string{"The first question.", "A second question, asked elsewhere.", "And a third one."} {
		if !strings.Contains(got, text) {
			t.Errorf("%q is not in the session:\n%s", text, got)
		}
	}
	if elsewhere, err := other.Lease(t.Context()); err != nil || !elsewhere {
		t.Errorf("the window before may write again: elsewhere %v, %v", elsewhere, err)
	}
}

func TestSessionOpenElsewhereGoesOnInAFork(t *testing.T) {
	t.Parallel()
	l, other := besideAnother(t, 120, 40)
	before := stored(t, l.With.Store, other.Info().ID)
	l.press("ctrl+f")
	l.until("the fork", func() bool { return !l.ReadOnly && l.Info.ID != other.Info().ID })
	l.shows("The first question.")
	l.say("Said in the fork.")
	if got := stored(t, l.With.Store, other.Info().ID); got != before {
		t.Errorf("the other window's session is\n%s\nwant\n%s", got, before)
	}
	if got := stored(t, l.With.Store, l.Info.ID); !strings.HasPrefix(got, before) ||
		!strings.Contains(got, "Said in the fork.") {
		t.Errorf("the fork is\n%s", got)
	}
}

// Whoever looks at another session has let go of the one before, and a new session is taken with its first
// message.
func TestShownSessionIsTheOneThatIsTaken(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("A question.")
	first := l.Info.ID
	beside, err := store.Open(t.Context(), l.With.Store.Path(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer beside.Close()
	taken := func(id string) func() bool {
		return func() bool {
			leased, err := beside.Leased(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return slices.Contains(leased, id)
		}
	}
	if !taken(first)() {
		t.Error("a session that was begun here is not taken")
	}
	l.press("ctrl+n")
	l.until("a chat that is free", func() bool { return !taken(first)() })
	l.open(first)
	l.until("a chat that is taken again", taken(first))
	l.reopen()
	l.until("a chat that is taken still", func() bool {
		return l.Session.Info().ID == first && taken(first)()
	})
}
