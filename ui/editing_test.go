package ui

import (
	"slices"
	"strings"
	"testing"

	"winnow/session/sessiontest"
)

// texts are what the messages on the screen say, in short.
func (l *live) texts() string {
	var list []string
	for _, m := range sessiontest.Messages(l.chat.Messages) {
		text, _, _ := strings.Cut(m.Content, ".")
		list = append(list, text)
	}
	return strings.Join(list, " | ")
}

// wantTexts fails where other messages are on the screen, or where the session has others.
func (l *live) wantTexts(want string) {
	l.t.Helper()
	if got := l.texts(); got != want {
		l.t.Errorf("the screen has %q, want %q", got, want)
	}
	var stored []string
	for _, m := range sessiontest.Messages(l.current.Session.Branch()) {
		text, _, _ := strings.Cut(m.Content, ".")
		stored = append(stored, text)
	}
	if got := strings.Join(stored, " | "); got != want {
		l.t.Errorf("the session has %q, want %q", got, want)
	}
}

// body is what the newest request held.
func (l *live) body() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bodies[len(l.bodies)-1]
}

func TestEditIsSentAsAnotherVersion(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("First")
	l.say("Second")
	l.types("half a thought")
	l.press("tab", "g", "e")
	if got := l.composer.Text(); got != "First" || l.focus != draftPane {
		t.Fatalf("e on the first message puts %q into the draft", got)
	}
	l.shows("editing message 1")
	l.planned()
	if n := len(l.panel.Next.Plan.Entries); n != 0 {
		t.Errorf("the plan of the edit has %d messages, want none: nothing stands before the first", n)
	}
	l.types(" of all")
	l.press("enter")
	l.until("the answer", func() bool { return !l.turn.Busy && len(l.bodies) == 3 })
	l.planned()
	l.wantTexts("First of all | Answer 3")
	if body := l.body(); strings.Contains(body, "Second") || !strings.Contains(body, "First of all") {
		t.Errorf("the edit was sent with what stood behind the message:\n%s", body)
	}
	l.shows("2 of 2  [ ]")
	if got := l.composer.Text(); got != "half a thought" {
		t.Errorf("behind the edit the draft is %q, want the one from before", got)
	}
	l.press("tab", "g", "[")
	l.shows("Message 1: version 1 of 2.")
	l.wantTexts("First | Answer 1 | Second | Answer 2")
	if m, ok := l.chat.Selected(); !ok || m.Content != "First" {
		t.Errorf("the cursor is on %q, want the message that has the versions", m.Content)
	}
	l.planned()
	if n := len(l.panel.Next.Plan.Entries); n != 4 {
		t.Errorf("the plan has %d messages, want the branch's 4", n)
	}
	if r := l.chat.Receipts[l.chat.At(3).Request]; r.Sent() != 3 || r.Stored != 3 {
		t.Errorf("the receipt of the branch's answer is %+v", r)
	}
	l.press("[")
	l.shows("Message 1: version 2 of 2.")
	l.wantTexts("First of all | Answer 3")
}

func TestEditIsLeft(t *testing.T) {
	t.Parallel()
	l := onStage(t, 80, 24)
	l.say("First")
	l.types("kept")
	l.press("tab", "g", "e")
	l.types(", said otherwise")
	l.press("esc")
	l.shows("Message 1 is unchanged. ↑ recalls the edit.")
	if got := l.composer.Text(); got != "kept" {
		t.Errorf("behind the edit the draft is %q, want the one from before", got)
	}
	l.wantTexts("First | Answer 1")
	l.press("up")
	if got := l.composer.Text(); got != "First, said otherwise" {
		t.Errorf("up brings %q, want the edit that was left", got)
	}
	l.press("down", "tab", "G", "e")
	l.shows("Message 2 is not yours and cannot be edited; r asks for another answer")
	l.press("g", "e", "ctrl+c")
	l.shows("Message 1 is unchanged.")
	if l.editing() || l.composer.Text() != "kept" {
		t.Errorf("ctrl+c leaves the edit, and the draft %q", l.composer.Text())
	}
}

// An edit that begins with a slash is a message all the same.
func TestEditIsNoCommand(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("First")
	l.press("tab", "g", "e")
	l.composer.Set("/quit")
	l.press("enter")
	l.until("the answer", func() bool { return !l.turn.Busy && len(l.bodies) == 2 })
	l.wantTexts("/quit | Answer 2")
}

