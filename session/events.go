package session

import (
	"winnow/history"
	"winnow/llm"
	"winnow/session/approval"
	"winnow/session/limits"
	"winnow/session/record"
	"winnow/session/store"
)

// Event is something that happened in a turn. The events of a turn come on one channel, in the order in which they
// happened. The last one is always Finished, after which the channel is closed.
type Event any

// MessageStored reports that the user message is on disk. The composer can discard its draft now.
type MessageStored struct{ Message store.Message }

// Planned describes the request that is about to be sent.
type Planned struct {
	Plan     history.Plan
	Request  store.Request
	Forecast record.Forecast // compared with the earlier requests
}

// Delta is a piece of the answer.
type Delta struct{ Text, Reasoning string }

// ToolCallDelta is a piece of a tool call.
type ToolCallDelta = llm.ToolDelta

// Retrying reports that the request failed before the first token and will be sent again.
type Retrying struct{ llm.Retrying }

// ApprovalNeeded asks the user whether a tool call may run. The turn waits until Answer has been called once. A choice
// that the question does not offer counts as no.
type ApprovalNeeded struct {
	ToolQuestion
	Answer func(approval.Answer)
}

// ToolQuestion is what the user is asked before a tool call runs.
type ToolQuestion struct {
	Call       history.ToolCall          // as received
	Server     string                    // the MCP server of the tool, "" for none
	Reach      string                    // a sentence about what the call can access, "" for a built-in tool
	Arguments  history.RepairedArguments // as the tool would get them
	Number, Of int                       // position among the calls of the answer, from 1
	// Reason is why the user is asked although the tool usually runs without asking; "" if it does not.
	Reason  approval.Reason
	Choices []approval.Choice // the possible answers besides no
}

// LimitExceeded asks the user whether a request that would exceed a limit is sent. The turn waits until Answer has been
// called once.
type LimitExceeded struct {
	Over   limits.OverLimit
	For    store.Purpose // what the request is for
	Answer func(limits.Answer)
}

// ToolStarted reports that a tool call starts to run.
type ToolStarted struct {
	Name   string
	Server string // the MCP server of the tool, "" for none
}

// ToolProgress is the progress of the running tool, in the tool's own words.
type ToolProgress struct{ Text string }

// ToolFinished reports the outcome of a tool call. The result is on disk.
type ToolFinished struct {
	Call    history.ToolCall // as received
	Message store.Message    // the result
	Record  approval.CallRecord
}

// AnswerStored reports that an answer, complete or interrupted, is on disk.
type AnswerStored struct {
	Message store.Message
	Receipt record.Receipt
}

// Notice is a sentence about something that winnow did on its own.
type Notice struct{ Text string }

// CutWithdrawn reports that the server did read these requests whole, although their receipts say otherwise.
type CutWithdrawn struct{ Requests []int64 }

// Titled reports that the conversation got its first title.
type Titled struct{ Title string }

// Finished ends a turn. Err is nil after an answer and after a stop, which is not an error; its text is a sentence for
// the user. Failure is set if the turn failed after its message was stored.
type Finished struct {
	Err     error
	Failure *record.FailedTurn
}
