// Package watch keeps the requests that other programs sent, in a file of its own, and compares them: what each request
// has in common with the one before it in its conversation, and why a server's cache was not used.
package watch

import (
	"winnow/llm/pricing"
	"winnow/llm/watch"
)

// Verdict is what became of a block since the request before.
type Verdict string

// The verdicts.
const (
	New       Verdict = "new"
	Same      Verdict = "same"
	Cut       Verdict = "cut"       // the same block with less of its text
	Rewritten Verdict = "rewritten" // another text in its place
	Moved     Verdict = "moved"     // the same text at another place
	Gone      Verdict = "gone"      // no longer sent
)

// Lane is the part that a request plays in its conversation. Only requests of the same lane are compared.
type Lane string

// The lanes.
const (
	Main     Lane = ""
	Subagent Lane = "subagent"
	Title    Lane = "title"   // asks for a title
	Summary  Lane = "summary" // asks for a summary of the conversation
	Side     Lane = "side"    // any other short request beside the conversation
	Retry    Lane = "retry"   // the same bytes again
)

// Request is one recorded request as lists show it. Its JSON is what commands print.
type Request struct {
	watch.Exchange // without Body and Answer; Thread is the same for all requests of a conversation

	ID     int64
	Wire   watch.Wire // "" if it was not read
	Model  string
	Lane   Lane
	Pinned bool

	// Before is the request that it is compared with, 0 for none.
	Before int64

	// Hash is that of the body as it was sent.
	Hash string

	Answered bool
	AnswerID string

	// Failed is the server's error, or why the answer broke off.
	Failed string

	// Stop is why the answer ended, as the server says it.
	Stop string

	// Tokens are counted by winnow.
	Tokens watch.Parts

	// Usage is counted by the server; -1 where it says nothing.
	Usage pricing.Usage
	Cost  pricing.Cost

	// Verdicts are the tokens of the blocks.
	Verdicts map[Verdict]int

	// Break says that the server's cache was not used; nil if it was.
	Break *Break

	// Word is what the server itself says about its cache.
	Word string

	// Damage is what winnow would repair in its tool calls, as sentences.
	Damage []string

	// Unread are the expected tokens, if the server counted far fewer; else 0.
	Unread int
}

// Class is who caused a cache break. A class is never guessed from another.
type Class string

// The classes.
const (
	ByClient Class = "client" // the request differs within what the server had cached
	ByTime   Class = "time"   // nothing differs, but the cache had expired
	ByServer Class = "server" // neither a difference nor time explains it: the server's, or unknown
)

// Break says why a request was not read from the server's cache although its beginning had been sent before.
type Break struct {
	Class  Class
	Place  string // of the first block that differs, or the name of a parameter
	What   string // what happened: tools[14] (Bash): rewritten
	Same   int    // tokens before the first difference
	Missed int    // tokens that had been read before, and were not read from the cache now

	Extra pricing.Money // what that cost more than a hit; 0 if unknown
}

// View is one request compared with another, block by block.
type View struct {
	Request Request
	Against *Request   // nil for the first of its conversation
	Head    string     // the comparison in one sentence
	Blocks  []Compared // in the order of the request; gone ones where they were
	Params  []string   // keyed parameters that differ, as sentences
	Answer  watch.Answer
}

// Compared is a block with its verdict.
type Compared struct {
	watch.Block
	Verdict Verdict
	Tokens  int          // counted by winnow; of Was if it is gone
	Was     *watch.Block // the block before, unless it is new or the same
	Reason  string       // the verdict's reason in a few words
}

// Hit is a block that contains a searched text.
type Hit struct {
	Request Request
	Place   string
	Snippet string // the text around the first match, on one line
}
