package ui

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"winnow/llm"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/composer"
	"winnow/ui/conversation"
)

// begunTwice returns a model with two stored sessions, and the id of the one that is not on the screen.
func begunTwice(t *testing.T) (l *live, other string) {
	t.Helper()
	l = onStage(t, 100, 30)
	l.say("the first chat")
	other = l.Session.Info().ID
	before := l.Session
	l.press("ctrl+n")
	l.until("a new chat", func() bool { return l.Session != before })
	l.say("the second chat")
	return l, other
}

func TestTextTypedForASessionThatDoesNotOpenIsInTheDraft(t *testing.T) {
	l, _ := begunTwice(t)
	l.types("The original")
	l.run(l.openStored("ffffffff", conversation.Destination{}))
	l.types(" is not changed")
	l.until("the chat from before", func() bool { return !l.entering })
	if got := l.composer.Text(); got != "The original is not changed" {
		t.Errorf("the draft is %q", got)
	}
}

func TestOfTwoChatsThatWereAskedForTheNewerOneIsShown(t *testing.T) {
	l, other := begunTwice(t)
	first, second := l.enter(l.OpenStored(other, conversation.Destination{})), l.enter(l.OpenNew())
	l.handle(second())
	l.handle(first())
	if l.Info.ID != "" {
		t.Errorf("the chat %q is shown, which was asked for before a new one", l.Info.Title)
	}
}

func TestTemporaryChatLeavesNothingOnDisk(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	l.Unrecorded = 1
	l.picks("temporary")
	l.shows("temporary, not saved")
	l.say("nobody will know this")
	l.types("and a draft that stays unsent")
	l.run(l.composer.SaveDraft())
	l.planned()

	folder := filepath.Dir(l.Deps.Store.Path())
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the history's files are %v, %v", files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"nobody will know", "Answer 1", "stays unsent"} {
			if strings.Contains(string(data), secret) {
				t.Errorf("%s holds %q", file, secret)
			}
		}
	}
	if prompts, err := l.Deps.Store.Prompts(t.Context(), 1); err != nil || len(prompts) > 0 {
		t.Errorf("the history of prompts is %+v, %v", prompts, err)
	}
}

func TestMouseIsGivenToTheTerminalAndTakenBack(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	before := l.View().MouseMode
	l.picks("mouse")
	between := l.View().MouseMode
	l.picks("mouse")
	if before == between || l.View().MouseMode != before {
		t.Errorf("the mouse mode is %v, after /mouse %v, after another %v", before, between, l.View().MouseMode)
	}
}

// secondStore opens the store as another window does.
func (l *live) secondStore() *store.Store {
	l.t.Helper()
	db, err := store.Open(l.t.Context(), l.Deps.Store.Path(), store.Options{})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { db.Close() })
	return db
}

// besideAnother opens a session whose lease another window has, and returns that window's session, which has one turn.
func (l *live) besideAnother() *session.Session {
	t := l.t
	t.Helper()
	deps := l.Deps
	deps.Store = l.secondStore()
	other, err := session.New(deps, session.StartOptions{Model: "here/small"})
	if err == nil {
		_, err = other.Lease(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	l.turnOf(other.Send(t.Context(), session.Draft{Text: "The first question."}))
	s, err := session.Open(t.Context(), l.Deps, other.Info().ID, l.Ref)
	if err != nil {
		t.Fatal(err)
	}
	l.arrives(s)
	l.until("a chat for reading", func() bool { return l.ReadOnly })
	return other
}

func TestSessionOpenElsewhereIsForReading(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 40}, {20, 5}} {
		l := onStage(t, size[0], size[1])
		other := l.besideAnother()
		before := l.storedTexts(other.Info().ID)
		asked := len(l.bodies)
		l.types("a draft of mine, and a question?")
		l.press("esc", "ctrl+r", "ctrl+g", "ctrl+o", "alt+enter")
		l.press("tab", "K", "r", "p", "x", "u", "t")
		l.run(palette{l.Model}.run("/rename Mine"))
		l.until("the refusal", func() bool { return strings.Contains(l.notice.Sentence(), "another window") })
		l.run(palette{l.Model}.run("/retry"))
		l.run(palette{l.Model}.run("/alone Hello"))
		if got := l.storedTexts(other.Info().ID); !slices.Equal(got, before) || len(l.bodies) != asked {
			t.Errorf("at %v the session has %q, want %q", size, got, before)
		}
		if row, err := l.Deps.Store.Session(t.Context(), other.Info().ID); err != nil || row.Title == "Mine" {
			t.Errorf("at %v the session is called %q, %v", size, row.Title, err)
		}
		if !l.composer.Empty() {
			t.Errorf("at %v the closed composer holds %q", size, l.composer.DisplayText())
		}
	}
}

