package llm

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm/tool"
)

// What the formats make of a request is in the fixtures of llm/wire: here is what the client puts into it.
func TestBodyIsTheStrictFormat(t *testing.T) {
	c := script().client()
	local := NewClient(Endpoint{Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1"})
	call := func(arguments string) Request {
		return Request{Model: "m", Messages: []history.Message{{
			Role: history.Assistant, Reasoning: "not sent", ToolCalls: []history.ToolCall{{ID: "c1", Name: "f", Arguments: arguments}},
		}}}
	}
	called := func(arguments string) string {
		return `"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":` + arguments + `}}]`
	}
	limited := Request{Model: "m", MaxTokens: 9}
	tools := Request{Model: "m", Tools: []tool.Tool{{Name: "f", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "g"}}}
	for _, test := range []struct {
		name   string
		client *Client
		r      Request
		want   string
	}{
		{"OpenAI counts completion tokens", c, limited, `"max_completion_tokens":9,`},
		{"others count tokens", local, limited, `"max_tokens":9,`},
		{"arguments", c, call(`{"a": 1}`), called(`"{\"a\": 1}"`)},
		{"tools", c, tools, `"tools":[{"function":{"name":"f","parameters":{"type":"object"}},"type":"function"},{"function":{"name":"g","parameters":{"type":"object","properties":{}}},"type":"function"}]`},
	} {
		got, err := test.client.Body(test.r)
		if err != nil || !strings.Contains(string(got), test.want) || strings.Contains(string(got), "not sent") {
			t.Errorf("%s: %s, %v; want it to hold %s", test.name, got, err, test.want)
		}
	}
}

// TestStreamPostsBody goes over a real connection, so that whatever the library or net/http would
// do to the bytes shows.
func TestStreamPostsBody(t *testing.T) {
	type post struct{ path, body, key, extra, accept string }
	posts := make(chan post, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		posts <- post{req.URL.Path, string(body), req.Header.Get("Authorization"), req.Header.Get("X-Title"), req.Header.Get("Accept")}
		_, _ = io.WriteString(w, delta2("Hello")+"data: [DONE]\n\n")
	}))
	defer server.Close()
	c := NewClient(Endpoint{Name: "here", BaseURL: server.URL + "/v1", Key: testKey, Headers: map[string]string{"X-Title": "winnow"}})
	zero := 0.0
	r := Request{
		Model: "o3-mini", // A name for which the library refuses a temperature before sending.
		Messages: []history.Message{
			{Role: history.System, Content: "s"},
			{Role: history.User, Content: "<b>\u2028 ü \x00 \xff"},
			{Role: history.Assistant, ToolCalls: []history.ToolCall{{ID: "c", Name: "f"}}},
			{Role: history.Tool, ToolCallID: "c"},
		},
		MaxTokens: 5, Temperature: &zero,
	}
	want, err := c.Body(r)
	if err != nil {
		t.Fatalf("Body: %v", err)
	}
	heardText, _, err := heard(c, r)
	if err != nil {
		t.Fatalf("stream: %v", err)
	}
	wantText(t, "events", heardText, "Hello| done")
	got := <-posts
	wantText(t, "posted body", got.body, string(want))
	wantText(t, "path", got.path, "/v1/chat/completions")
	wantText(t, "key", got.key, "Bearer "+testKey)
	wantText(t, "header", got.extra, "winnow")
	wantText(t, "accept", got.accept, "text/event-stream")
	noKey(t, "the body", got.body)
	if again, _ := c.Body(r); string(again) != string(want) {
		t.Errorf("a second Body differs:\n%s\n%s", again, want)
	}
}

func TestBodyThatCannotBeEncodedIsRefused(t *testing.T) {
	r := hello()
	r.Tools = []tool.Tool{{Name: "f", Parameters: json.RawMessage(`{"type":`)}}
	server := script(chunks("[DONE]"))
	_, _, err := heard(server.client(), r)
	if err == nil || !strings.Contains(err.Error(), "encode request to openai") || server.times() != 0 {
		t.Errorf("a tool with a broken schema: got error %v after %d requests, want one that says so and none", err, server.times())
	}
}

// TestRefusalThatComesAgainIsReported is a server that refuses a field it was not sent any more.
func TestRefusalThatComesAgainIsReported(t *testing.T) {
	server := script(step{status: 422, say: []string{`{"detail":"unknown field stream_options"}`}})
	got, _, err := heard(server.client(), hello())
	if err == nil || server.times() != 2 {
		t.Errorf("got %s, %v after %d requests; want an error after 2", got, err, server.times())
	}
}
