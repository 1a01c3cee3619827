package history

import (
	"math"
	"slices"

	"winnow/history/cause"
)

// TokenCounter counts the tokens of a text.
type TokenCounter func(text string) int

// Flag is a choice that the user made for one message.
type Flag string

// The flags of a message. They are never set automatically.
const (
	Pin     Flag = "pin"     // always sent whole
	Exclude Flag = "exclude" // never sent, with its whole tool group
)

// Options holds everything except the history that decides a request.
type Options struct {
	Policy   Policy
	System   string           `json:",omitempty"` // the system prompt, "" for none
	Turn     []Message        `json:"-"`          // the current message, then what the running turn added
	Flags    map[int64]Flag   `json:",omitempty"` // by Message.ID
	Remedies map[int64]Remedy `json:",omitempty"` // by Message.ID of a damaged message or one of its tool group
	// Summaries that may replace older messages if not everything fits. The first usable one is taken.
	Summaries []Summary `json:",omitempty"`
	// Message.ID of an answer whose calls wait for the user's approval, and so rightly have no results; 0 for none.
	Pending int64        `json:",omitempty"`
	Scope   *Scope       `json:",omitempty"` // limits the request to some messages of the history; nil for all
	Tools   int          `json:",omitempty"` // tokens of the serialised tool schemas
	Window  int          `json:",omitempty"` // the model's context window in tokens; 0 if unknown
	Limit   int          `json:",omitempty"` // upper limit of the whole request in the server's tokens; 0 for none
	Ratio   float64      `json:",omitempty"` // learned ratio of the server's tokens to counted ones; 0 if unknown
	Profile Profile      // what the endpoint requires of the messages
	To      Origin       // the model that is asked; server-specific keys of an answer return only to its origin
	Count   TokenCounter `json:"-"` // counts tokens; nil assumes one token per four bytes

	// CutCurrent is the user's choice to cut the current message if the request does not fit otherwise.
	CutCurrent bool `json:",omitempty"`
}

// Scope limits a request to some messages of the history. No others are sent in any form, and no marker mentions them.
type Scope struct {
	For      cause.Code // why the other messages are left out
	Messages IDRanges   // none for a request without history
}

// Reasons to limit a request to some messages.
const (
	ForAlone   = cause.Alone         // the user sends a message without the conversation before it
	ForSummary = cause.OtherMessages // a model is asked to summarize these messages
	ForTitle   = cause.Title         // a model is asked for a title of these messages
)

// narrowed reports whether a code means that a message is outside the scope of the request. The code cause.Invalid
// means that the request would not be valid with any of the history.
func narrowed(code cause.Code) bool {
	switch code {
	case cause.Alone, cause.OtherMessages, cause.Title, cause.Invalid:
		return true
	}
	return false
}

// Profile is what an endpoint requires of the messages beyond the strict form that every request has.
type Profile struct {
	// neighbouring messages of one role are merged
	MergeSameRole bool `json:",omitempty"`
	// a short assistant message is inserted between a tool result and a user message
	NoToolToUser bool `json:",omitempty"`
	// tool call ids have exactly this many letters and digits; 0 is any
	ToolIDLength int `json:",omitempty"`
	// in turns that called tools, the model's reasoning is sent back to it
	EchoReasoning bool `json:",omitempty"`
	// the endpoint refuses the extra keys of its own answers
	NoReplay bool `json:",omitempty"`
	// the model does not support tools: past calls are sent as text, and no tools are offered
	NoTools bool `json:",omitempty"`
	// the endpoint refuses tool calls in requests: all are sent as text, including those of the running turn
	ToolsAsText bool `json:",omitempty"`
	// the model does not support images: a note replaces each
	NoImages bool `json:",omitempty"`
}

// Plan is one planned request: the messages to send, and what became of every message and why. The panel, the
// inspector, the receipt, winnow context and the request body all come from it.
type Plan struct {
	Messages   []Message   // the messages to send in order, the system prompt first
	Entries    []Entry     // one per message of the history, then one per stored message of the turn, in order
	Added      []AddedText // text that winnow added: markers, placeholder results, the frame of the recalled block
	Spans      []EntrySpan // where the text of each entry is in Messages, ordered by message
	Sum        TokenSum    // how many tokens each part takes
	NextToDrop []int       // indexes into Entries of the messages that lose text first, together, if the request grows
	Unchanged  int         // how many of the first Messages stay the same when NextToDrop loses its text
	Rules      int         // the RulesVersion that made this plan
	Summary    *Summary    // the usable one of Options.Summaries, whether it is sent or not; nil for none

	toolGroups map[int][]int // see ToolGroup
}

