// Package guide is the model that is built into winnow. It needs no key, no network and no port: it answers questions
// with sections of winnow's documentation, and on request imitates four faults of real servers. It speaks Chat
// Completions, so the same client code is used as for any server.
//
// It is not a language model, and every answer begins by saying so.
//
// It keeps no state: everything it knows about a conversation is in the request.
package guide

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"winnow/llm"
	"winnow/llm/tokenizer"
)

const (
	// contextWindow is in tokens. It is small so that newcomers soon see messages being cut.
	contextWindow = 4096
	// modelName is the only model of the guide.
	modelName = "guide"
)

// server answers Chat Completions requests in this process. It is safe for concurrent use.
type server struct {
	pages func() (*library, error)
	count func(text string) int // tokens
	pace  time.Duration
}

// NewEndpoint returns the guide as an endpoint. It answers from the *.md files at the root of pages, which are read at
// the first question, and sleeps for pace before each piece of an answer. The domain .invalid never exists, so a
// request that misses the guide goes nowhere.
func NewEndpoint(pages fs.FS, pace time.Duration) llm.Endpoint {
	const base = "http://guide.invalid/v1"
	read := func() (*library, error) { return readLibrary(pages) }
	g := &server{
		pages: sync.OnceValues(read), count: tokenizer.New().Count, pace: pace,
	}
	return llm.Endpoint{
		Name: llm.GuideEndpoint, BaseURL: base, Window: contextWindow, DefaultModel: modelName, Doer: g,
	}
}

// Do answers a request as an http.Client does: POST /v1/chat/completions, always streamed, and GET /v1/models.
func (g *server) Do(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	switch req.Method + " " + req.URL.Path {
	case "GET /v1/models":
		card := object{"id": modelName, "object": "model", "owned_by": "winnow", "context_length": contextWindow}
		return document(http.StatusOK, object{"object": "list", "data": []object{card}}), nil
	case "POST /v1/chat/completions":
		return g.complete(req)
	}
	return refusal(http.StatusNotFound, "unknown_url", "Unknown request URL: %s %s.", req.Method, req.URL.Path), nil
}

// request is the part of a request that the guide reads.
type request struct {
	openai.ChatCompletionRequest
	Tools     json.RawMessage `json:"tools"` // as received, for counting
	MaxTokens int             `json:"max_tokens"`
}

func (g *server) complete(req *http.Request) (*http.Response, error) {
	var r request
	if err := json.NewDecoder(req.Body).Decode(&r); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	if r.Model != modelName {
		return refusal(http.StatusNotFound, "model_not_found", "The model '%s' does not exist.", r.Model), nil
	}
	prompt, reply := r.tokens(g.count), max(1, r.MaxTokens, r.MaxCompletionTokens)
	if prompt+reply > contextWindow {
		return refusal(http.StatusBadRequest, "context_length_exceeded", "This model's maximum context length is %d "+
			"tokens. However, you requested %d tokens (%d in the messages, %d in the completion).",
			contextWindow, prompt+reply, prompt, reply), nil
	}
	pages, err := g.pages()
	if err != nil {
		return nil, err
	}
	a := pages.answer(r.question())
	if a.overflows {
		// An invented number would make the client plan the rest of the chat for a tokenizer that does not exist.
		return refusal(http.StatusBadRequest, "context_length_exceeded",
			"Your input exceeds the context window of this model."), nil
	}
	return g.stream(req.Context(), prompt, a), nil
}

// tokens is the size of the request: its texts, plus overhead for each message and call.
func (r request) tokens(count func(string) int) int {
	n := 3 + count(string(r.Tools))
	for _, m := range r.Messages {
		n += 4 + count(textOf(m))
		for _, c := range m.ToolCalls {
			n += 8 + count(c.Function.Name) + count(c.Function.Arguments)
		}
	}
	return n
}

// question is the last paragraph of the last user message. The client may put other text in front of it: a marker,
// recalled messages, or an earlier message without an answer.
func (r request) question() string {
	text := ""
	for _, m := range r.Messages {
		if m.Role == openai.ChatMessageRoleUser {
			text = strings.TrimSpace(textOf(m))
		}
	}
	return strings.TrimSpace(text[strings.LastIndex(text, "\n\n")+1:])
}

// textOf is the text of a message, whether it is a string or a list of parts.
func textOf(m openai.ChatCompletionMessage) string {
	text := m.Content
	for _, p := range m.MultiContent {
		text += p.Text
	}
	return text
}

// object is a JSON object.
type object map[string]any

// refusal is an error response in OpenAI's format.
func refusal(status int, code, format string, args ...any) *http.Response {
	text := fmt.Sprintf(format, args...)
	return document(
		status, object{"error": object{"message": text, "type": "invalid_request_error", "code": code}},
	)
}

func document(status int, v object) *http.Response {
	text, _ := json.Marshal(v) // plain values always encode
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{
		StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(text)),
	}
}

// stream sends an answer. prompt is the number of tokens of the request. The goroutine ends with the answer, with ctx,
// or when the body is closed.
func (g *server) stream(ctx context.Context, prompt int, a answer) *http.Response {
	body, in := io.Pipe()
	stop := context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	go func() {
		defer stop()
		for _, event := range g.events(prompt, a) {
			time.Sleep(g.pace)
			if _, err := io.WriteString(in, event); err != nil {
				return
			}
		}
		if a.cut {
			in.CloseWithError(io.ErrUnexpectedEOF)
		}
		in.Close()
	}()
	header := http.Header{"Content-Type": {"text/event-stream"}}
	return &http.Response{
		StatusCode: http.StatusOK, Header: header, Body: body,
	}
}

// events are the server-sent events of an answer.
func (g *server) events(prompt int, a answer) []string {
	var list []string
	event := func(v object) {
		text, _ := json.Marshal(v) // plain values always encode
		list = append(list, "data: "+string(text)+"\n\n")
	}
	chunk := func(delta object, finish any) {
		choice := object{"index": 0, "delta": delta, "finish_reason": finish}
		event(
			object{"object": "chat.completion.chunk", "model": modelName, "choices": []object{choice}},
		)
	}
	for _, word := range strings.SplitAfter(a.text, " ") {
		chunk(object{"content": word}, nil)
	}
	if a.cut {
		return list
	}
	finish := "stop"
	if a.arguments != "" {
		function := object{"name": "search_docs", "arguments": a.arguments}
		call := object{"index": 0, "id": "call_guide", "type": "function", "function": function}
		chunk(object{"tool_calls": []object{call}}, nil)
		finish = "length"
	}
	chunk(object{}, finish)
	usage := object{"prompt_tokens": prompt, "completion_tokens": g.count(a.text + a.arguments)}
	event(object{"choices": []object{}, "usage": usage})
	return append(list, "data: [DONE]\n\n")
}
