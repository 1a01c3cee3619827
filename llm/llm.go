// Package llm talks to models over HTTP. It knows URLs, headers, the JSON of providers, tokens and tools. It does not
// decide what a request contains, and it stores nothing.
package llm

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/llm/tool"
)

// Request asks a model for an answer. Messages comes from a history.Plan; they are sent in this order, and no others
// are added.
type Request struct {
	Model    string
	Messages []history.Message `json:"-"`
	Tools    []tool.Tool       `json:",omitempty"`
	// The context window in tokens that the server is asked to allocate; 0 leaves it to the server.
	Window      int      `json:",omitempty"`
	MaxTokens   int      `json:",omitempty"` // maximum tokens of the reply; 0 leaves it to the server
	Temperature *float64 `json:",omitempty"` // nil leaves it to the server; 0 is sent as 0
	TopP        *float64 `json:",omitempty"`
	Effort      string   `json:",omitempty"` // reasoning effort, "" leaves it to the server
	CacheMarks  []int    `json:",omitempty"` // see Client.CacheMarks
}

// Event is something that happened while an answer arrived: a TextDelta, ReasoningDelta, ToolDelta, UsageReport,
// Retrying or Finished. A stream that ends without an error ends with exactly one Finished.
type Event any

// TextDelta is a piece of the answer. Text that arrived together is delivered as one piece.
type TextDelta struct{ Text string }

// ReasoningDelta is a piece of the reasoning, if the server shows it.
type ReasoningDelta struct{ Text string }

// ToolDelta is a piece of a tool call. Index numbers the calls of an answer from 0. ID and Name are sent once,
// Arguments in pieces.
type ToolDelta struct {
	Index     int
	ID        string
	Name      string
	Arguments string
}

// UsageReport is the usage that the server reports. If a stream has several, the last one counts.
type UsageReport struct{ pricing.Usage }

// Retrying reports that the request failed before its first token and will be sent again.
type Retrying struct {
	Attempt     int // the number of the next attempt, from 2
	MaxAttempts int
	Delay       time.Duration // time until the next attempt
	Err         *Error        // why the last attempt failed
	Change      string        // how the next attempt differs, such as "without temperature"; "" if it does not
	Request     *Request      // the next request if a value in it was refused; nil if it is unchanged
}

// Finished ends a stream.
type Finished struct {
	Reason string          // the server's finish_reason as received, "" for none
	End    StreamEnd       // how the stream ended
	Extra  json.RawMessage // unknown keys of the reply, to be sent back to the same endpoint; nil for none
}

// StreamEnd is the way a stream ended.
type StreamEnd string

// The ways a stream ends.
const (
	EndDone   StreamEnd = "done"    // with a finish_reason or [DONE]
	EndNoDone StreamEnd = "no-done" // the server closed the connection without either
	EndCutOff StreamEnd = "cut"     // the connection was lost
)

// FinishKind classifies a finish_reason.
type FinishKind int

// The kinds of finish reasons.
const (
	FinishUnknown  FinishKind = iota // no reason, or an unknown one
	FinishComplete                   // the model ended the answer itself
	FinishCut                        // a limit, a filter or a failure ended it
)

// The finish reasons of Chat Completions servers, in lower case: OpenAI's, and those that other servers pass on from
// their own backends.
var (
	wholeReasons = []string{
		"stop", "tool_calls", "tool_call", "tool_use", "function_call", "end_turn", "stop_sequence", "eos", "completed",
	}
	cutReasons = []string{
		// limits
		"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded", "incomplete",
		"time_limit",
		// filters
		"content_filter", "safety", "recitation", "prohibited_content", "blocklist", "spii", "refusal",
		// faults
		"error", "abort", "aborted", "cancelled", "insufficient_system_resource", "malformed_function_call",
		"pause_turn",
	}
)

// FinishKindOf classifies a finish_reason, ignoring case.
func FinishKindOf(reason string) FinishKind {
	switch reason = strings.ToLower(reason); {
	case slices.Contains(wholeReasons, reason):
		return FinishComplete
	case slices.Contains(cutReasons, reason):
		return FinishCut
	}
	return FinishUnknown
}

// Reply accumulates the events of one stream.
type Reply struct {
	Text      string             // the answer so far
	Reasoning string             // the reasoning so far
	Calls     []history.ToolCall // in the order of their indexes
	Usage     pricing.Usage      // the last report; -1 for what was not reported
	Finished  Finished           // zero until the stream has finished

	text      strings.Builder
	reasoning strings.Builder
	arguments []*strings.Builder
	counted   bool
}

// Add adds the next event of the stream.
func (r *Reply) Add(event Event) {
	if !r.counted {
		r.Usage, r.counted = pricing.NoUsage(), true
	}
	switch e := event.(type) {
	case TextDelta:
		r.text.WriteString(e.Text)
		r.Text = r.text.String() // No copy: the builder's own bytes.
	case ReasoningDelta:
		r.reasoning.WriteString(e.Text)
		r.Reasoning = r.reasoning.String()
	case ToolDelta:
		r.call(e)
	case UsageReport:
		r.Usage = e.Usage
	case Finished:
		r.Finished = e
	}
}

// call appends a piece to its tool call. The builders keep a long call from being copied for each piece.
func (r *Reply) call(d ToolDelta) {
	for d.Index >= len(r.Calls) {
		r.Calls = append(r.Calls, history.ToolCall{})
		r.arguments = append(r.arguments, new(strings.Builder))
	}
	call := &r.Calls[d.Index]
	if call.ID == "" {
		call.ID = d.ID
	}
	if call.Name == "" {
		call.Name = d.Name
	}
	r.arguments[d.Index].WriteString(d.Arguments)
	call.Arguments = r.arguments[d.Index].String()
}
