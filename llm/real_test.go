package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/llm/llmtest"
	"winnow/llm/tool"
)

// The tests against real servers run if the environment names one: see llm/llmtest/README.md.

// realTimeout limits one test against a real server, which may have to load its model first.
const realTimeout = time.Minute

// realServer is a real server and the model to use.
type realServer struct {
	t        *testing.T
	endpoint Endpoint
	model    string
}

// realEndpoint returns the endpoint in an environment variable. Without it the test is skipped.
func realEndpoint(t *testing.T, name, variable string) Endpoint {
	t.Helper()
	return Endpoint{Name: name, BaseURL: llmtest.RealServerURL(t, variable), MaxAttempts: 1}
}

// with returns a client that adds fields to each request. They force a behavior that random weights would not show
// reliably.
func (s realServer) with(fields map[string]any) *Client {
	e := s.endpoint
	e.Doer = adding{fields}
	return NewClient(e)
}

// adding adds fields to the body of each POST request.
type adding struct{ fields map[string]any }

func (a adding) Do(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPost && len(a.fields) > 0 {
		raw, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		var body map[string]any
		if err := json.Unmarshal(raw, &body); err != nil {
			return nil, err
		}
		for key, value := range a.fields {
			body[key] = value
		}
		if raw, err = json.Marshal(body); err != nil {
			return nil, err
		}
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	}
	return http.DefaultClient.Do(req)
}

// request is a request with one user message.
func (s realServer) request(text string, maxTokens int) Request {
	return Request{Model: s.model, MaxTokens: maxTokens, Messages: []history.Message{
		{Role: history.System, Content: "You write words.", Status: history.Complete},
		{Role: history.User, Content: text, Status: history.Complete},
	}}
}

// answered returns a complete answer and the number of its pieces.
func (s realServer) answered(c *Client, r Request) (reply Reply, pieces int, err error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), realTimeout)
	defer cancel()
	for event, err := range c.Stream(ctx, r) {
		if err != nil {
			return reply, pieces, err
		}
		if _, ok := event.(TextDelta); ok {
			pieces++
		}
		reply.Add(event)
	}
	return reply, pieces, nil
}

// wantRefused sends a request that the server must refuse.
func (s realServer) wantRefused(c *Client, r Request, kind ErrorKind) *Error {
	s.t.Helper()
	reply, _, err := s.answered(c, r)
	var e *Error
	if !errors.As(err, &e) || e.Kind != kind {
		s.t.Fatalf("got the answer %.80q and %v, want a refusal of the kind %v", reply.Text, err, kind)
	}
	s.t.Logf("status %d: %v\n%s", e.Status, e, e.Body)
	return e
}

// wantStreamed requests an answer of so many tokens, and checks that it is streamed and counted.
func (s realServer) wantStreamed(c *Client, tokens int) {
	s.t.Helper()
	reply, pieces, err := s.answered(c, s.request("Write some words.", tokens))
	if err != nil {
		s.t.Fatal(err)
	}
	if pieces < 2 || strings.TrimSpace(reply.Text) == "" || reply.Usage.Answer != tokens || reply.Usage.Prompt <= 0 {
		s.t.Errorf("%d pieces, usage %+v: %q", pieces, reply.Usage, reply.Text)
	}
	if reply.Finished.End != EndDone || reply.Finished.Reason != "length" {
		s.t.Errorf("it ended with %+v, want the reason length", reply.Finished)
	}
}

// stopped cancels an answer after some pieces.
func (s realServer) stopped(c *Client, r Request) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), realTimeout)
	defer cancel()
	pieces := 0
	var last error
	for event, err := range c.Stream(ctx, r) {
		last = err
		if _, ok := event.(TextDelta); ok {
			if pieces++; pieces == 5 {
				cancel()
			}
		}
	}
	var e *Error
	if !errors.As(last, &e) || e.Kind != ErrStopped || pieces < 5 {
		s.t.Fatalf("after %d pieces it ended with %v, want that it was stopped", pieces, last)
	}
}

// searchTool is the tool that the tests offer.
var searchTool = tool.Tool{
	Name: "search", Description: "Searches the notes.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`),
}

// wantTools makes the model call a tool, and checks that the server accepts the calls with their results.
func (s realServer) wantTools(calling, plain *Client) {
	s.t.Helper()
	r := s.request("Search the notes.", 400)
	r.Tools = []tool.Tool{searchTool}
	reply, _, err := s.answered(calling, r)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(reply.Calls) == 0 {
		s.t.Fatalf("no call: %+v", reply)
	}
	s.t.Logf("finish %q, calls %+v, extra %s", reply.Finished.Reason, reply.Calls, reply.Finished.Extra)
	ids := map[string]bool{}
	asked := history.Message{Role: history.Assistant, Content: reply.Text, ToolCalls: reply.Calls, Status: history.Complete}
	r.Messages = append(r.Messages, asked)
	for _, call := range reply.Calls {
		var arguments struct{ Query *string }
		if err := json.Unmarshal([]byte(call.Arguments), &arguments); err != nil || arguments.Query == nil || call.Name != searchTool.Name {
			s.t.Errorf("call %+v: %v", call, err)
		}
		if call.ID == "" || ids[call.ID] {
			s.t.Errorf("the id %q is blank or taken", call.ID)
		}
		ids[call.ID] = true
		r.Messages = append(r.Messages, history.Message{Role: history.Tool, ToolCallID: call.ID, Name: call.Name, Content: "nothing found", Status: history.Complete})
	}
	r.Messages = append(r.Messages, history.Message{Role: history.User, Content: "And now?", Status: history.Complete})
	r.MaxTokens = 8
	reply, _, err = s.answered(plain, r)
	if err != nil || reply.Finished.End != EndDone {
		s.t.Errorf("the calls and their results went back: %v, %+v", err, reply.Finished)
	}
}

