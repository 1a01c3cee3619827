// Package wire has the formats in which servers of models take requests and stream their answers: Chat Completions,
// OpenAI's Responses API and Ollama's own. It turns a request into bytes and an answer into events. It sends nothing,
// and it does not know whom a request goes to or what a refusal means.
package wire

import (
	"bytes"
	"encoding/json"

	openai "github.com/sashabaranov/go-openai"

	"winnow/history/message"
)

// Format names a format.
type Format string

// The formats.
const (
	Chat      Format = "openai"
	Responses Format = "responses"
	Ollama    Format = "ollama"
)

// Request is a request in the words that the formats have in common. A format leaves out what it has no word for.
type Request struct {
	Model string

	// Messages are sent in this order. The arguments of their calls are JSON objects. Reasoning and Replay hold only
	// what goes back to the model: they come from an answer of its own.
	Messages      []message.Message
	EchoReasoning bool // the model requires the reasoning of its earlier answers

	Tools       []openai.FunctionDefinition
	MaxTokens   int      // the most tokens of the reply; 0 leaves it to the server
	Temperature *float64 // nil leaves it to the server; 0 is sent as 0
	TopP        *float64 // as Temperature
	Effort      string   // reasoning effort; "" leaves it to the server

	CacheMarks []int // Chat: the messages that end a part to be cached, as indexes

	NoStreamOptions      bool   // Chat: do not ask for the usage
	CompletionTokens     bool   // Chat: MaxTokens is max_completion_tokens, not max_tokens
	NoEncryptedReasoning bool   // Responses: do not ask for the reasoning in an encrypted form
	Window               int    // Ollama: the window in tokens to run the model with; 0 leaves it to the server
	Think                any    // Ollama: true, false or a level; nil leaves it to the server
	KeepAlive            string // Ollama: how long the model stays loaded, "5m" or seconds; "" leaves it to the server
}

// Body is a request as it is posted. The same request always gives the same bytes.
func (f Format) RequestBody(r Request) ([]byte, error) {
	switch f {
	case Responses:
		return r.responses()
	case Ollama:
		return EncodeJSON(r.ollama())
	}
	return r.chat()
}

// Encode is JSON without the escapes for HTML, which only cost bytes, and without a final newline.
func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}
