package guide

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"winnow/docs"
	"winnow/history"
	"winnow/llm"
)

// heard is what winnow's own client made of an answer.
type heard struct {
	reply   llm.Reply
	waits   []llm.Waiting
	ended   llm.End
	reason  string
	failure *llm.Error
}

// converse asks the guide through winnow's own client.
func converse(t *testing.T, text string) heard {
	t.Helper()
	e := Endpoint(docs.Pages, Options{Count: words})
	var h heard
	for event, err := range llm.NewClient(e).Stream(t.Context(), llm.Request{Model: Model, Messages: []history.Message{{Role: history.User, Content: text}}}) {
		if err != nil {
			if !errors.As(err, &h.failure) {
				t.Fatalf("%q: the error %v is no *llm.Error", text, err)
			}
			continue
		}
		h.reply.Add(event)
		switch event := event.(type) {
		case llm.Waiting:
			h.waits = append(h.waits, event)
		case llm.Finished:
			h.ended, h.reason = event.End, event.Reason
		}
	}
	return h
}

func TestWinnowsOwnClientUnderstandsEveryFault(t *testing.T) {
	cases := []struct {
		name   string
		kind   llm.ErrorKind // "" for none
		ended  llm.End
		reason string
		waits  int
		calls  int
		text   bool
	}{
		{name: "cut-stream", kind: llm.Broken, ended: llm.CutOff, text: true},
		{name: "no-done", ended: llm.NoDone, text: true},
		{name: "slow", ended: llm.Done, reason: "stop", text: true},
		{name: "silent", kind: llm.TimedOut},
		{name: "rate-limit", ended: llm.Done, reason: "stop", waits: 2, text: true},
		{name: "server-error", ended: llm.Done, reason: "stop", waits: 2, text: true},
		{name: "overflow", kind: llm.Overflow},
		{name: "silent-cut", ended: llm.Done, reason: "stop", text: true},
		{name: "bad-key", kind: llm.Auth},
		{name: "corrupt-tool-call", ended: llm.Done, reason: "length", calls: 1},
		{name: "half-tool-call", ended: llm.NoDone, calls: 1},
		{name: "duplicate-tool-ids", ended: llm.Done, reason: "tool_calls", calls: 2},
		{name: "glued-tool-calls", ended: llm.Done, reason: "tool_calls", calls: 2},
		{name: "empty-arguments", ended: llm.Done, reason: "tool_calls", calls: 1},
		{name: "list-arguments", ended: llm.Done, reason: "tool_calls", calls: 1},
		{name: "nameless-tool-call", ended: llm.Done, reason: "tool_calls", calls: 1},
		{name: "null-character", ended: llm.Done, reason: "stop", text: true},
		{name: "blank-answer", ended: llm.Done, reason: "stop"},
		{name: "html", kind: llm.BadStream},
		{name: "error-in-stream", kind: llm.Server, text: true},
		{name: "long", ended: llm.Done, reason: "stop", text: true},
		{name: "escapes", ended: llm.Done, reason: "stop", text: true},
		{name: "reasoning", ended: llm.Done, reason: "stop", text: true},
		{name: "unicode", ended: llm.Done, reason: "stop", text: true},
	}
	if len(cases) != len(Faults()) {
		t.Errorf("%d faults are tried, want all %d", len(cases), len(Faults()))
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := converse(t, "/guide "+c.name)
				var kind llm.ErrorKind
				if got.failure != nil {
					kind = got.failure.Kind
				}
				if kind != c.kind || got.ended != c.ended || got.reason != c.reason || len(got.waits) != c.waits || len(got.reply.Calls) != c.calls || (got.reply.Text != "") != c.text {
					t.Errorf("got kind %q, end %q, reason %q, %d waits, %d calls, text %.60q (error %v)\nwant %+v",
						kind, got.ended, got.reason, len(got.waits), len(got.reply.Calls), got.reply.Text, got.failure, c)
				}
			})
		})
	}
}

func TestWinnowsOwnClientWaitsAsLongAsTheGuideAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, w := range converse(t, "/guide rate-limit").waits {
			if w.After < 2*time.Second || w.After > 3*time.Second {
				t.Errorf("the client waits %s, want the 2 s that the guide asks for", w.After)
			}
		}
	})
}

func TestWinnowsOwnClientReadsTheNumbersOfAnOverflow(t *testing.T) {
	got := converse(t, "/guide overflow").failure
	if got == nil || got.Limit != Window || got.Prompt != Window+9 || !errors.Is(got, llm.Overflow) {
		t.Errorf("got %#v, want the limit %d and the prompt %d", got, Window, Window+9)
	}
}

func TestWinnowsOwnClientFindsTheModelAndItsWindow(t *testing.T) {
	client := llm.NewClient(Endpoint(docs.Pages, Options{Count: words}))
	models, err := client.Models(t.Context())
	if err != nil || len(models) != 1 || models[0].ID != Model || models[0].Window.Tokens != Window {
		t.Errorf("models are %+v (%v), want the guide with its window", models, err)
	}
	window, err := client.StatedWindow(t.Context(), Model)
	if err != nil || window.Tokens != Window || window.Assumed {
		t.Errorf("the window is %+v (%v), want %d", window, err, Window)
	}
}

func TestEndpointCountsExactly(t *testing.T) {
	e := Endpoint(docs.Pages, Options{Now: func() time.Time { return time.Unix(1_790_000_000, 0) }})
	if e.Name != "guide" || e.Default != "guide" || e.Window != 4096 || e.Doer == nil || !strings.HasSuffix(e.BaseURL, ".invalid/v1") {
		t.Fatalf("endpoint is %+v", e)
	}
	got := ask(t, e.Doer.(*Guide), []map[string]any{user("antidisestablishmentarianism")}, nil)
	if got.usage == nil || got.usage.PromptTokens != 3+4+6 {
		t.Errorf("usage is %+v, want 13 prompt tokens (6 of o200k and the frame)", got.usage)
	}
}

func TestGuideIsOfferedASearchOfTheDocumentation(t *testing.T) {
	box := Endpoint(docs.Pages, Options{Count: words}).Tools
	if tools := box.Tools(); len(tools) != 1 || tools[0].Name != "search_docs" {
		t.Fatalf("the guide is offered %v, want search_docs", tools)
	}
	found := box.Run(t.Context(), "search_docs", `{"query":"ollama"}`)
	if !strings.Contains(found, "docs/start.md#") || !strings.Contains(found, "11434") {
		t.Errorf("the search for ollama found %q, want the section of start.md about it", found)
	}
	if none := box.Run(t.Context(), "search_docs", `{"query":"xylophone"}`); !strings.Contains(none, "Nothing") {
		t.Errorf("the search for xylophone found %q, want nothing", none)
	}
}
