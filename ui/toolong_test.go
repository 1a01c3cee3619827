package ui

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session"
	"winnow/ui/conversation"
)

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
			return l.Session.Model().Windows().Stated.Tokens == c.stated
		})
		l.composer.Set(strings.Repeat("word ", 40_000))
		l.run(l.draftChanged())
		l.planned()
		l.press("enter")
		l.shows(c.want)
	}
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
			history.FixedPart{Kind: history.PartDraft, Tokens: 4000}), "/system, /window 16000"},
		{"pinned messages", over(history.BoundBudget, history.FixedPart{
			Kind: history.PartPinned, Tokens: 5000, Messages: []int{2, 0},
		}), "unpin message 3, 1, /budget 16000"},
		{
			"tools", over(history.BoundWindow, history.FixedPart{Kind: history.PartTools, Tokens: 5000}),
			"/tools, /window 16000",
		},
	} {
		m.composer.Set("see")
		var ways []string
		for _, way := range c.over.Ways(conversation.Remedies(c.over)) {
			_, does, _ := strings.Cut(way, "→ ")
			ways = append(ways, does)
		}
		if got := strings.Join(ways, ", "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
