package session

import (
	"net/http"
	"testing"
	"time"

	"winnow/llm"
	"winnow/session/approval"
)

// Conversations with tools over the Responses API and Ollama's API replay to the bytes that were sent.
func TestEveryWireReplays(t *testing.T) {
	for wire, hold := range map[llm.Wire]func(*testing.T) (*bench, *Session){
		llm.ResponsesWire: recordResponses, llm.OllamaWire: recordOllama,
	} {
		t.Run(string(wire), func(t *testing.T) {
			b, s := hold(t)
			again := b.open(s.Info().ID)
			for n, request := range [][2]int{{1, 1}, {1, 2}, {2, 1}} {
				wantProven(t, again, request[0], request[1], b.body(n+1))
			}
		})
	}
}

// recordResponses holds a conversation over the Responses API, with encrypted reasoning and a tool call.
func recordResponses(t *testing.T) (*bench, *Session) {
	b := newBench(t, thinksAndCalls("Zm9v+/"), responds(respondsText, respondsEnd), responds(respondsText, respondsEnd))
	b.deps.Sampling.Effort = "low"
	return b, b.recorded(t, func(e *llm.Endpoint) { e.Wire = llm.ResponsesWire })
}

// recordOllama holds a conversation over Ollama's API, with a configured window and a tool call.
func recordOllama(t *testing.T) (*bench, *Session) {
	b := newOllamaBench(
		t,
		tells(`{"message":{"role":"assistant","thinking":"They want a sum.","content":"I add."},"done":false}`,
			`{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"add","arguments":{ `+
				`"a": 1,"b":2 }}}]},"done":false}`),
		tells(`{"message":{"role":"assistant","content":"Three."},"done":false}`),
		tells(`{"message":{"role":"assistant","content":"It is three."},"done":false}`),
	)
	return b.bench, b.recorded(t, func(e *llm.Endpoint) { e.KeepAlive = "10m" })
}

// recorded holds the conversation of recordResponses or recordOllama.
func (b *bench) recorded(t *testing.T, change func(*llm.Endpoint)) *Session {
	t.Helper()
	b.deps.Approval.Mode = approval.ModeAlways
	b.deps.Now = func() time.Time { return written }
	b.offer(adder())
	e := b.deps.Models.Endpoints()[0]
	change(&e)
	b.deps.Models = new(llm.Catalog).With(e)
	s := b.begin()
	for _, text := range []string{"What is 1 + 2?", "Are you sure?"} {
		completed(t, s.Send(t.Context(), say(text)))
	}
	return s
}

func thinksAndCalls(secret string) step {
	return responds(
		`{"type":"response.output_item.done","output_index":0,"item":`+thought(secret)+`}`,
		`{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"fc_1",`+
			`"call_id":"c1","name":"add","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"a\":1,\"b\":2}"}`,
		respondsEnd)
}

// responds streams events of the Responses API.
func responds(events ...string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, e := range append([]string{`{"type":"response.created","response":{"status":"in_progress"}}`},
			events...) {
			_, _ = w.Write([]byte("data: " + e + "\n\n"))
		}
		w.(http.Flusher).Flush()
	}
}

// thought returns an item of encrypted reasoning.
func thought(secret string) string {
	return `{"id":"rs_1","type":"reasoning","encrypted_content":"` + secret + `","summary":[]}`
}

const (
	respondsText = `{"type":"response.output_text.delta","output_index":9,"delta":"It is three."}`
	respondsEnd  = `{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":60,` +
		`"output_tokens":9,"output_tokens_details":{"reasoning_tokens":4}}}}`
	onlyResponses = `{"error":{"message":"Function tools with reasoning_effort are not supported for m in ` +
		`/v1/chat/completions. Please use /v1/responses instead.","param":"reasoning_effort"}}`
)