// Text typed before the lease was refused becomes the draft of the fork. The stored draft belongs to the other window.
func TestWhatWasTypedGoesIntoAFork(t *testing.T) {
	t.Parallel()
	l := onStage(t, 80, 24)
	other := l.besideAnother()
	l.composer.SetDraft("half a thought")
	l.Screen.Leased(l.shown, true, nil)
	l.shows("half a thought")
	l.press("ctrl+f")
	l.until("the fork", func() bool { return l.Info.Parent == other.Info().ID })
	l.planned()
	if got := l.composer.Text(); got != "half a thought" {
		t.Errorf("the draft of the fork is %q", got)
	}
	l.composer.SetDraft("")
	if err := l.Deps.Store.SaveDraft(t.Context(), other.Info().ID, store.Draft{Text: "theirs"}); err != nil {
		t.Fatal(err)
	}
	l.open(other.Info().ID)
	l.until("a chat for reading", func() bool { return l.ReadOnly })
	if !l.composer.Empty() {
		t.Errorf("the draft is %q, want none of the other window's", l.composer.Text())
	}
}

// A window has the lease of the session on the screen only; that of a new one is taken with its first message.
func TestShownSessionIsTheOneThatIsTaken(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("A question.")
	first := l.Info.ID
	beside := l.secondStore()
	taken := func(id string) func() bool {
		return func() bool {
			leased, err := beside.LeasedByOthers(t.Context())
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

	// A session that was opened but cannot be shown is free again.
	id := l.imported("testdata/tools.jsonl")
	s, err := session.Open(t.Context(), l.Deps, id, l.Ref)
	if err == nil {
		_, err = s.Lease(t.Context())
	}
	if err != nil || !taken(id)() {
		t.Fatalf("the lease of %s is not taken: %v", id, err)
	}
	l.Busy, l.composer.Sending = true, new(composer.SentDraft)
	l.run(l.opened(s, conversation.Opening{}))
	l.until("a chat that is free", func() bool { return !taken(id)() })
	l.Busy, l.composer.Sending = false, nil
}

// If an endpoint has a new address, an old chat sends nothing to it before the user agrees.
func TestAChatAsksBeforeItGoesToAnotherAddress(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("First")
	moved := httptest.NewServer(http.HandlerFunc(l.answer))
	t.Cleanup(moved.Close)
	l.Deps.Models = new(llm.Catalog).With(
		llm.Endpoint{Name: "here", BaseURL: moved.URL + "/v1", DefaultModel: "small", Window: 4096},
	)
	asked := l.Received()
	l.reopen()
	l.shows("this chat used here at http://")
	l.types("Second")
	l.press("enter")
	l.until("the refusal", func() bool { return !l.Turn.Busy })
	l.shows("The draft is kept.")
	if got := l.composer.DisplayText(); l.Received() != asked || got != "Second" || l.Chat.Messages.Len() != 2 {
		t.Fatalf("%d requests more, the draft is %q, and there are %d messages", l.Received()-asked, got,
			l.Chat.Messages.Len())
	}
	s := l.Session
	l.press("ctrl+l")
	l.shows("In use")
	l.press("enter")
	l.until("the agreement", func() bool { return s.Ready() == nil && l.notice.Alert().Text == "" })
	l.press("enter")
	l.until("the answer", func() bool { return !l.Turn.Busy && l.Chat.Messages.Len() == 4 })
}
