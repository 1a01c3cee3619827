package ui

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/session"
	"winnow/session/limits"
	"winnow/session/store"
	"winnow/ui/conversation"
)

// inOrder fails unless the texts follow one another on the screen.
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

// An answer that the server broke off says why, even after the session is opened again.
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
		l.until("the end of the turn", func() bool { return !l.Turn.Busy })
		l.inOrder("It begins", "✗ here failed: “the runner has stopped”", "this part is kept   /retry try again")
		l.lacks("Your message is kept")
		l.reopen()
	}
}

// However long a server's error is, the way out is shown below it.
func TestLongErrorLeavesTheWayOut(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ w, h int }{{120, 40}, {80, 24}, {60, 16}} {
		l := onStage(t, size.w, size.h)
		l.mu.Lock()
		l.broken, l.refusal = true, strings.Repeat("The server has much to say. ", 400)+"\x1b]0;title\a"
		l.mu.Unlock()
		l.types("Hello")
		l.press("enter")
		l.until("the end of the turn", func() bool { return !l.Turn.Busy })
		screen := plain(l.Model)
		if !strings.Contains(screen, "/retry try again") || !strings.Contains(screen, "The server has much to say.") ||
			!strings.Contains(screen, " …") && !strings.Contains(screen, "…”") {
			t.Errorf("%d×%d: want the beginning of the error and the way out:\n%s", size.w, size.h, screen)
		}
	}
}

// A message that could not be stored returns to the draft, and /retry is not offered.
func TestUnsavedMessageOffersItsDraft(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  error
		want string
	}{
		{store.ErrDiskFull, "The draft is kept; enter sends it again."},
		{store.ErrReadOnly, "The draft is kept."},
		{session.ErrBusy, "The draft is kept; enter sends it again."},
	}
	for _, test := range tests {
		l := onStage(t, 120, 40)
		fails := func(context.Context) <-chan session.Event {
			events := make(chan session.Event, 1)
			events <- session.Finished{Err: fmt.Errorf("save the message: %w", test.err)}
			close(events)
			return events
		}
		l.types("Keep me")
		l.run(l.begin(l.composer.TakeDraft(0), fails))
		l.until("the end of the turn", func() bool { return !l.Turn.Busy })
		screen := plain(l.Model)
		if l.notice.Alert().WayOut != test.want ||
			!strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(screen, "│", "")), " "),
				"draft is kept") || strings.Contains(screen, "/retry") || l.composer.Text() != "Keep me" {
			t.Errorf("%v: the draft is %q, want it back, %q and no /retry:\n%s", test.err, l.composer.Text(),
				test.want, screen)
		}
	}
}

// If the history file is deleted while winnow runs, the text returns to the draft, even that of a command.
func TestLostFileGivesTheDraftBack(t *testing.T) {
	t.Parallel()
	for _, draft := range []string{"Keep me", "/alone Keep me"} {
		l := onStage(t, 120, 40)
		l.say("First")
		if err := os.Remove(l.Deps.Store.Path()); err != nil {
			t.Fatal(err)
		}
		l.types(draft)
		l.press("enter")
		l.until("the error", func() bool { return l.notice.Alert().Text != "" })
		screen := plain(l.Model)
		if l.composer.Text() != draft || l.notice.Alert().WayOut != "The draft is kept." ||
			strings.Contains(screen, "/retry") || len(l.bodies) != 1 {
			t.Errorf("the draft is %q, want %q, a sentence about it, no /retry and no request:\n%s",
				l.composer.Text(), draft, screen)
		}
	}
}

// The alert offers /window only up to the window that the server reports.
func TestAMessageThatDoesNotFitNamesTheWindowThatCanBeSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		list   string
		stated int // the window that the server reports
		want   string
	}{
		{`{"data":[]}`, 0, "raise the window → /window 128000"},
		{`{"data":[{"id":"small","context_length":200000}]}`, 200_000, "raise the window → /window 128000"},
		{`{"data":[{"id":"small","context_length":8000}]}`, 8000, "choose a model with a larger window → /model"},
		{`{"data":[{"id":"small","max_model_len":8000}]}`, 8000, "raise the window → vllm serve --max-model-len"},
	} {
		l := onStageWith(t, 200, 40, map[string]http.HandlerFunc{
			"/v1/models": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, c.list) },
		})
		l.say("Hello?")
		l.until("what the server says of the window", func() bool {
			return l.Session.Model().WindowFacts().Stated.Tokens == c.stated
		})
		l.composer.SetDraft(strings.Repeat("word ", 40_000))
		l.run(l.draftChanged())
		l.planned()
		l.press("enter")
		l.shows(c.want)
	}
}