// wantNoImages sends an image, which the model does not support, and checks that this is learned.
func (s realServer) wantNoImages(c *Client) {
	s.t.Helper()
	r := s.request("What is this?", 8)
	r.Messages[1].Parts = []history.Part{{Kind: history.ImagePart, Name: "dot.png", MediaType: "image/png", Data: dotPNG}}
	e := s.wantRefused(c, r, ErrBadRequest)
	if !e.Replan || !c.Profile(s.model).NoImages {
		s.t.Errorf("it was not learned that the model takes no images: %v", e)
	}
}

// wantTakesAnything checks that the server accepts damaged conversations after their repair for a profile.
func (s realServer) wantTakesAnything(c *Client, profile history.Profile, n int, r Request) {
	s.t.Helper()
	scenes := strictScenes()
	r.Tools = []tool.Tool{searchTool}
	for i := range n {
		scene := scenes.Example(i)
		scene.o.Policy.Budget = 600 // The tiny model has a token per letter and is slow with long texts.
		scene.o.Profile, scene.o.To = profile, c.Origin(s.model)
		plan, err := history.Build(scene.messages, scene.o)
		if damaged := (*history.DamagedError)(nil); errors.As(err, &damaged) || len(plan.Messages) == 0 {
			continue
		}
		r.Messages = plan.Messages
		_, _, err = s.answered(c, r)
		var e *Error
		if errors.As(err, &e) && e.Kind != ErrTooLong && e.Kind != ErrBadResponse {
			body, _ := c.RequestBody(r)
			s.t.Errorf("scene %d: %v\n%s\n%s", i, err, e.Body, body)
		}
	}
}

// dotPNG is an image of one pixel.
var dotPNG = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU" +
	"\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82")

func TestRealLlamaCpp(t *testing.T) {
	s := realServer{t: t, endpoint: realEndpoint(t, "llamacpp", "WINNOW_REAL_LLAMACPP")}
	models, err := NewClient(s.endpoint).Models(t.Context())
	if err != nil || len(models) == 0 {
		t.Fatalf("models %v, %v", models, err)
	}
	s.model = models[0].ID
	run := s.runs(t)
	endless := map[string]any{"ignore_eos": true}
	window := models[0].Window.Tokens
	run("window", func(s realServer) {
		stated, err := NewClient(s.endpoint).StatedWindow(t.Context(), s.model)
		if err != nil || stated.Tokens != window || window == 0 {
			s.t.Errorf("the server states %+v, its list says %d (%v)", stated, window, err)
		}
	})
	run("chat", func(s realServer) { s.wantStreamed(s.with(endless), 200) })
	run("stop", func(s realServer) {
		before := s.metric("n_decode_total")
		s.stopped(s.with(endless), s.request("Write without an end.", 0))
		s.wantIdle()
		// Without cancelation the answer would fill the window.
		if decoded := s.metric("n_decode_total") - before; decoded >= window/2 {
			s.t.Errorf("the server computed %d tokens of an answer that was stopped after 5", decoded)
		}
	})
	run("overflow", func(s realServer) {
		e := s.wantRefused(NewClient(s.endpoint), s.request(strings.Repeat("word ", window), 8), ErrTooLong)
		if e.Limit != window || e.Prompt <= window {
			s.t.Errorf("window %d, request %d: want %d and more", e.Limit, e.Prompt, window)
		}
	})
	run("tools", func(s realServer) {
		s.wantTools(s.with(map[string]any{"tool_choice": "required"}), NewClient(s.endpoint))
	})
	run("unknown model", func(s realServer) {
		// A server with one model uses it for any model name.
		s.model = "no-such-model"
		if _, _, err := s.answered(NewClient(s.endpoint), s.request("Are you there?", 4)); err != nil {
			s.t.Errorf("it refused: %v", err)
		}
	})
	run("images", func(s realServer) { s.wantNoImages(NewClient(s.endpoint)) })
	run("exact count", func(s realServer) {
		r := s.request("Count this, größer and 猫.", 1)
		counted, err := NewClient(s.endpoint).CountRequestTokens(t.Context(), r)
		if err != nil {
			s.t.Fatal(err)
		}
		reply, _, err := s.answered(s.with(endless), r)
		if err != nil || reply.Usage.Prompt != counted {
			s.t.Errorf("counted %d before, %d by the answer (%v)", counted, reply.Usage.Prompt, err)
		}
	})
}

// runs returns a function that runs subtests.
func (s realServer) runs(t *testing.T) func(name string, part func(s realServer)) {
	return func(name string, part func(s realServer)) {
		t.Run(name, func(t *testing.T) {
			s := s
			s.t = t
			part(s)
		})
	}
}

// metric is a number from llama.cpp's /metrics.
func (s realServer) metric(name string) int {
	s.t.Helper()
	resp, err := http.Get(s.endpoint.rootURL() + "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "llamacpp:"+name+" "); ok {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				s.t.Fatal(err)
			}
			return int(n)
		}
	}
	s.t.Fatalf("no %s among the metrics (start the server with --metrics): %s", name, raw)
	return 0
}

// wantIdle waits until llama.cpp processes no request.
func (s realServer) wantIdle() {
	s.t.Helper()
	for end := time.Now().Add(realTimeout); s.metric("requests_processing") > 0; {
		if time.Now().After(end) {
			s.t.Fatal("the server still computes")
		}
		time.Sleep(10 * time.Millisecond)
	}
}
