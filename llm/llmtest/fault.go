package llmtest

import (
	"net"
	"slices"
	"time"
)

// Stage is when in a turn something goes wrong.
type Stage string

// The stages of a turn, in the order in which they happen. Window, Prices and Plan are questions to the server that
// carry no conversation or want no answer to it; Connect to End are moments of the request for an answer, in which
// they follow each other; the last three are requests of their own.
const (
	Window    Stage = "window"     // the question how large the model's window is
	Prices    Stage = "prices"     // the question what the model costs
	Plan      Stage = "plan"       // the question how many tokens a request has, where the server counts
	Connect   Stage = "connect"    // before the request is sent
	Headers   Stage = "headers"    // before a byte of the answer
	FirstByte Stage = "first byte" // after the headers, before anything of the answer
	Text      Stage = "text"       // after half of the text
	Reasoning Stage = "reasoning"  // after half of the reasoning
	Calls     Stage = "tool call"  // after half of a call's arguments
	End       Stage = "end"        // after the finish reason
	AfterTool Stage = "tool round" // in the request that carries a tool's result
	Title     Stage = "title"      // in the request for a title
	Summary   Stage = "summary"    // in the request for a summary
)

// Fault is something that a server, or what is between it and winnow, does wrong. Exactly one of Dial, Conn, Status
// and Stream says what; a Stream may be empty.
type Fault struct {
	Name string
	What string // for people, as part of a sentence

	// Before an answer. In Header and Body the words {P} and {L} stand for the request's tokens and a window that is
	// too small for them, and {http-date}, {rfc3339}, {epoch} and {epoch-ms} for the time in five seconds.
	Dial   error          // the connection cannot be opened
	After  time.Duration  // how long that, or the headers, take
	Conn   func(net.Conn) // what the server does on a connection in the place of an answer
	TLS    bool           // the address is https
	Status int            // the answer is this status
	Header []string       // with these headers: names and values in turn
	Body   string         // and this body

	// In an answer that began. The server writes what belongs before the stage, then Stream, and ends as End says.
	Stream string
	End    Ending
	Whole  bool // Stream is the whole answer: nothing belongs before it

	At    []Stage // where it can happen; nil is every stage of its kind
	Times int     // how many requests it hits; 0 is all
	While string  // it hits requests that hold this text alone
	Own   bool    // the server is one of the user's own
	Past  bool    // a long conversation comes before the turn
	Lead  bool    // a test acts it out at every stage, not at the first one alone
}

// Ending is how the bytes of an answer end.
type Ending string

// The endings.
const (
	GoesOn Ending = ""      // the rest of a sound answer follows
	Closes Ending = "close" // the body is over, in order
	Cuts   Ending = "cut"   // the connection is reset
	Hangs  Ending = "hang"  // nothing comes any more, and the connection stays open
)

// Stages lists where the fault can happen.
func (f Fault) Stages() []Stage {
	if f.At != nil {
		return f.At
	}
	asked := []Stage{AfterTool, Title, Summary}
	questions := []Stage{Window, Prices, Plan}
	switch {
	case f.Dial != nil, f.Conn != nil:
		return slices.Concat(questions, []Stage{Connect}, asked)
	case f.Status != 0:
		return slices.Concat(questions, []Stage{Headers}, asked)
	case f.Whole:
		return slices.Concat([]Stage{FirstByte}, asked)
	}
	return slices.Concat([]Stage{FirstByte, Text, Reasoning, Calls, End}, asked)
}
