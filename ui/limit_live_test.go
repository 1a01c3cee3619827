package ui

import (
	"testing"

	"winnow/llm/pricing"
	"winnow/session/limits"
)

// dearly makes each request cost a quarter, and lets the session spend so much.
func (l *live) dearly(session pricing.Money) {
	l.t.Helper()
	l.With.Limits = limits.Limits{Session: limits.Amount{Cost: session}}
	l.charging("", map[string]pricing.Prices{pricing.AnyModel: {Request: pricing.Dollar / 4, Source: "the test"}})
}

func TestARequestAboveALimitIsAskedAbout(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	l.dearly(30 * pricing.Dollar / 100)
	l.say("What is it worth?") // a quarter of a dollar fits
	l.types("And this?")
	l.shows("! above $0.30 per chat: winnow asks first")
	l.press("tab", "tab")
	l.shows("~$0.25 so far")
	l.press("esc")

	// What is typed while the question waits goes to the draft.
	l.press("enter")
	l.shows("With this request this chat comes to ~$0.50, above your limit of $0.30 per chat.")
	l.shows("waiting for your answer")
	l.types("yes, more?")
	if got := l.composer.Text(); got != "yes, more?" || !l.Question.Waits() {
		t.Errorf("the draft is %q, and the question waits: %t", got, l.Question.Waits())
	}
	l.press("ctrl+c", "ctrl+c") // clears the draft, then stops the turn
	l.until("the turn ends", func() bool { return !l.Turn.Busy })
	if l.Question.Waits() {
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

	// Raised for the session, it is sent, and the next one as well.
	l.press("enter")
	l.shows("Send it, and allow $0.40 per chat")
	l.until("the focus", func() bool { return l.focus == questionPane })
	l.press("s")
	l.shows(" tokens · ")
	l.until("the turn ends", func() bool { return !l.Turn.Busy })
	l.picks("usage")
	l.shows("This chat: 0 tokens, ~$0.25 · today: ")
}