// Disposition is what became of a message. Each message has exactly one.
type Disposition string

// The dispositions. Pinned or repaired messages are kept or cut as well: see Entry.
const (
	Kept       Disposition = "kept"        // sent whole in its place
	Cut        Disposition = "cut"         // sent shortened in its place
	Dropped    Disposition = "dropped"     // not sent: over the budget, over a limit, or left out by the preset
	Recalled   Disposition = "recalled"    // sent because the current message is related to it
	Excluded   Disposition = "excluded"    // not sent: excluded by the user
	Unreadable Disposition = "quarantined" // not sent: the stored message cannot be read, or its role is unknown
	Blank      Disposition = "blank"       // not sent: it is empty
)

// DetailLevel is how much of a message a request holds.
type DetailLevel int

// The detail levels, in rising order.
const (
	LevelOut       DetailLevel = iota // L0: not sent
	LevelShortened                    // L1: cut to the limits of the policy
	LevelBrief                        // L1r: like L1, but assistant messages up to AssistantRecallChars stay whole
	LevelWhole                        // L2
)

// Entry is the verdict on one message. TokensBefore and TokensAfter are winnow's own counts, which TokenSum.Tokens
// converts to the server's. Characters are Unicode code points.
type Entry struct {
	ID          int64
	Index       int         `json:",omitempty"` // the message's position in the conversation, from 0
	Role        Role        `json:",omitempty"`
	Disposition Disposition `json:",omitempty"`
	Level       DetailLevel `json:",omitempty"` // the highest level at which the request holds the message
	// Place is the level in the message's own place. It is lower than Level if the block of recalled texts holds more.
	Place        DetailLevel `json:",omitempty"`
	Cause        Cause       `json:",omitzero"`  // the reason for the disposition
	Pinned       bool        `json:",omitempty"` // pinned by the user
	Whole        bool        `json:",omitempty"` // all of its text is in the request
	Recalled     bool        `json:",omitempty"` // recall added the message, or more of its text
	TokensBefore int         `json:",omitempty"` // cost of the whole message
	TokensAfter  int         `json:",omitempty"` // cost of what this request holds of it
	CharsBefore  int         `json:",omitempty"` // length of its text
	CharsAfter   int         `json:",omitempty"` // how much of that text is sent
	Cuts         []CharRange `json:",omitempty"` // code points of its text that are not sent
	Inserted     []Insertion `json:",omitempty"` // text that winnow put in or around it
	Repairs      []Repair    `json:",omitempty"` // what was repaired
}

// Sent reports whether the request holds the message or a part of it.
func (e Entry) Sent() bool {
	return e.Disposition == Kept || e.Disposition == Cut || e.Disposition == Recalled
}

// DroppedByLimit reports whether the message is not sent because it does not fit or is over a limit of the policy. It
// is false for messages that cannot be sent, that the user left out, or that are outside the scope of the request:
// older messages than those may still be sent.
func (e Entry) DroppedByLimit() bool {
	switch e.Cause.Code {
	case cause.Duplicate, cause.Trailing, cause.ToolsLeftOut, cause.Alone, cause.OtherMessages, cause.Title:
		return false
	}
	return e.Disposition == Dropped && !e.LeftOutByUser()
}

// LeftOutByUser reports whether the user chose to leave out the damaged message, or the damaged tool call that it
// belongs to.
func (e Entry) LeftOutByUser() bool {
	return e.Cause.Code == cause.LeftOut || e.Cause.Code == cause.LeftOutGroup
}

// CharRange is a half-open range of code points of a message's text.
type CharRange struct{ From, To int }

// Insertion is text that winnow added to the text of a message, before code point At of the original.
type Insertion struct {
	At   int
	Text string
}

// AddedText is a text of a request that belongs to no message of the conversation.
type AddedText struct {
	Kind   AddedKind
	Before int // index into Plan.Messages of the message that holds it
	From   int `json:",omitempty"` // byte range of it in the content of that message: From up to To
	To     int `json:",omitempty"`
	At     int // index into Plan.Entries of the message it is in or in front of; at most len(Entries)
	Text   string
	Tokens int
	Cause  Cause // why it was added
}

