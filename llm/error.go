package llm

import (
	"context"
	"time"

	"winnow/llm/keys"
)

// ErrorKind says what went wrong, as far as a caller acts on it. It is an error so that errors.Is finds it.
type ErrorKind string

// The kinds of an Error.
const (
	Auth       ErrorKind = "auth"        // the key was refused, or none was sent
	Payment    ErrorKind = "payment"     // no credit left
	NotFound   ErrorKind = "not-found"   // the model is not known, or the address does not provide this API
	RateLimit  ErrorKind = "rate-limit"  // too many requests or tokens for now
	Overflow   ErrorKind = "overflow"    // the request is longer than the model's window
	BadRequest ErrorKind = "bad-request" // the server does not take this request
	Server     ErrorKind = "server"      // the server failed
	Refused    ErrorKind = "refused"     // nothing listens at the address
	Network    ErrorKind = "network"     // the server cannot be reached
	TimedOut   ErrorKind = "timed-out"   // the server was silent for too long
	BadStream  ErrorKind = "bad-stream"  // the answer is not one of a chat API
	Broken     ErrorKind = "broken"      // the connection broke while the answer arrived
	Endless    ErrorKind = "endless"     // the answer grew beyond LargestAnswer
	Stopped    ErrorKind = "stopped"     // the caller's context ended: not a failure
)

// Error makes a kind a target for errors.Is: errors.Is(err, llm.Overflow).
func (k ErrorKind) Error() string { return string(k) }

// Error is everything that is known about a request that failed. Its text is one sentence for
// the user. No field holds the endpoint's key, even where the server sent it back.
type Error struct {
	Kind     ErrorKind
	Status   int           // the HTTP status, 0 for none
	Message  string        // the server's own words, "" for none
	Body     string        // as received, at most 64 KiB
	Wait     time.Duration // what the server asked for, 0 for nothing
	Limit    int           // overflow: the window in tokens, 0 where not said
	Prompt   int           // overflow: the request's tokens, 0 where not said
	AtLeast  bool          // overflow: the request has Prompt tokens or more
	Output   int           // overflow: the reply's tokens that were asked for, 0 where not said
	Endpoint string        // the endpoint's name
	Address  string        // where it is, for people
	KeyFrom  keys.Origin   // where the key comes from
	Model    string
	Silence  time.Duration // timed-out: how long nothing came
	Unsent   bool          // stopped: the try that was waited for did not leave
	Replan   bool          // the refusal taught how the model wants its history: planned again, the request may pass
	Tools    ToolCause     // whether tool calls in the request are the reason
	Err      error         // what lies beneath, nil for none

	wire     Wire // the format of the request
	noKey    bool // the request carried no key
	taker    bool // a key that winnow keys set stores would be sent
	unread   bool // the key is stored and could not be read: nothing was sent
	page     bool // the body is a web page
	redirect bool // the server points to another address, which is Message
	final    bool // trying again cannot help, whatever the status says
}

// Is reports whether target is the kind of the error.
func (e *Error) Is(target error) bool { return target == e.Kind }

// Unwrap gives what lies beneath.
func (e *Error) Unwrap() error { return e.Err }

// Retryable says that the same request may succeed later: the server was busy, failing or
// not reached. It is false where the same request would fail the same way.
func (e *Error) Retryable() bool {
	if e.final {
		return false
	}
	switch e.Kind {
	case Refused, Network, Broken:
		return true
	case RateLimit, Server, TimedOut:
		return e.Status == 0 || e.Status == 408 || e.Status == 409 || e.Status == 429 || e.Status >= 500
	case BadRequest:
		return e.Status == 408 || e.Status == 409
	}
	return false
}

// Unreached says that the server could not be talked to at all: nothing listens, it did not answer, or it
// refused the key.
func (e *Error) Unreached() bool {
	switch e.Kind {
	case Refused, Network, TimedOut, Auth, Payment:
		return true
	}
	return false
}

// stopped is the error of a caller's context that ended.
func stopped(ctx context.Context) *Error {
	return &Error{Kind: Stopped, Err: ctx.Err()}
}
