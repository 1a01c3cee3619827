package llm

import (
	"slices"
	"strings"
)

// Wholeness is what a finish_reason says of an answer.
type Wholeness int

// What a finish_reason can say.
const (
	Unsaid Wholeness = iota // none, or one that is not known
	Whole                   // the model ended the answer
	Cut                     // something else did: a limit, a filter or a fault
)

// The finish reasons of Chat Completions servers, in lower case: those of OpenAI, and what others hand on of their own.
var (
	wholeReasons = []string{"stop", "tool_calls", "tool_call", "tool_use", "function_call", "end_turn", "stop_sequence", "eos", "completed"}
	cutReasons   = []string{
		"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded", "incomplete", "time_limit", // limits
		"content_filter", "safety", "recitation", "prohibited_content", "blocklist", "spii", "refusal", // filters
		"error", "abort", "aborted", "cancelled", "insufficient_system_resource", "malformed_function_call", "pause_turn", // faults
	}
)

// WholenessOf is what a finish_reason says.
func WholenessOf(reason string) Wholeness {
	switch reason = strings.ToLower(reason); {
	case slices.Contains(wholeReasons, reason):
		return Whole
	case slices.Contains(cutReasons, reason):
		return Cut
	}
	return Unsaid
}