func TestEscTwiceListsWhatCanBeEdited(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.press("esc", "esc")
	l.shows("There is no message of yours to edit yet.")
	l.say("First")
	l.say("Second\nwith more")
	l.types("x")
	l.press("esc", "esc")
	if l.overlays.any() {
		t.Fatalf("esc esc on a draft opens %d", l.overlays.top())
	}
	l.press("backspace", "esc", "left", "esc")
	l.shows("esc again edits an earlier message")
	if l.overlays.any() {
		t.Fatal("another key between the two is no esc esc")
	}
	l.composer.Set("")
	l.press("esc", "esc")
	l.shows("Edit an earlier message")
	l.shows("message 3 ·")
	if got := openedList(l.Model); got.Len() != 2 || !slices.Contains([]string{"Second with more", "Second⏎with more"},
		labelAtCursor(l.Model)) {
		t.Errorf("the list has %+v, want the newest first", got)
	}
	l.press("down", "enter")
	l.shows("editing message 1")
	if got := l.composer.Text(); got != "First" {
		t.Errorf("the draft is %q, want the first message", got)
	}
}

// While an answer arrives nothing can become another version, and the screen says why.
func TestNoVersionsWhileAnAnswerArrives(t *testing.T) {
	m := asking(t, 120, 40)
	for _, key := range []rune{'e', 'r', '[', ']'} {
		m.setFocus(transcriptPane)
		m.chat.GoTo(1)
		m.notice.Hush()
		m.Update(char(key))
		if !strings.Contains(plain(m), "An answer is still arriving: esc stops it.") {
			t.Errorf("%c while an answer arrives: %q", key, m.notice.Sentence())
		}
		if m.editing() || m.chat.Messages.Len() != 7 {
			t.Errorf("%c while an answer arrives does something", key)
		}
	}
}

func TestTurnIsAnsweredAgain(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("First")
	l.say("Second")
	l.press("tab", "g", "J", "r")
	l.shows("The rest is kept")
	l.until("the answer", func() bool { return !l.turn.Busy && len(l.bodies) == 3 })
	l.planned()
	l.wantTexts("First | Answer 3")
	if body := l.body(); strings.Contains(body, "Answer 1") || strings.Contains(body, "Second") {
		t.Errorf("the request holds what it replaces:\n%s", body)
	}
	l.press("g", "]")
	l.shows("the message has only one version")
	l.press("G", "[")
	l.shows("Message 2: version 1 of 2.")
	l.wantTexts("First | Answer 1 | Second | Answer 2")
	l.press("G", "]")
	l.shows("the message has only one version")
}

// Another answer that does not come leaves the branch on the screen.
func TestNoOtherAnswerLeavesTheScreen(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("First")
	l.say("Second")
	l.mu.Lock()
	l.broken = true
	l.mu.Unlock()
	l.press("tab", "g", "r")
	l.until("the end of the turn", func() bool { return !l.turn.Busy })
	l.shows("✗ here refused the request")
	l.wantTexts("First | Answer 1 | Second | Answer 2")
}

// Whoever leaves a session in the middle of an edit finds the edit as the draft, and a draft that was there
// before can be recalled. An edit that changed nothing leaves that draft.
func TestSessionIsLeftInTheMiddleOfAnEdit(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{" and more": "First and more", "": "half a thought"} {
		l := onStage(t, 120, 40)
		l.say("First")
		id := l.current.Session.Info().ID
		l.types("half a thought")
		l.press("tab", "g", "e")
		l.types(typed)
		l.press("ctrl+n")
		l.until("a new chat", func() bool { return l.current.Session.Info().ID != id })
		if l.editing() || !l.composer.Empty() {
			t.Errorf("the new session has the other's draft %q", l.composer.Text())
		}
		l.until("the draft to be kept", func() bool {
			d, err := l.current.With.Store.Draft(t.Context(), id)
			return err != nil || d.Text != ""
		})
		l.open(id)
		l.until("the draft", func() bool { return !l.composer.Empty() })
		if got := l.composer.Text(); got != want {
			t.Errorf("with %q typed into the edit the draft is %q, want %q", typed, got, want)
		}
		l.wantTexts("First | Answer 1")
		if typed == "" {
			continue
		}
		l.press("up")
		if got := l.composer.Text(); got != "half a thought" {
			t.Errorf("up brings %q, want the draft from before the edit", got)
		}
	}
}
