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

func TestBodyIsTheStrictFormat(t *testing.T) {
	zero, half := 0.0, 0.5
	c := script().client()
	local := NewClient(Endpoint{Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1"})
	user := func(text string, parts ...history.Part) []history.Message {
		return []history.Message{{Role: history.User, Content: text, Parts: parts}}
	}
	call := func(arguments string) []history.Message {
		return []history.Message{{Role: history.Assistant, Reasoning: "not sent", ToolCalls: []history.ToolCall{{ID: "c1", Name: "f", Arguments: arguments}}}}
	}
	called := func(arguments string) string {
		return `{"model":"m","messages":[{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":` + arguments + `}}]}],"stream":true,"stream_options":{"include_usage":true}}`
	}
	tests := []struct {
		name   string
		client *Client
		r      Request
		want   string
	}{
		{"a plain question", c, Request{Model: "m", Messages: user("a < b & c > d")}, `{"model":"m","messages":[{"role":"user","content":"a < b & c > d"}],"stream":true,"stream_options":{"include_usage":true}}`},
		{"temperature 0 is sent as 0", c, Request{Model: "m", Messages: user("x"), Temperature: &zero, TopP: &half}, `{"model":"m","messages":[{"role":"user","content":"x"}],"temperature":0,"top_p":0.5,"stream":true,"stream_options":{"include_usage":true}}`},
		{"OpenAI counts completion tokens", c, Request{Model: "m", Messages: user("x"), MaxTokens: 9, Effort: "low"}, `{"model":"m","messages":[{"role":"user","content":"x"}],"max_completion_tokens":9,"reasoning_effort":"low","stream":true,"stream_options":{"include_usage":true}}`},
		{"others count tokens", local, Request{Model: "m", Messages: user("x"), MaxTokens: 9}, `{"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":9,"stream":true,"stream_options":{"include_usage":true}}`},
		{"a call has content and no index", c, Request{Model: "m", Messages: call(`{"a":1}`)}, called(`"{\"a\":1}"`)},
		{"no arguments are an object", c, Request{Model: "m", Messages: call("")}, called(`"{}"`)},
		{"bad arguments are an object", c, Request{Model: "m", Messages: call(`{"a":`)}, called(`"{}"`)},
		{"a list of arguments is an object", c, Request{Model: "m", Messages: call(`[1]`)}, called(`"{}"`)},
		{
			"an empty tool result has content", c,
			Request{Model: "m", Messages: []history.Message{{Role: history.Tool, ToolCallID: "c1"}}},
			`{"model":"m","messages":[{"role":"tool","content":"","tool_call_id":"c1"}],"stream":true,"stream_options":{"include_usage":true}}`,
		},
		{
			"a name where it is set", c,
			Request{Model: "m", Messages: []history.Message{{Role: history.User, Name: "ann", Content: "x", ToolCallID: "stray"}}},
			`{"model":"m","messages":[{"role":"user","name":"ann","content":"x"}],"stream":true,"stream_options":{"include_usage":true}}`,
		},
		{
			"an image is a data URL and the text stands last", c,
			Request{Model: "m", Messages: user("what is it?", history.Part{Kind: history.ImagePart, MediaType: "image/png", Data: []byte("PNG")})},
			`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,UE5H"}},{"type":"text","text":"what is it?"}]}],"stream":true,"stream_options":{"include_usage":true}}`,
		},
		{
			"a file stands in front of the text with its name", c,
			Request{Model: "m", Messages: user("why?", history.Part{Kind: history.TextPart, Name: "a.go", MediaType: "text/plain", Text: "package a\n"})},
			`{"model":"m","messages":[{"role":"user","content":"a.go:\n` + "```" + `\npackage a\n` + "```" + `\n\nwhy?"}],"stream":true,"stream_options":{"include_usage":true}}`,
		},
		{
			"a file beside an image is a part of the list, and so is a note", c,
			Request{Model: "m", Messages: user("why?", history.Part{Kind: history.TextPart, Name: "a.go", Text: "x"}, history.Part{Kind: history.ImagePart, MediaType: "image/png", Data: []byte("PNG")}, history.Part{Kind: history.NotePart, Name: "b", Text: "[no]"})},
			`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a.go:\n` + "```\\nx\\n```" + `"},{"type":"image_url","image_url":{"url":"data:image/png;base64,UE5H"}},{"type":"text","text":"[no]"},{"type":"text","text":"why?"}]}],"stream":true,"stream_options":{"include_usage":true}}`,
		},
		{
			"a blank text beside an image is left out", c,
			Request{Model: "m", Messages: user(" ", history.Part{Kind: history.TextPart, Text: "\n"}, history.Part{Kind: history.ImagePart, MediaType: "image/png", Data: []byte("PNG")})},
			`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,UE5H"}}]}],"stream":true,"stream_options":{"include_usage":true}}`,
		},
		{
			"attached text stays a text", c,
			Request{Model: "m", Messages: user("what is it?", history.Part{Kind: history.TextPart, Text: "file"})},
			`{"model":"m","messages":[{"role":"user","content":"file\n\nwhat is it?"}],"stream":true,"stream_options":{"include_usage":true}}`,
		},
		{
			"tools", c,
			Request{Model: "m", Messages: user("x"), Tools: []tool.Tool{{Name: "f", Description: "does f", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "g"}}},
			`{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"function":{"name":"f","description":"does f","parameters":{"type":"object"}},"type":"function"},{"function":{"name":"g","parameters":{"type":"object","properties":{}}},"type":"function"}],"stream":true,"stream_options":{"include_usage":true}}`,
		},
		{"no messages are a list", c, Request{Model: "m"}, `{"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.client.Body(test.r)
			if err != nil {
				t.Fatalf("Body: %v", err)
			}
			wantText(t, "body", string(got), test.want)
		})
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
