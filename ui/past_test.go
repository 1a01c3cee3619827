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

// sentBefore is the request that the second question of the talk was sent with.
func sentBefore(proven bool) record.Replayed {
	messages, plan := spoken()
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
	m.Panel.Open(&past)
	return m
}

// pastStates are the screens that tell of requests that were sent.
func pastStates() []state {
	return []state{
		{"past", func(t testing.TB, w, h int) *Model { return onPastRequest(t, w, h, true) }},
		{"doubted", func(t testing.TB, w, h int) *Model { return onPastRequest(t, w, h, false) }},
		{"warned", func(t testing.TB, w, h int) *Model {
			m := chatting(t, w, h)
			m.Panel.Window = llm.Window{Tokens: 8192, Assumed: true}
			m.Panel.Forecast = record.Forecast{
				Prefix:    record.Prefix{Tokens: 3900, IfNextDrops: 1100, Known: true},
				Shortfall: &record.Shortfall{Turn: 2, Reported: 1022, Expected: 1912},
				Losses:    []int{0},
			}
			m.setFocus(panelPane)
			return m
		}},
	}
}