// TokenSum says where the tokens of a request go. The parts and their sum, Total, are winnow's own counts, which Tokens
// converts to the server's; all other numbers of tokens are the server's. Total * Ratio never exceeds Limit.
type TokenSum struct {
	System   int     // the system prompt
	Tools    int     // the tool schemas
	Pinned   int     // pinned messages
	Body     int     // the other messages that are sent in their place
	Recalled int     // the block of recalled texts
	Draft    int     // the current message and what the running turn added
	Added    int     // markers, placeholder results and other added texts
	Frame    int     // the chat format around the messages
	Total    int     // all of the above
	Reserve  int     // kept free in the window for the reply; 0 if the window is unknown
	Window   int     // the model's window; 0 if unknown
	Budget   int     // the budget that the user set; 0 is automatic
	Limit    int     // upper limit of the request, set by Bound
	Bound    Bound   // what sets Limit
	Ratio    float64 // the server's tokens per counted token, 1 if unknown
	Margin   float64 // share of the window kept free for counting errors: 0.03 or 0.10
	Sent     int     // messages of the history that are in the request
	Stored   int     // messages of the history
}

// EntrySpan locates the text of an entry in a request: a byte range of the content of one message. A message without
// text, such as an answer that only calls tools, has an empty span.
type EntrySpan struct {
	Entry    int // index into Plan.Entries, -1 for the draft
	Message  int // index into Plan.Messages
	From, To int
	Recalled bool // in the block of recalled texts, including its label
	Calls    bool // the tool calls of the entry are written out in it
}

// EntryByID returns the entry of the message with an id. It searches from the end, where new messages are.
func (p Plan) EntryByID(message int64) (Entry, bool) {
	for _, e := range slices.Backward(p.Entries) {
		if e.ID == message {
			return e, true
		}
	}
	return Entry{}, false
}

// ToolGroup returns the positions, in rising order, of the messages that are sent or left out together with the one at
// position i: a message that calls tools and the results of its calls, or the message alone. Duplicate results and
// results that the user left out belong to the group, although they are never sent. A flag on one message applies to
// its whole group. Messages of the running turn are each a group of their own.
func (p *Plan) ToolGroup(i int) []int { return toolGroupOf(p.toolGroups, i) }

// EntriesByMessage returns, for each message of the request, the indexes of the entries whose text it holds, in order.
// A merged message has several; the system prompt and added messages have none. Recalled texts do not count.
func (p Plan) EntriesByMessage() [][]int {
	shown := make([][]int, len(p.Messages))
	for _, s := range p.Spans {
		if s.Entry < 0 || s.Recalled || p.Entries[s.Entry].Role == System {
			continue
		}
		shown[s.Message] = append(shown[s.Message], s.Entry)
	}
	return shown
}

// SpansFor returns the spans of the plan with indexes into other entries of the same messages, such as those of a
// record. Entries are matched by ID. Spans of messages that the other entries lack or do not send are left out.
func (p Plan) SpansFor(entries []Entry) []EntrySpan {
	at := map[int64]int{}
	for i := range entries {
		if entries[i].Sent() {
			at[entries[i].ID] = i
		}
	}
	var list []EntrySpan
	for _, s := range p.Spans {
		if s.Entry >= 0 {
			i, sent := at[p.Entries[s.Entry].ID]
			if !sent {
				continue
			}
			s.Entry = i
		}
		list = append(list, s)
	}
	return list
}

// Tokens converts winnow's own count to the server's. Every number of tokens that is shown to the user goes through it.
func (s TokenSum) Tokens(counted int) int {
	if s.Ratio > 0 && s.Ratio != 1 {
		return int(math.Round(float64(counted) * s.Ratio))
	}
	return counted
}

// Used returns the tokens of the whole request as the server counts them, which Limit is compared with.
func (s TokenSum) Used() int { return s.Tokens(s.Total) }

// Free returns how many of the server's tokens still fit, at least 0.
func (s TokenSum) Free() int { return max(0, s.Limit-s.Used()) }

// Capped reports whether the window has less space than the budget that the user set.
func (s TokenSum) Capped() bool { return s.Bound == BoundWindow && s.Budget > s.Limit }

// SumPart is one part of a request, in the server's tokens.
type SumPart struct {
	Name   string
	Tokens int
}

// Parts returns all parts of the request in the order of the display. They are rounded so that they add up to Used.
func (s TokenSum) Parts() []SumPart {
	list := []SumPart{
		{"system", s.System},
		{"tools", s.Tools},
		{"format", s.Frame},
		{"pinned", s.Pinned},
		{"history", s.Body},
		{"recalled", s.Recalled},
		{"added", s.Added},
		{"draft", s.Draft},
	}
	round := s.rounding()
	for i := range list {
		list[i].Tokens = round(list[i].Tokens)
	}
	return list
}

// rounding returns a function that converts the counted tokens of one part after another to the server's, so that the
// results add up to the converted sum.
func (s TokenSum) rounding() func(part int) int {
	counted, before := 0, 0
	return func(part int) int {
		counted += part
		now := s.Tokens(counted)
		part, before = now-before, now
		return part
	}
}
