package session

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"winnow/llm"
	"winnow/session/approval"
)

// messageSent is a message of a request with what may come back in it.
type messageSent struct {
	Role      string
	Content   string
	Reasoning *string `json:"reasoning_content"`
	ToolCalls []struct {
		ID    string
		Extra json.RawMessage `json:"extra_content"`
	} `json:"tool_calls"`
}

// sent are the messages of the nth request, from 1.
func (b *bench) sent(n int) []messageSent {
	b.t.Helper()
	var body struct{ Messages []messageSent }
	if err := json.Unmarshal([]byte(b.body(n)), &body); err != nil {
		b.t.Fatalf("request %d: %v", n, err)
	}
	return body.Messages
}

// acting makes every step of a bench the same server, which looks at each request.
func acting(t *testing.T, requests int, server func(messages []messageSent) step) *bench {
	t.Helper()
	var b *bench
	steps := make([]step, requests)
	for i := range steps {
		steps[i] = func(w http.ResponseWriter, r *http.Request) { server(b.sent(b.requests()))(w, r) }
	}
	b = newBench(t, steps...)
	b.deps.Approval.Mode = approval.Always
	b.offer(adder(t))
	return b
}

// thinks answers after reasoning, or calls a tool after it.
func thinks(reasoning string, fields map[string]any) step {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		delta(w, map[string]any{"reasoning_content": reasoning})
		delta(w, fields)
		reason := "stop"
		if fields["tool_calls"] != nil {
			reason = "tool_calls"
		}
		finish(w, reason, promptOf(r), 3)
	}
}

func callOf(id string, extra map[string]any) map[string]any {
	call := map[string]any{
		"index": 0, "id": id, "type": "function", "function": map[string]any{
			"name": "add", "arguments": `{"a":1,"b":2}`,
		},
	}
	for key, value := range extra {
		call[key] = value
	}
	return map[string]any{"tool_calls": []any{call}}
}

// deepSeek is a server that thinks: it wants the reasoning of every answer with calls back.
func deepSeek(messages []messageSent) step {
	for _, m := range messages {
		if len(m.ToolCalls) > 0 && (m.Reasoning == nil || *m.Reasoning == "") {
			return refuses(http.StatusBadRequest, "{\"error\":{\"message\":\"The `reasoning_content` in the thinking "+
				"mode must be passed back to the API.\",\"type\":\"invalid_request_error\"}}")
		}
	}
	if messages[len(messages)-1].Role == "user" && strings.Contains(messages[len(messages)-1].Content, "add") {
		return thinks(strings.Repeat("I need the tool. ", 40), callOf("c", nil))
	}
	return thinks("Now I know.", map[string]any{"content": "Three."})
}

func noticed(events []Event) string { return strings.Join(notices(events), "\n") }

func TestReasoningIsSentBackOnceAServerAskedForIt(t *testing.T) {
	b := acting(t, 7, deepSeek)
	s := b.begin()
	events, err := drain(s.Send(t.Context(), say("add one and two")))
	if err != nil {
		t.Fatalf("the turn failed: %v", err)
	}
	wantTranscript(t, s.Messages(),
		"user: add one and two\nassistant:  [add {\"a\":1,\"b\":2}]\ntool: 3\nassistant: Three.\n")
	if b.requests() != 3 || !strings.Contains(noticed(events), "m has to be asked with its reasoning returned to it") {
		t.Errorf("%d requests and the notices %q; want 3, the second refused, and one that says why", b.requests(),
			noticed(events))
	}
	plans := only[Planned](events)
	if len(plans) != 3 {
		t.Fatalf("%d plans, want 3", len(plans))
	}
	// The reasoning is part of the sum that was checked and shown.
	reasoning := s.Messages()[1].Reasoning
	if got, want := plans[2].Plan.Sum.Total-plans[1].Plan.Sum.Total, b.deps.Count(reasoning); got != want ||
		want < 100 {
		t.Errorf("the request with the reasoning is planned %d tokens larger, want %d", got, want)
	}
	if got, want := plans[2].Request.BodyHash, hash([]byte(b.body(3))); got != want {
		t.Errorf("the record's hash is %s, the bytes that arrived have %s", got, want)
	}

	// The next turn is right at once: the answer with the call and the one behind it are whole.
	if events, err = drain(s.Send(t.Context(), say("thanks"))); err != nil || b.requests() != 4 || noticed(events) != "" {
		t.Fatalf("the next turn: %v after %d requests with the notices %q; want none, 4, none", err, b.requests(),
			noticed(events))
	}
	got := b.sent(4)
	if got[2].Reasoning == nil || *got[2].Reasoning != reasoning || got[4].Reasoning == nil ||
		*got[4].Reasoning != "Now I know." {
		t.Errorf("the fourth request lacks reasoning: %s", b.body(4))
	}

	// So is the next start of the program, and another model is sent none.
	later := b.restart(s.Info().ID)
	if _, err = drain(later.Send(t.Context(), say("add again"))); err != nil || b.requests() != 6 {
		t.Fatalf("after the next start: %v after %d requests, want none after 6", err, b.requests())
	}
	if err := later.Set(t.Context(), Settings{Model: "test/other"}); err != nil {
		t.Fatal(err)
	}
	plan, err := later.Preview(say("hello"))
	if err != nil {
		t.Fatal(err)
	}
	if body, err := later.Try(t.Context(), Settings{}).Body(plan); err != nil || strings.Contains(string(body), "reasoning_content") {
		t.Errorf("the reasoning is sent to another model: %s %v", body, err)
	}
}

// restart opens the conversation with clients that know nothing but what is stored.
func (b *bench) restart(id string) *Session {
	b.t.Helper()
	b.deps.Models = new(llm.Catalog).With(b.deps.Models.Endpoints()[0])
	return b.open(id)
}
