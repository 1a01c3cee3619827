// Package watch passes the requests of other programs on to their servers, byte for byte, and reads copies of them: the
// blocks of a request, what its answer used, and the thread that it belongs to. It stores nothing, and sends no request
// of its own.
package watch

import (
	"time"

	"winnow/llm/pricing"
)

// Wire is the form of a request.
type Wire string

// The forms that are read. Any other request is passed on and is NotRead.
const (
	NotRead   Wire = ""
	Chat      Wire = "chat"      // Chat Completions
	Responses Wire = "responses" // OpenAI's Responses API
	Messages  Wire = "messages"  // Anthropic Messages
)

// Kind is what a block is.
type Kind string

// The kinds of blocks.
const (
	Tool      Kind = "tool" // the schema of a tool
	System    Kind = "system"
	User      Kind = "user"
	Assistant Kind = "assistant"
	Reasoning Kind = "reasoning"
	Call      Kind = "call"   // a tool call
	Result    Kind = "result" // of a tool call
	Image     Kind = "image"
)

// Block is the smallest part of a request that is compared: a tool, or one part of a message.
type Block struct {
	Kind Kind

	// Place is where it is in the body, as in messages[3].content[0].
	Place string

	// Message is the index of its message, -1 for tools and system prompts outside of messages.
	Message int

	// Name is that of the tool, also of the tool that a call or a result belongs to.
	Name string

	// ID is that of the tool call, in the call and in its result.
	ID string

	// Text is for people: the text, the arguments, or JSON, with encoded data cut short.
	Text string

	// The bytes [From, To) of the body are the block.
	From, To int

	// Key is equal for blocks that a server's cache cannot tell apart: a hash of the kind, of the rest of its message,
	// and of the JSON without cache_control, in which blanks and escapes make no difference.
	Key string

	TTL     string // of its cache_control: "5m" or "1h"; "" if it has none
	Unkeyed bool   // the server's cache ignores it
}

// Request is what a body asks for.
type Request struct {
	Wire  Wire
	Model string

	// Blocks are in the order in which servers read them: tools, system prompt, messages.
	Blocks []Block

	// Params are the model and other parameters that are part of the key of the server's cache, as compact JSON.
	Params map[string]string

	// Thread is the client's id of the conversation as the body names it, "" for none.
	Thread string

	// After is the id of the answer that it continues (previous_response_id), "" for none.
	After string

	// Retain is how long it asks the server to keep its cache, 0 for the server's default.
	Retain time.Duration
}

// CachedEnd returns the index of the last block that a request asks the server to keep, -1 for none. Only Anthropic's
// servers must be asked.
func (r Request) CachedEnd() int {
	end := len(r.Blocks) - 1
	for r.Wire == Messages && end >= 0 && r.Blocks[end].TTL == "" {
		end--
	}
	return end
}

// Answer is what a server answered.
type Answer struct {
	ID    string
	Model string
	Usage pricing.Usage
	Text  string // without reasoning and tool calls
	Stop  string // why it ended, as the server says it; "" if it did not end
	// Word is what the server itself says about its cache, such as a cache_miss_reason; "" for nothing.
	Word   string
	Failed string // the message of an error; "" for none
}

// Exchange is one request of a client with its answer. It never holds keys or account ids, because of the headers only
// those that its fields name are kept.
type Exchange struct {
	ID       int64     `json:"-"` // unique in this process
	At       time.Time // UTC
	Client   string    // the program that was started, or the first word of its User-Agent
	Upstream string    // the name of the server
	Method   string
	Path     string // below the upstream's base URL, without the query
	Thread   string // the client's id of the conversation as a header names it; "" for none

	Body     []byte `json:"-"` // as sent; cut off after llm.MaxBody
	Encoding string

	Status         int    // of the answer, 0 for none
	Answer         []byte `json:"-"`
	AnswerEncoding string
	AnswerType     string
	First          time.Duration // from the request to the first byte of the answer
	Took           time.Duration // to its last byte
	Err            string        // why it broke off; "" if it did not
	Cut            bool          // Body or Answer was longer than llm.MaxBody
}

// Recorder is told of each exchange. Its methods must not block, because a client waits.
type Recorder interface {
	Sent(Exchange)     // the request was received whole, or ended before; it was passed on
	Answered(Exchange) // the answer has ended; the same ID, without Body
}

// Upstream is a server that requests may be passed on to.
type Upstream struct {
	Name    string // "openai", "anthropic", or the name of a configured endpoint
	BaseURL string // OpenAI's includes /v1, Anthropic's does not
}

// Parts are the tokens of a request by what they are for.
type Parts struct {
	System  int
	Tools   int
	History int // user messages, answers, reasoning and tool calls
	Results int // of tool calls
	Images  int
}

// Sum returns all tokens.
func (p Parts) Sum() int { return p.System + p.Tools + p.History + p.Results + p.Images }

// PartsOf counts the tokens of a request by what they are for, without those that are not part of the prompt until they
// are asked for.
func PartsOf(r Request, count func(text string) int) Parts {
	n := map[Kind]int{}
	for _, b := range r.Blocks {
		if !b.Unkeyed {
			n[b.Kind] += count(b.Text)
		}
	}
	said := n[User] + n[Assistant] + n[Reasoning] + n[Call]
	return Parts{n[System], n[Tool], said, n[Result], n[Image]}
}
