package ui

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// inOrder fails where the texts do not stand on the screen one below the other.
func (l *live) inOrder(texts ...string) {
	l.t.Helper()
	rest := plain(l.Model)
	for _, text := range texts {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			l.t.Fatalf("%q does not stand behind what comes before it in %q:\n%s", text, texts, plain(l.Model))
		}
		rest = after
	}
}

// refuses says whether the server refuses from now on.
func (l *live) refuses(refuses bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken, l.refusal = refuses, "the runner has stopped"
}

// What failed stands where it failed, for good: behind a later success, and when the session is opened again.
func TestAFailureStaysWhereItHappened(t *testing.T) {
	t.Parallel()
	l := onStage(t, 110, 60)
	l.say("First")
	l.refuses(true)
	l.types("Second")
	l.press("enter")
	l.shows("/retry try again")
	failed := []string{
		"Second", "✗ here refused the request", "400 from 127.0.0.1:", "“the runner has stopped”",
		"Your message is saved. Nothing was charged.",
	}
	l.inOrder(append([]string{"First", "Answer 1"}, append(failed, "/retry try again", "ctrl+l another model",
		"/doctor find the cause")...)...)
	l.refuses(false)
	l.press("tab", "r")
	l.shows("Answer 3")
	l.until("the end of the turn", func() bool { return !l.turn.Busy })
	l.inOrder(append(failed, "Answer 3")...)
	l.lacks("/retry try again")
	l.press("esc")
	l.say("Third")
	l.reopen()
	l.inOrder(append(append([]string{"First", "Answer 1"}, failed...), "Answer 3", "Third", "Answer 4")...)
	if n := strings.Count(plain(l.Model), "the runner has stopped"); n != 1 {
		t.Errorf("the failure is shown %d times", n)
	}
	l.press("tab", "g", "J", "J", "J", "y")
	l.until("the copy", func() bool { return l.notice.Sentence() != "" })
	if what, text, _ := l.chat.ToCopy(true); !strings.Contains(text,
		"here refused the request\n400 from 127.0.0.1:") || !strings.HasSuffix(text, "\nthe runner has stopped") {
		t.Errorf("copied are %s: %q", what, text)
	}
}

// The keys on a failure are those of its turn, and enter shows the request that failed: right after it did, and when
// the session is opened again.
func TestAFailureShowsItsRequest(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 40)
	l.say("First")
	l.refuses(true)
	l.types("Second")
	l.press("enter")
	l.shows("/retry try again")
	l.until("the end of the turn", func() bool { return !l.turn.Busy })
	for range 2 {
		l.press("tab", "G")
		l.shows("r try again   R another model   enter what was sent")
		l.press("enter")
		l.shows("turn 2")
		l.shows("✗ Failed: here refused the request")
		l.press("esc", "esc", "esc")
		l.reopen()
		l.shows("the runner has stopped")
	}
	l.press("tab", "G", "e")
	l.shows("editing message 3")
	if got := l.composer.Text(); got != "Second" {
		t.Errorf("e on a failure edits %q", got)
	}
}

// A failure that no request had is there again as well: a second one takes its place, and a later answer comes below
// it.
func TestAFailureWithoutARequestStays(t *testing.T) {
	t.Parallel()
	l := onStage(t, 110, 60)
	l.say("First, with " + strings.Repeat("many words ", 20))
	l.types("/budget 10")
	l.press("enter")
	l.until("the budget", func() bool { return l.notice.Sentence() != "" })
	failed := []string{
		"Answer 1", "✗", "55 tokens too many", "Your message is saved. Nothing was charged for this request.",
		"/budget raise",
	}
	for range 2 {
		l.types("/retry")
		l.press("enter")
		l.shows("✗")
		l.until("the end of the turn", func() bool { return !l.turn.Busy })
		l.inOrder(failed...)
	}
	for range 2 {
		if n := strings.Count(plain(l.Model), "✗"); n != 1 {
			t.Errorf("the failure is shown %d times:\n%s", n, plain(l.Model))
		}
		l.reopen()
		l.inOrder(failed...)
	}
}

// An answer that the server broke off says why itself, also when the session is opened again.
func TestAnAnswerThatBrokeOffSaysWhy(t *testing.T) {
	t.Parallel()
	l := onStage(t, 110, 60)
	l.says(map[string]http.HandlerFunc{"/v1/chat/completions": func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It begins\"}}]}\n\ndata: "+
			"{\"error\":{\"message\":\"the runner has stopped\",\"code\":500}}\n\n")
	}})
	l.types("First")
	l.press("enter")
	for range 2 {
		l.shows("“the runner has stopped”")
		l.until("the end of the turn", func() bool { return !l.turn.Busy })
		l.inOrder("It begins", "✗ here failed: “the runner has stopped”", "this part is kept   /retry try again")
		l.lacks("Your message is saved")
		l.reopen()
	}
}
