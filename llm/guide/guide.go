// Package guide is the model that is built into winnow. It needs no key, no network and no port: it answers questions
// with sections of winnow's own documentation, and on request it acts out four things that real servers do. It speaks
// Chat Completions, so that the same client code reaches it as reaches any server.
//
// It is not a language model, and says so at the beginning of every answer.
//
// It keeps nothing of a conversation: what it knows of one is in the messages of the request.
package guide

import (
	"bytes"
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
	// Window is the context window in tokens: small, so that cutting is seen early.
	Window = 4096
	// Model is the one model that the guide serves.
	Model = "guide"
)

// baseURL is where requests seem to go. The domain .invalid never exists, so that a request that misses the guide
// goes nowhere.
const baseURL = "http://guide.invalid/v1"

// Guide answers requests of Chat Completions in this process. It is safe for concurrent use.
type Guide struct {
	pages func() (*library, error)
	count func(text string) int // tokens
	pace  time.Duration
}

// New makes a guide that answers from the *.md files at the top of pages, and waits for pace after each piece of an
// answer. The pages are read at the first question.
func New(pages fs.FS, pace time.Duration) *Guide {
	read := func() (*library, error) { return readLibrary(pages) }
	return &Guide{pages: sync.OnceValues(read), count: tokenizer.New().Count, pace: pace}
}

// Endpoint is a guide as one of winnow's servers.
func Endpoint(pages fs.FS, pace time.Duration) llm.Endpoint {
	return llm.Endpoint{Name: llm.Guide, BaseURL: baseURL, Window: Window, Default: Model, Doer: New(pages, pace)}
}

// Do answers a request as an http.Client does: POST /v1/chat/completions, always with a stream, and GET /v1/models.
func (g *Guide) Do(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	switch req.Method + " " + req.URL.Path {
	case "GET /v1/models":
		card := map[string]any{"id": Model, "object": "model", "owned_by": "winnow", "max_model_len": Window}
		return document(http.StatusOK, map[string]any{"object": "list", "data": []any{card}}), nil
	case "POST /v1/chat/completions":
		return g.complete(req)
	}
	return refusal(http.StatusNotFound, "unknown_url", "Unknown request URL: %s %s.", req.Method, req.URL.Path), nil
}

// request is what the guide reads of a request.
type request struct {
	openai.ChatCompletionRequest
	Tools     []json.RawMessage `json:"tools"` // as they came, to be counted so
	MaxTokens int               `json:"max_tokens"`
}

func (g *Guide) complete(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return refusal(http.StatusBadRequest, "", "We could not parse the JSON body of your request. (%v)", err), nil
	}
	if r.Model != Model {
		return refusal(http.StatusNotFound, "model_not_found", "The model '%s' does not exist.", r.Model), nil
	}
	prompt, reply := r.tokens(g.count), max(r.MaxTokens, r.MaxCompletionTokens)
	if prompt+max(reply, 1) > Window {
		return overflow(prompt, reply), nil
	}
	pages, err := g.pages()
	if err != nil {
		return nil, err
	}
	question := r.question()
	act, acts := actFor(question)
	switch {
	case acts && act.name == "overflow":
		return overflowWithoutNumbers(), nil
	case acts:
		return g.stream(req.Context(), prompt, pages.play(act)), nil
	}
	return g.stream(req.Context(), prompt, answer{text: pages.answer(question, r.Messages)}), nil
}

// tokens is what the request costs: its texts, and a frame around each message and call.
func (r request) tokens(count func(string) int) int {
	n := 3
	for _, m := range r.Messages {
		n += 4 + count(textOf(m))
		for _, c := range m.ToolCalls {
			n += 8 + count(c.Function.Name) + count(c.Function.Arguments)
		}
	}
	for _, t := range r.Tools {
		n += count(string(t))
	}
	return n
}

// question is the last paragraph of the newest message of the user. In front of it may stand what the client has put
// there: a marker, recalled messages, or an earlier message that was not answered.
func (r request) question() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == openai.ChatMessageRoleUser {
			text := strings.TrimSpace(textOf(r.Messages[i]))
			return strings.TrimSpace(text[strings.LastIndex(text, "\n\n")+1:])
		}
	}
	return ""
}

// textOf is a message's text, sent as a string or as a list of parts.
func textOf(m openai.ChatCompletionMessage) string {
	text := m.Content
	for _, p := range m.MultiContent {
		text += p.Text
	}
	return text
}

// overflowWithoutNumbers refuses any request as OpenAI does today. A made-up number would have the client plan the rest
// of the chat for a tokenizer that does not exist.
func overflowWithoutNumbers() *http.Response {
	return refusal(http.StatusBadRequest, "context_length_exceeded",
		"Your input exceeds the context window of this model. Please adjust your input and try again.")
}

// overflow refuses a request that is longer than the window, as OpenAI and vLLM do.
func overflow(prompt, reply int) *http.Response {
	return refusal(http.StatusBadRequest, "context_length_exceeded",
		"This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the messages, "+
			"%d in the completion). Please reduce the length of the messages or completion.",
		Window, prompt+reply, prompt, reply)
}

// refusal is an error as OpenAI sends it.
func refusal(status int, code, format string, args ...any) *http.Response {
	e := &openai.APIError{Message: fmt.Sprintf(format, args...), Type: "invalid_request_error", Code: code}
	return document(status, openai.ErrorResponse{Error: e})
}

func document(status int, v any) *http.Response {
	text, _ := json.Marshal(v) // plain values always encode
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(text))}
}
