// Package wire implements the formats of model servers: Chat Completions, OpenAI's Responses API and Ollama's native
// API. It encodes requests and decodes streamed answers into events. It sends nothing, and it knows neither the address
// of a request nor the meaning of a refusal.
package wire

import (
	"bytes"
	"encoding/json"

	openai "github.com/sashabaranov/go-openai"

	"winnow/history/message"
)

// Format is the API that a server speaks.
type Format string

// The formats.
const (
	Chat      Format = "openai"
	Responses Format = "responses"
	Ollama    Format = "ollama"
)

// Request is a request in terms common to all formats. A format omits what it cannot express.
type Request struct {
	Model string

	// Messages are sent in this order. The arguments of their calls are JSON objects. Reasoning and Replay are set
	// only in the model's own answers, and are sent back to it.
	Messages      []message.Message
	EchoReasoning bool // the model requires the reasoning of its earlier answers

	Tools       []openai.FunctionDefinition
	MaxTokens   int      // maximum tokens of the reply; 0 leaves it to the server
	Temperature *float64 // nil leaves it to the server; 0 is sent as 0
	TopP        *float64 // like Temperature
	Effort      string   // reasoning effort; "" leaves it to the server

	CacheMarks []int // Chat: indexes of the messages that end a cached prefix

	NoStreamOptions      bool   // Chat: do not request usage
	CompletionTokens     bool   // Chat: send MaxTokens as max_completion_tokens
	NoEncryptedReasoning bool   // Responses: do not request encrypted reasoning
	Window               int    // Ollama: context window in tokens; 0 leaves it to the server
	Think                any    // Ollama: true, false or a level; nil leaves it to the server
	KeepAlive            string // Ollama: how long the model stays loaded, "5m" or seconds; "" leaves it to the server
}

// RequestBody encodes a request. Equal requests have equal bytes.
func (f Format) RequestBody(r Request) ([]byte, error) {
	switch f {
	case Responses:
		return r.responses()
	case Ollama:
		return EncodeJSON(r.ollama())
	}
	return r.chat()
}

// EncodeJSON encodes v as JSON without HTML escapes, which only add bytes, and without a final newline.
func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}
