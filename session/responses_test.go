package session

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm"
)

// responds streams events of the Responses API. What is given is put around an answer: its usage is the last.
func responds(events ...string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range append([]string{`{"type":"response.created","response":{"status":"in_progress"}}`},
			events...) {
			_, _ = w.Write([]byte("data: " + e + "\n\n"))
		}
		w.(http.Flusher).Flush()
	}
}

const (
	respondsText  = `{"type":"response.output_text.delta","output_index":9,"delta":"It is three."}`
	respondsEnd   = `{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":60,"output_tokens":9,"output_tokens_details":{"reasoning_tokens":4}}}}`
	onlyResponses = `{"error":{"message":"Function tools with reasoning_effort are not supported for m in /v1/chat/completions. Please use /v1/responses instead.","param":"reasoning_effort"}}`
)

// thought is an item of reasoning that nobody but its server can read.
func thought(secret string) string {
	return `{"id":"rs_1","type":"reasoning","encrypted_content":"` + secret + `","summary":[]}`
}

func thinksAndCalls(secret string) step {
	return responds(
		`{"type":"response.output_item.done","output_index":0,"item":`+thought(secret)+`}`,
		`{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"add","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"a\":1,\"b\":2}"}`,
		respondsEnd)
}

// A turn with tools over the Responses API: announced, recorded and proven like any other, also when the program
// starts again; its reasoning goes back to the model that had it, and to no other.
func TestATurnOverTheResponsesAPI(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("Zm9v+/", 1000) // far more characters than the server counts tokens
	b := newBench(t, refuses(400, onlyResponses), thinksAndCalls(secret), responds(respondsText, respondsEnd),
		responds(respondsText, respondsEnd), responds(respondsText, respondsEnd))
	b.deps.Approve = Always
	b.deps.Sampling.Effort = "low"
	b.offer(adder(t))
	s := b.begin()
	events, err := drain(s.Send(t.Context(), "1+2?"))
	if err != nil {
		t.Fatal(err)
	}
	if notices := only[Notice](events); len(notices) != 2 || !strings.HasSuffix(notices[0].Text,
		"Please use /v1/responses instead; asking again over the Responses API") ||
		!strings.HasPrefix(notices[1].Text, "asking test/m again with the result of add") {
		t.Errorf("said %q", notices)
	}
	wantTranscript(t, s.Messages(),
		"user: 1+2?\nassistant:  [add {\"a\":1,\"b\":2}]\ntool: 3\nassistant: It is three.\n")
	if body := b.body(3); !strings.Contains(body, thought(secret)+
		`,{"type":"function_call","call_id":"c1","name":"add","arguments":"{\"a\":1,\"b\":2}"},{"type":"function_call_output","call_id":"c1","output":"3"}`) {
		t.Errorf("the second round sends %.2000s", body)
	}
	wantProven(t, s, 1, 1, b.body(2))
	wantProven(t, s, 1, 2, b.body(3))

	b.deps.Models = new(llm.Catalog).With(b.deps.Models.Endpoints()[0])
	later := b.open(s.Info().ID)
	if _, err := drain(later.Send(t.Context(), "Sure?")); err != nil {
		t.Fatal(err)
	}
	if body := b.body(4); !strings.Contains(body, `"input":`) || !strings.Contains(body, thought(secret)) {
		t.Errorf("the next run sends %.2000s", body)
	}
	wantProven(t, later, 2, 1, b.body(4))

	// What the configuration says later changes no record.
	e := b.deps.Models.Endpoints()[0]
	e.Wire = llm.ResponsesWire
	b.deps.Models = new(llm.Catalog).With(e)
	other := b.open(s.Info().ID)
	if err := other.SetModel(t.Context(), "test/another"); err != nil {
		t.Fatal(err)
	}
	if _, err := drain(other.Send(t.Context(), "And you?")); err != nil || strings.Contains(b.body(5), secret) ||
		!strings.Contains(b.body(5), `"input":`) {
		t.Errorf("another model is asked %.2000s, %v", b.body(5), err)
	}
	for nth, at := range []int{2, 3} {
		wantProven(t, other, 1, nth+1, b.body(at))
	}
	wantProven(t, other, 3, 1, b.body(5))
	e.Wire = llm.ChatWire
	b.deps.Models = new(llm.Catalog).With(e)
	wantProven(t, b.open(s.Info().ID), 3, 1, b.body(5))
}

// A cut stream keeps what came, without the reasoning that led nowhere.
func TestACutAnswerOverTheResponsesAPI(t *testing.T) {
	t.Parallel()
	cut := func(w http.ResponseWriter, r *http.Request) {
		responds(`{"type":"response.output_item.done","output_index":0,"item":`+thought("one")+`}`, respondsText,
			`{"type":"response.output_item.done","output_index":10,"item":`+thought("two")+`}`)(w, r)
		panic(http.ErrAbortHandler)
	}
	b := newBench(t, cut, responds(respondsText, respondsEnd))
	e := b.deps.Models.Endpoints()[0]
	e.Wire = llm.ResponsesWire
	b.deps.Models = new(llm.Catalog).With(e)
	s := b.begin()
	if _, err := drain(s.Send(t.Context(), "1+2?")); !errors.Is(err, llm.Broken) {
		t.Fatalf("the turn ended with %v", err)
	}
	wantTranscript(t, s.Messages(), "user: 1+2?\nassistant: It is three. (interrupted)\n")
	if _, err := drain(s.Send(t.Context(), "Go on")); err != nil || b.requests() != 2 {
		t.Fatalf("%v after %d requests", err, b.requests())
	}
	if body := b.body(2); !strings.Contains(body, `"text":"It is three. [interrupted]"`) ||
		strings.Contains(body, `"type":"reasoning"`) {
		t.Errorf("the next request is %s", body)
	}
	wantProven(t, s, 2, 1, b.body(2))
	if m := s.Messages()[1]; m.Status != history.Interrupted || !strings.Contains(string(m.Extra), `"one"`) ||
		strings.Contains(string(m.Extra), `"two"`) {
		t.Errorf("the cut answer is stored with %s", m.Extra)
	}
}
