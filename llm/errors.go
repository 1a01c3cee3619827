package llm

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
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
	Empty      ErrorKind = "empty"       // the answer has nothing in it
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
	Model    string
	Unsent   bool      // stopped: the try that was waited for did not leave
	Replan   bool      // the refusal taught how the model wants its history: planned again, the request may pass
	Tools    ToolCause // whether tool calls in the request are the reason
	Err      error     // what lies beneath, nil for none

	say    string // what failed, with {words} to be filled in; "" is the sentence of the kind
	advice string // what to do about it, "" for nothing
	final  bool   // trying again cannot help, whatever the status says
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

// sentences say what failed, by kind.
var sentences = map[ErrorKind]string{
	Auth:       "{who} rejected the API key{status}",
	Payment:    "{who} requires payment{status}",
	NotFound:   "{where} does not provide this API{status}",
	RateLimit:  "{who} reports a rate limit{status}{wait}",
	Overflow:   "the request is too long for {model}{status}",
	BadRequest: "{who} refused the request{status}",
	Server:     "{who} failed{status}{wait}",
	Refused:    "nothing answers at {where} (connection refused); is the server running?",
	Network:    "{where} cannot be reached",
	TimedOut:   "{where} did not answer in time",
	BadStream:  "{who} sent a response that is not a chat completion{status}",
	Empty:      "the model answered nothing{status}",
	Broken:     "the connection to {who} was lost before the answer was complete",
	Endless:    "the answer of {who} exceeded 16 MiB and was cut off",
	Stopped:    "stopped",
	"":         "{who} did not answer{status}",
}

// what says what failed.
func (e *Error) what() string {
	say := cmp.Or(e.say, sentences[e.Kind])
	switch {
	case e.Tools == TheTools:
		say = "{who} does not accept the tool calls in this conversation{status}"
	case e.Kind != Overflow || e.Limit == 0:
	case e.Prompt == 0:
		say = "the request is too long for {model}: its window holds {limit} tokens"
	case e.Output > 0 && e.Prompt <= e.Limit:
		say = "the request and its reply are too long for {model}: " +
			"{prompt} tokens and {output} for the reply, and the window holds {limit}"
	default:
		say = "the request is too long for {model}: {prompt} tokens, and the window holds {limit}"
	}
	where := cmp.Or(e.Address, e.Endpoint, "the server")
	status, wait := "", ""
	if e.Status != 0 {
		status = " (" + strconv.Itoa(e.Status) + ")"
	}
	if e.Wait > 0 {
		wait = " and asks to wait " + e.Wait.Round(time.Millisecond).String()
	}
	return strings.NewReplacer(
		"{who}", cmp.Or(e.Endpoint, where), "{where}", where, "{model}", cmp.Or(oneLine(e.Model, 80), "the model"),
		"{status}", status, "{wait}", wait,
		"{prompt}", comma(e.Prompt), "{output}", comma(e.Output), "{limit}", comma(e.Limit),
	).Replace(say)
}

// Error says to the user what failed, then what the server wrote, then what to do.
func (e *Error) Error() string {
	words := e.Words()
	switch {
	case words == "":
		return e.WithoutWords()
	case e.advice == "":
		return e.what() + ": " + words
	}
	return e.what() + ": " + strings.TrimSuffix(words, ".") + ". " + strings.ToUpper(e.advice[:1]) + e.advice[1:]
}

// WithoutWords is the text of the error without the server's own words.
func (e *Error) WithoutWords() string {
	if e.advice == "" {
		return e.what()
	}
	return e.what() + "; " + e.advice
}

// Words are the server's own words that the error's text quotes: "" for none, and where winnow says the same.
func (e *Error) Words() string {
	if e.Kind == Refused || e.Kind == Stopped || e.Kind == Overflow && e.Limit > 0 {
		return ""
	}
	return oneLine(e.Message, sentenceMax)
}

// sentenceMax is how much of a server's own words goes into a sentence, in code points. All of
// them stay in Error.Message.
const sentenceMax = 300

// oneLine makes foreign text fit for a sentence: white space becomes single spaces, control and
// format characters, with which a server could move the cursor, go, and a long text is cut.
func oneLine(text string, limit int) string {
	text = strings.ToValidUTF8(text[:min(len(text), limit*8)], "\uFFFD")
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.C, r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:limit])) + " …"
}

func comma(n int) string { return humanize.Comma(int64(n)) }
