package session

import (
	"winnow/history"
	"winnow/llm"
	"winnow/session/approval"
	"winnow/session/limits"
	"winnow/session/record"
	"winnow/session/store"
)

// Event is one thing that happened in a turn. The events of a turn come on one channel, in the
// order in which they happened; the last is always Finished, and then the channel closes.
type Event any

// Stored says that the user's message is on disk. From here on the composer may let go of it.
type Stored struct{ Message store.Message }

// Planned says what the request that leaves now holds.
type Planned struct {
	Plan     history.Plan
	Request  store.Request
	Forecast record.Forecast // with the requests before it
}

// Delta is a piece of the answer as it arrives.
type Delta struct{ Text, Reasoning string }

// Calling is a piece of a tool call as it arrives.
type Calling = llm.ToolDelta

// Waiting says that the request failed before its first token and will be tried again.
type Waiting struct{ llm.Retrying }

// Asked wants the user's word before a tool runs. The turn waits until Answer was called once. A choice that the
// question does not offer is taken as no.
type Asked struct {
	Question
	Answer func(approval.Answer)
}

// Question is what the user is asked about a tool call before it runs.
type Question struct {
	Call       history.ToolCall  // as received
	Server     string            // the MCP server that has the tool, "" for none
	Reach      string            // a sentence about what the call can reach, "" for winnow itself
	Arguments  history.Arguments // what would run
	Number, Of int               // which of the answer's calls it is, from 1
	// Why it is asked about where the tool runs without asking otherwise, "" for nothing of the kind.
	Reason  approval.Reason
	Choices []approval.Choice // what may be answered beside no
}

// OverLimit wants the user's word before a request is sent that would exceed a limit. The turn waits until
// Answer was called once.
type OverLimit struct {
	Over   limits.Over
	For    store.Purpose // what the request is for
	Answer func(limits.Answer)
}

// Running says that a tool runs from now on.
type Running struct {
	Name   string
	Server string // the MCP server that has it, "" for none
}

// Progress says how far the tool that runs is, in a few words of its own.
type Progress struct{ Text string }

// Ran says what became of a tool call, and that its result is on disk.
type Ran struct {
	Call    history.ToolCall // as received
	Message store.Message    // the result
	Record  approval.Record
}

// Answered says that an answer, whole or interrupted, is on disk.
type Answered struct {
	Message store.Message
	Receipt record.Receipt
}

// Notice is something winnow did by itself that the user must know, as a sentence.
type Notice struct{ Text string }

// Withdrawn says that the server read some requests whole after all: their receipts said otherwise.
type Withdrawn struct{ Requests []int64 }

// Titled says that the conversation got a title of its own.
type Titled struct{ Title string }

// Finished ends a turn. Err is nil after an answer and after a stop: to stop is not an error. Its
// text is a sentence for the user. Failure is set where the turn failed with its message stored.
type Finished struct {
	Err     error
	Failure *record.FailedTurn
}
