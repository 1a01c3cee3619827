package session

import (
	"winnow/history"
	"winnow/llm"
	"winnow/session/record"
	"winnow/session/store"
)

// Event is one thing that happened in a turn. The events of a turn come on one channel, in the
// order in which they happened; the last is always Finished, and then the channel closes.
type Event interface{ event() }

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

// Calling is a piece of a tool call as it arrives: Name comes once, Arguments in pieces.
type Calling struct {
	Slot            int
	Name, Arguments string
}

// Waiting says that the request failed before its first token and will be tried again.
type Waiting struct{ llm.Waiting }

// Asked wants the user's word before a tool runs. The turn waits until Allow was called once.
type Asked struct {
	Call  history.ToolCall
	Allow func(yes bool)
}

// Ran says that a tool ran and that its result is on disk.
type Ran struct{ Message store.Message }

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
// text is a sentence for the user.
type Finished struct{ Err error }

func (Stored) event()    {}
func (Planned) event()   {}
func (Delta) event()     {}
func (Calling) event()   {}
func (Waiting) event()   {}
func (Asked) event()     {}
func (Ran) event()       {}
func (Answered) event()  {}
func (Notice) event()    {}
func (Withdrawn) event() {}
func (Titled) event()    {}
func (Finished) event()  {}
