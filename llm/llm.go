// Package llm talks to models. It knows URLs, headers, the JSON of providers, tokens and tools. It
// does not decide what a request holds and stores nothing.
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

// Request is one question to a model. Messages is a history.Plan's: the request sends exactly
// these, in this order, and adds none.
type Request struct {
	Model    string
	Messages []history.Message `json:"-"`
	Tools    []tool.Tool       `json:",omitempty"`
	// The tokens of the window that the server is asked to run; 0 leaves it to the server.
	Window      int      `json:",omitempty"`
	MaxTokens   int      `json:",omitempty"` // the most tokens of the reply; 0 leaves it to the server
	Temperature *float64 `json:",omitempty"` // nil leaves it to the server; 0 is sent as 0
	TopP        *float64 `json:",omitempty"`
	Effort      string   `json:",omitempty"` // reasoning effort, "" leaves it to the server
	CacheMarks  []int    `json:",omitempty"` // see Client.CacheMarks
}

// Event is one thing that happened while an answer arrived: TextDelta, ReasoningDelta, ToolDelta,
// UsageReport, Waiting or Finished. Every stream without an error ends with one Finished.
type Event any

// TextDelta is a piece of the answer: all of its text that has been read and not been given yet.
type TextDelta struct{ Text string }

// ReasoningDelta is a piece of the reasoning that the server shows.
type ReasoningDelta struct{ Text string }

// ToolDelta is a piece of a tool call. Index numbers the calls of one answer from 0; ID and Name
// come once, Arguments in pieces.
type ToolDelta struct {
	Index     int
	ID        string
	Name      string
	Arguments string
}

// UsageReport is what the server says that the request took. The last one of a stream counts.
type UsageReport struct{ pricing.Usage }

// Waiting says that the request failed before its first token and will be tried again.
type Retrying struct {
	Attempt     int           // the number of the coming try, from 2
	MaxAttempts int           // the most tries
	Delay       time.Duration // how long until then
	Err         *Error        // why
	Change      string        // how the coming try differs, such as "without temperature"; "" where it does not
	Request     *Request      // the request of the coming try where a value in it was refused; nil where it stays the same
}

// Finished ends a stream.
type Finished struct {
	Reason string          // the server's finish_reason as received, "" where it gave none
	End    StreamEnd       // how the stream ended
	Extra  json.RawMessage // unknown keys of the reply, merged, for replay to the same endpoint; nil for none
}

// End says how a stream ended.
type StreamEnd string

// The ways a stream ends.
const (
	EndDone   StreamEnd = "done"    // finish_reason or [DONE]: the answer is whole
	EndNoDone StreamEnd = "no-done" // the connection ended in order, but nobody said that the answer was over
	EndCutOff StreamEnd = "cut"     // the connection broke
)

// Wholeness is what a finish_reason says of an answer.
type FinishKind int

// What a finish_reason can say.
const (
	FinishUnknown  FinishKind = iota // none, or one that is not known
	FinishComplete                   // the model ended the answer
	FinishCut                        // something else did: a limit, a filter or a fault
)

// The finish reasons of Chat Completions servers, in lower case: those of OpenAI, and what others hand on of their
// own.
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

// WholenessOf is what a finish_reason says.
func FinishKindOf(reason string) FinishKind {
	switch reason = strings.ToLower(reason); {
	case slices.Contains(wholeReasons, reason):
		return FinishComplete
	case slices.Contains(cutReasons, reason):
		return FinishCut
	}
	return FinishUnknown
}

// Reply collects the events of one stream into the answer so far.
type Reply struct {
	Text      string             // the answer so far
	Reasoning string             // the reasoning so far
	Calls     []history.ToolCall // by index
	Usage     pricing.Usage      // -1 for what was not said; the last one said counts
	Finished  Finished           // zero until the stream finished

	text      strings.Builder
	reasoning strings.Builder
	arguments []*strings.Builder
	counted   bool
}

// Add takes the next event.
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

// call adds a piece to its call. The pieces of a long call cost no copy of what came before.
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
