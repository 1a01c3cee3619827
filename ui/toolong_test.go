package ui

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestAMessageThatDoesNotFitStaysInTheComposerAndSaysWhatHelps(t *testing.T) {
	for _, when := range []string{"the plan is made", "the plan is not made yet"} {
		l := onStage(t, 120, 40)
		l.say("Hello?")
		long := strings.Repeat("word ", 40_000)
		l.composer.Set(long)
		if when == "the plan is made" {
			l.run(l.draftChanged())
			l.planned()
		}
		l.press("enter")
		l.shows("tokens too many: your message 50,000 → shorten it")
		l.shows("ctrl+y sends it cut")
		l.until("the turn to be over", func() bool { return !l.turn.Busy })
		if l.composer.Text() != long || len(l.current.Session.Messages()) != 2 {
			t.Fatalf("%s: the draft has %d bytes and %d messages are stored, want it kept and nothing stored", when, len(l.composer.Text()), len(l.current.Session.Messages()))
		}
		l.press("enter") // it still does not fit
		l.until("the turn to be over", func() bool { return !l.turn.Busy })
		if l.composer.Text() != long {
			t.Fatalf("%s: a second enter took the draft", when)
		}
		l.press("ctrl+y")
		l.until("the answer", func() bool { return !l.turn.Busy && len(l.chat.Messages) == 4 })
		if !l.composer.Empty() || l.notice.Alert().Text != "" || l.current.Session.Messages()[2].Content != long {
			t.Errorf("%s: after ctrl+y the draft has %d bytes, the alert is %q", when, len(l.composer.Text()), l.notice.Alert().Text)
		}
		if e := l.panel.Next.Plan; len(e.Entries) > 2 && !strings.Contains(l.bodies[1], "truncated, original: 200000 chars") {
			t.Errorf("%s: the request does not say that the message is cut", when)
		}
	}
}

// A window that the user set, in the configuration or with /window, is raised by /window, as far as the server
// does not say that it is smaller.
func TestAMessageThatDoesNotFitNamesTheWindowThatCanBeSet(t *testing.T) {
	for _, c := range []struct {
		list   string
		stated int // what the server says of the window
		want   string
	}{
		{`{"data":[]}`, 0, "raise the window → /window 128000"},
		{`{"data":[{"id":"small","context_length":200000}]}`, 200_000, "raise the window → /window 128000"},
		{`{"data":[{"id":"small","context_length":8000}]}`, 8000, "raise the window → /model"},
	} {
		l := onStage(t, 160, 40)
		l.says(map[string]http.HandlerFunc{"/v1/models": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, c.list) }})
		l.say("Hello?")
		l.until("what the server says of the window", func() bool { return l.current.Session.Model().Windows().Stated.Tokens == c.stated })
		l.composer.Set(strings.Repeat("word ", 40_000))
		l.run(l.draftChanged())
		l.planned()
		l.press("enter")
		l.shows(c.want)
	}
}

func TestTheAlertGoesWhenTheDraftFits(t *testing.T) {
	l := onStage(t, 120, 40)
	l.composer.Set(strings.Repeat("word ", 40_000))
	l.run(l.draftChanged())
	l.planned()
	l.press("enter")
	l.shows("tokens too many")
	l.composer.Set("Hello?")
	l.run(l.draftChanged())
	l.until("the alert to go", func() bool { return l.notice.Alert().Text == "" })
	if screen := plain(l.Model); strings.Contains(screen, "tokens too many: your message") {
		t.Errorf("the alert stays:\n%s", screen)
	}
	l.press("ctrl+y")
	if l.turn.Busy || !strings.Contains(l.notice.Sentence(), "there is none") {
		t.Errorf("ctrl+y on a draft that fits said %q", l.notice.Sentence())
	}
}
