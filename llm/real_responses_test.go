package llm

import (
	"strings"
	"testing"

	"winnow/history"
)

// Both real servers have the Responses API too, and each leaves out other parts of its events.

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
		e := s.wantRefused(NewClient(s.endpoint), s.request(strings.Repeat("word ", models[0].Window.Tokens), 16), Overflow)
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
		s.wantRefused(NewClient(s.endpoint), s.request("Are you there?", 16), NotFound)
	})
	s.model = "tiny"
	s.runs(t)("any history", realServer.wantResponsesTakeAnything)
}

// wantResponded asks for an answer and checks that it comes in pieces, is counted and is done.
func (s realServer) wantResponded(c *Client) {
	s.t.Helper()
	reply, pieces, err := s.answered(c, s.request("Write some words.", 24))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Logf("%d pieces, usage %+v, finished %+v", pieces, reply.Usage, reply.Finished)
	if pieces < 2 || strings.TrimSpace(reply.Text) == "" || reply.Usage.Answer != 24 || reply.Usage.Prompt <= 0 || reply.Finished.End != Done {
		s.t.Errorf("%d pieces, usage %+v, finished %+v: %q", pieces, reply.Usage, reply.Finished, reply.Text)
	}
}

// wantResponsesTakeAnything sends damaged conversations: the server must read every one.
func (s realServer) wantResponsesTakeAnything() {
	s.endpoint.Tries = 2 // llama.cpp closes connections that it keeps open when it likes.
	s.wantTakesAnything(s.with(nil), history.EndpointProfile{NoImages: true}, 12, Request{Model: s.model, MaxTokens: 16})
}
