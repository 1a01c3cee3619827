package ui

import (
	"testing"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/panel"
)

func TestPanelGoesThroughThePastRequests(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	for _, q := range []string{"The first question.", "The second question.", "The third question."} {
		l.say(q)
	}
	l.press("tab", "tab")
	l.shows("Next request")
	l.press("left")
	l.shows("Turn 3 ")
	l.shows("✓ Proven")
	l.shows("› as seen in turn 3")
	if got := len(l.panel.Shown().Rows); got != 5 {
		t.Errorf("the third request's list has %d lines, want the 5 messages that were there:\n%s", got, plain(l.Model))
	}
	l.press("left")
	l.shows("Turn 2 ")
	l.press("left")
	l.shows("Turn 1 ")
	l.press("left")
	l.shows("There is no earlier request.")

	l.press("right")
	l.shows("Turn 2 ")
	l.press("right")
	l.shows("Turn 3 ")
	l.press("right")
	l.shows("Next request")
	l.press("right")
	l.shows("what the model would see now")

	l.press("left")
	l.shows("Turn 3 ")
	l.press("esc")
	l.shows("Next request")
}

func TestAnAnswerShowsWhatItsRequestHeld(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{140, 50}, {80, 24}} {
		l := onStage(t, size[0], size[1])
		l.say("The first question.")
		l.say("The second question.")
		l.press("shift+tab")
		if l.focus != transcriptPane {
			l.press("shift+tab")
		}
		l.press("g", "c") // on the first question: the request that answered it
		l.shows("Turn 1 ")
		l.shows("✓ Proven")
		l.types("x")
		l.press("esc")
		l.shows("Next request")
	}
}

// sentBefore is the request that the second question of the talk was sent with.
func sentBefore(proven bool) record.Replayed {
	messages, plan := conversation()
	r := record.Replayed{
		Recorded: record.Recorded{
			Request: store.Request{
				Turn: 2, Endpoint: "openai", Model: "gpt-5.2", Created: time.Date(2026, 11, 21, 7, 58, 30,
					0, time.Local),
				Prompt: 1912, Cached: 812, Answer: 301, Rules: history.Rules, End: "done",
			},
			Nth: 2, Of: 3,
			Verdicts: history.Plan{Sum: plan.Sum, Entries: plan.Entries[:5], Added: []history.Added{{
				Kind: "marker", At: 1, Text: "[Earlier messages truncated]", Tokens: 6,
				Cause: history.Cause{Code: history.CauseGap, Want: 1},
			}}},
		},
		Messages: branch.Branch{}.With(messages[:5]...), Proven: proven,
	}
	if !proven {
		r.Doubt = "it was made by version 1 of the rules, and this winnow has version 2"
	}
	return r
}

// onPastRequest is the application with a request of the past on the screen.
func onPastRequest(t testing.TB, w, h int, proven bool) *Model {
	m := chatting(t, w, h)
	m.setFocus(panelPane)
	r := sentBefore(proven)
	past := panel.PastRequest(r)
	m.panel.Open(&past)
	return m
}

// pastStates are the screens that tell of requests that were sent.
func pastStates() []state {
	return []state{
		{"past", func(t testing.TB, w, h int) *Model { return onPastRequest(t, w, h, true) }},
		{"doubted", func(t testing.TB, w, h int) *Model { return onPastRequest(t, w, h, false) }},
		{"warned", func(t testing.TB, w, h int) *Model {
			m := chatting(t, w, h)
			m.panel.Window = llm.Window{Tokens: 8192, Assumed: true}
			m.panel.Forecast = record.Forecast{
				Prefix:    record.Prefix{Tokens: 3900, IfNextDrops: 1100, Known: true},
				Shortfall: &record.Shortfall{Turn: 2, Reported: 1022, Expected: 1912},
				Losses:    []int{0},
			}
			m.setFocus(panelPane)
			return m
		}},
	}
}
