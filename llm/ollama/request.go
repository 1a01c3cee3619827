// Package ollama is the format of Ollama's own API: requests to /api/chat, and what the server says of
// itself and its models. It sends nothing.
package ollama

import (
	"encoding/json"
	"strconv"
)

// Request is the body of a request to /api/chat. The order of its fields is the order of the keys, so that the same
// request always gives the same bytes.
type Request struct {
	Model    string    `json:"model"`
	Messages []Message `json:"messages"`
	Tools    any       `json:"tools,omitempty"`
	Think    any       `json:"think,omitempty"` // true, false or a level; nil leaves it to the server
	Stream   bool      `json:"stream"`

	// A server that knows these two refuses a request that is longer than the window, and ends an answer that fills
	// it. The default is to drop the oldest messages and say nothing.
	Truncate bool `json:"truncate"`
	Shift    bool `json:"shift"`

	KeepAlive any      `json:"keep_alive,omitempty"` // as KeepAlive returns it
	Options   *Options `json:"options,omitempty"`    // nil for none
}

// Options are what the model runs with. A field that is left out is as the model's own file or the server has it.
type Options struct {
	NumCtx      int      `json:"num_ctx,omitempty"`     // the window in tokens; a new one loads the model again
	NumPredict  int      `json:"num_predict,omitempty"` // the longest reply in tokens
	Temperature *float64 `json:"temperature,omitempty"`
	TopP        *float64 `json:"top_p,omitempty"`
}

// Message is one message of a request.
type Message struct {
	Role       string   `json:"role"`
	Content    string   `json:"content"`
	Thinking   string   `json:"thinking,omitempty"`
	Images     [][]byte `json:"images,omitempty"` // base64 in JSON
	ToolCalls  []Call   `json:"tool_calls,omitempty"`
	ToolName   string   `json:"tool_name,omitempty"`    // the tool that a result is of
	ToolCallID string   `json:"tool_call_id,omitempty"` // newer servers read it
}

// Call is a tool call in a request.
type Call struct {
	ID       string   `json:"id,omitempty"` // newer servers read it
	Function Function `json:"function"`
}

// Function is what a call asks for.
type Function struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // an object: Ollama refuses anything else
}

// KeepAlive is how long the server keeps the model loaded, as a request has it: a duration such as "5m" as it is,
// a number as seconds, nil for "". A negative one keeps the model for good.
func KeepAlive(configured string) any {
	if configured == "" {
		return nil
	}
	if seconds, err := strconv.Atoi(configured); err == nil {
		return seconds
	}
	return configured
}
