package llm

import (
	"strings"
	"testing"

	"winnow/history"
)

// Both real servers support the Responses API, and each omits different parts of the events.

func TestRealLlamaCppResponses(t *testing.T) {
	s := realServer{t: t, endpoint: realEndpoint(t, "llamacpp", "WINNOW_REAL_LLAMACPP")}
	s.endpoint.Wire = ResponsesWire
	models, err := NewClient(s.endpoint).Models(t.Context())
	if err != nil || len(models) == 0 {
		t.Fatalf("models %v, %v", models, err)
	}
	s.model = models[0].ID
	run := s.runs(t)
	endless := map[string]any{"ignore_eos": true}
	run("chat", func(s realServer) { s.wantResponded(s.with(endless)) })
	run("stop", func(s realServer) {
		s.stopped(s.with(endless), s.request("Write without an end.", 0))
		s.wantIdle()
	})
	run("overflow", func(s realServer) {
		e := s.wantRefused(NewClient(s.endpoint), s.request(strings.Repeat("word ", models[0].Window.Tokens), 16), ErrTooLong)
		if e.Limit != models[0].Window.Tokens || e.Prompt <= e.Limit {
			s.t.Errorf("window %d, request %d", e.Limit, e.Prompt)
		}
	})
	run("tools", func(s realServer) {
		s.wantTools(s.with(map[string]any{"tool_choice": "required"}), NewClient(s.endpoint))
	})
	run("images", func(s realServer) { s.wantNoImages(NewClient(s.endpoint)) })
	run("any history", realServer.wantResponsesTakeAnything)
}

func TestRealOllamaResponses(t *testing.T) {
	e := realEndpoint(t, "ollama", "WINNOW_REAL_OLLAMA")
	e.BaseURL, e.Wire = strings.TrimRight(e.BaseURL, "/")+"/v1", ResponsesWire
	s := realServer{t: t, endpoint: e, model: "endless"}
	run := s.runs(t)
	run("chat", func(s realServer) { s.wantResponded(s.with(nil)) })
	run("unknown model", func(s realServer) {
		s.model = "no-such-model"
		s.wantRefused(NewClient(s.endpoint), s.request("Are you there?", 16), ErrNotFound)
	})
	s.model = "tiny"
	s.runs(t)("any history", realServer.wantResponsesTakeAnything)
}

// wantResponded checks that an answer is streamed, counted and complete.
func (s realServer) wantResponded(c *Client) {
	s.t.Helper()
	reply, pieces, err := s.answered(c, s.request("Write some words.", 24))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Logf("%d pieces, usage %+v, finished %+v", pieces, reply.Usage, reply.Finished)
	if pieces < 2 || strings.TrimSpace(reply.Text) == "" || reply.Usage.Answer != 24 || reply.Usage.Prompt <= 0 || reply.Finished.End != EndDone {
		s.t.Errorf("%d pieces, usage %+v, finished %+v: %q", pieces, reply.Usage, reply.Finished, reply.Text)
	}
}

// wantResponsesTakeAnything checks that the server accepts repaired damaged conversations.
func (s realServer) wantResponsesTakeAnything() {
	s.endpoint.MaxAttempts = 2 // llama.cpp may close idle connections at any time.
	s.wantTakesAnything(s.with(nil), history.Profile{NoImages: true}, 12, Request{Model: s.model, MaxTokens: 16})
}
