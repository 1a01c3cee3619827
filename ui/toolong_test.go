package ui

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/session"
	"winnow/session/sessiontest"
	"winnow/ui/frame"
)

func TestAMessageThatDoesNotFitStaysInTheComposerAndSaysWhatHelps(t *testing.T) {
	t.Parallel()
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
		l.shows("your message 50,000 → shorten it")
		l.shows("is kept: ctrl+y sends it")
		l.until("the turn to be over", func() bool { return !l.turn.Busy })
		if l.composer.Text() != long || l.current.Session.Branch().Len() != 2 {
			t.Fatalf("%s: the draft has %d bytes and %d messages are stored, want it kept and nothing stored", when,
				len(l.composer.Text()), l.current.Session.Branch().Len())
		}
		l.press("enter") // it still does not fit
		l.until("the turn to be over", func() bool { return !l.turn.Busy })
		if l.composer.Text() != long {
			t.Fatalf("%s: a second enter took the draft", when)
		}
		l.press("ctrl+y")
		l.until("the answer", func() bool { return !l.turn.Busy && l.chat.Messages.Len() == 4 })
		if !l.composer.Empty() || l.notice.Alert().Text != "" ||
			sessiontest.Messages(l.current.Session.Branch())[2].Content != long {
			t.Errorf("%s: after ctrl+y the draft has %d bytes, the alert is %q", when, len(l.composer.Text()),
				l.notice.Alert().Text)
		}
		said := strings.Contains(l.bodies[1], "truncated, original: 200000 chars")
		if e := l.panel.Next.Plan; len(e.Entries) > 2 && !said {
			t.Errorf("%s: the request does not say that the message is cut", when)
		}
	}
}

// A window that the user set, in the configuration or with /window, is raised by /window, as far as the server
// does not say that it is smaller.
func TestAMessageThatDoesNotFitNamesTheWindowThatCanBeSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		list   string
		stated int // what the server says of the window
		want   string
	}{
		{`{"data":[]}`, 0, "raise the window → /window 128000"},
		{`{"data":[{"id":"small","context_length":200000}]}`, 200_000, "raise the window → /window 128000"},
		{`{"data":[{"id":"small","context_length":8000}]}`, 8000, "choose a model with a larger window → /model"},
		{`{"data":[{"id":"small","max_model_len":8000}]}`, 8000, "raise the window → vllm serve --max-model-len"},
	} {
		l := onStage(t, 200, 40)
		l.says(map[string]http.HandlerFunc{"/v1/models": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, c.list)
		}})
		l.say("Hello?")
		l.until("what the server says of the window", func() bool {
			return l.current.Session.Model().Windows().Stated.Tokens == c.stated
		})
		l.composer.Set(strings.Repeat("word ", 40_000))
		l.run(l.draftChanged())
		l.planned()
		l.press("enter")
		l.shows(c.want)
	}
}

// What says that a draft does not fit is there before enter, and goes with the text that is too much.
func TestADraftThatDoesNotFitSaysSoWhileItIsWritten(t *testing.T) {
	l := onStage(t, 120, 40)
	l.say("Hello?")
	l.composer.Set(strings.Repeat("word ", 4_000))
	l.run(l.draftChanged())
	l.shows("tokens too many ─")
	l.shows("enter keep editing   ctrl+y send cut   /window 8000 raise   ctrl+l model")
	l.lacks("Your draft is kept")
	l.composer.Set("Hello again?")
	l.run(l.draftChanged())
	l.until("the draft to fit", func() bool { return !strings.Contains(plain(l.Model), "tokens too many") })
	l.lacks("keep editing")
}

func TestTheWaysOutNameTheLargestFixedPart(t *testing.T) {
	m := fresh(t, 120, 40)
	over := func(bound history.Bound, parts ...history.FixedPart) *session.OversizeError {
		return &session.OversizeError{
			Over: &history.OverBudgetError{Need: 9000, Have: 4000, Bound: bound, Parts: parts},
		}
	}
	for _, c := range []struct {
		name string
		over *session.OversizeError
		want string
	}{
		{"the system prompt", over(history.BoundWindow, history.FixedPart{Kind: history.PartSystem, Tokens: 5000},
			history.FixedPart{Kind: history.PartDraft, Tokens: 4000}), "/system shorten   /window 16000 raise"},
		{"pinned messages", over(history.BoundBudget, history.FixedPart{
			Kind: history.PartPinned, Tokens: 5000, Messages: []int{2, 0},
		}), "unpin message 3   /budget 16000 raise"},
		{
			"tools", over(history.BoundWindow, history.FixedPart{Kind: history.PartTools, Tokens: 5000}),
			"/tools switch off   /window 16000 raise",
		},
	} {
		m.composer.Set("see")
		if got := strings.TrimSpace(ansi.Strip(frame.Hints(m.themes.Styles, misfitHints(m, c.over), "",
			200))); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q in it", c.name, got, c.want)
		}
	}
}