func TestTheWaysOutNameTheLargestFixedPart(t *testing.T) {
	over := func(bound history.Bound, parts ...history.RequiredPart) *session.OversizeError {
		return &session.OversizeError{
			Over: &history.OverBudgetError{Need: 9000, Have: 4000, Bound: bound, Parts: parts},
		}
	}
	for _, c := range []struct {
		name string
		over *session.OversizeError
		want string
	}{
		{"the system prompt", over(history.BoundWindow, history.RequiredPart{Kind: history.RequiredSystem, Tokens: 5000},
			history.RequiredPart{Kind: history.RequiredDraft, Tokens: 4000}), "/system, /window 16000"},
		{"pinned messages", over(history.BoundBudget, history.RequiredPart{
			Kind: history.RequiredPinned, Tokens: 5000, Messages: []int{2, 0},
		}), "unpin message 3, 1, /budget 16000"},
		{
			"tools", over(history.BoundWindow, history.RequiredPart{Kind: history.RequiredTools, Tokens: 5000}),
			"/tools, /window 16000",
		},
	} {
		var ways []string
		for _, way := range c.over.Suggestions(conversation.OversizeCommands(c.over)) {
			_, does, _ := strings.Cut(way, "→ ")
			ways = append(ways, does)
		}
		if got := strings.Join(ways, ", "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAFaultOfTheDraftIsSaidOnce(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("first")
	if err := os.Remove(l.Deps.Store.Path()); err != nil {
		t.Fatal(err)
	}
	l.types("second")
	l.run(l.composer.SaveDraft())
	l.shows("cannot save the draft")
	if strings.Contains(plain(l.Model), "save the draft: cannot") {
		t.Errorf("the draft's fault is said twice:\n%s", plain(l.Model))
	}
}

// dearly makes each request cost $0.25, and limits what the session may spend.
func (l *live) dearly(session pricing.Money) {
	l.t.Helper()
	l.Deps.Limits = limits.Limits{Session: limits.Amount{Cost: session}}
	l.charging("", map[string]pricing.Prices{pricing.AnyModel: {Request: pricing.Dollar / 4, Source: "the test"}})
}

func TestARequestAboveALimitIsAskedAbout(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	l.dearly(30 * pricing.Dollar / 100)
	l.say("What is it worth?") // $0.25 is within the limit
	l.types("And this?")
	l.shows("! above $0.30 per chat: winnow asks first")
	l.press("tab", "tab")
	l.shows("~$0.25 so far")
	l.press("esc")

	// Text typed while the question waits goes into the draft.
	l.press("enter")
	l.shows("With this request this chat comes to ~$0.50, above your limit of $0.30 per chat.")
	l.shows("waiting for your answer")
	l.types("yes, more?")
	if got := l.composer.Text(); got != "yes, more?" || !l.Question.HasQuestion() {
		t.Errorf("the draft is %q, and the question waits: %t", got, l.Question.HasQuestion())
	}
	l.press("ctrl+c", "ctrl+c") // clears the draft, then stops the turn
	l.until("the turn ends", func() bool { return !l.Turn.Busy })
	if l.Question.HasQuestion() {
		t.Error("the question stays after its turn")
	}
}

func TestARequestThatIsNotAllowedGivesTheDraftBack(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	l.dearly(pricing.Dollar / 10)
	l.types("What is it worth?")
	l.press("enter")
	l.shows("above your limit of $0.10 per chat")
	l.shows("▌   n   Don’t send it")
	l.until("the focus", func() bool { return l.focus == questionPane })
	l.press("enter")
	l.shows("Not sent; the draft is kept.")
	if got := l.composer.Text(); got != "What is it worth?" || l.Session.Info().ID != "" {
		t.Errorf("the draft is %q, the session %q", got, l.Session.Info().ID)
	}

	// With a raised limit the message is sent.
	l.press("enter")
	l.shows("Send it, and allow $0.40 per chat")
	l.until("the focus", func() bool { return l.focus == questionPane })
	l.press("s")
	l.shows(" tokens · ")
	l.until("the turn ends", func() bool { return !l.Turn.Busy })
	l.picks("usage")
	l.shows("This chat: 0 tokens, ~$0.25 · today: ")
}
