package history

import (
	"math"
	"slices"

	"winnow/history/cause"
)

// Counter counts the tokens of a text.
type Counter func(text string) int

// Flag is what the user decided about a message by hand.
type Flag string

// The flags a message can carry; no flag is automatic.
const (
	Pin     Flag = "pin"     // always sent whole
	Exclude Flag = "exclude" // never sent, with its whole tool group
)

// Options is everything beside the history itself that decides a request.
type Options struct {
	Policy   Policy
	System   string           `json:",omitempty"` // the system prompt, "" for none
	Turn     []Message        `json:"-"`          // the current user message, then what the running turn has added
	Flags    map[int64]Flag   `json:",omitempty"` // by Message.ID
	Remedies map[int64]Remedy `json:",omitempty"` // by Message.ID of a damaged message, or of any in a tool group
	// They may stand for older messages where not everything fits: the first that may be used does.
	Summaries []Summary `json:",omitempty"`
	// Message.ID of an answer whose calls wait for the user, which is no damage; 0 for none.
	Pending int64   `json:",omitempty"`
	Scope   *Scope  `json:",omitempty"` // the messages of the history that the request is about; nil for all
	Tools   int     `json:",omitempty"` // tokens of the serialised tool schemas
	Window  int     `json:",omitempty"` // the model's context window in tokens; 0 is unknown
	Limit   int     `json:",omitempty"` // the most of the whole request, in the server's tokens; 0 is none
	Ratio   float64 `json:",omitempty"` // the server's tokens per counted token, learned; 0 is not calibrated yet
	Profile Profile // what the endpoint insists on
	To      Origin  // who is asked; what only the server of an answer knows goes back to it alone
	Count   Counter `json:"-"` // counts tokens; nil counts one token per four bytes

	// The user chose to cut the current message where the request does not fit otherwise.
	CutCurrent bool `json:",omitempty"`
}

// Scope narrows a request to some messages of the history: no other is in it, in whatever form, and no
// marker says that there were others.
type Scope struct {
	For      cause.Code // why the others are left out
	Messages IDs        // none for a request without history
}

// The reasons to narrow a request.
const (
	ForAlone   = cause.Alone         // the user sends a message without the conversation before it
	ForSummary = cause.OtherMessages // a model is to summarize these messages
	ForTitle   = cause.Title         // a model is to make a title of them
)

// narrowed reports whether a message is left out because the request is about others. With cause.Invalid, the request
// would not be valid with any of the history.
func narrowed(code cause.Code) bool {
	switch code {
	case cause.Alone, cause.OtherMessages, cause.Title, cause.Invalid:
		return true
	}
	return false
}

// Profile is what an endpoint's chat format insists on, beyond the strict form sent everywhere.
type Profile struct {
	// join neighbouring messages of one role
	MergeSameRole bool `json:",omitempty"`
	// a minimal assistant message stands between a tool result and a user message
	NoToolToUser bool `json:",omitempty"`
	// tool call ids have exactly this many letters and digits; 0 is any
	ToolIDLength int `json:",omitempty"`
	// the model's reasoning goes back to it in turns that called tools
	EchoReasoning bool `json:",omitempty"`
	// the endpoint refuses the keys of its own answers
	NoReplay bool `json:",omitempty"`
	// the model takes no tool calls: those of the past are sent as text, and no tools are offered
	NoTools bool `json:",omitempty"`
	// the endpoint refuses tool calls in a request: all of them are sent as text, the running turn's too
	ToolsAsText bool `json:",omitempty"`
	// the model takes no images: a note stands for each
	NoImages bool `json:",omitempty"`
}

// Plan is one decided request: what would be sent, and what became of every message and why. The
// panel, the inspector, the receipt, winnow context and the request body all come from it.
type Plan struct {
	Messages []Message // the request's messages in order, the system prompt first; their texts are what the model sees
	Entries  []Entry   // one per message of the history, then one per stored message of the turn, in order
	Added    []Added   // text that nobody said: markers, stand-in results, the recalled block's frame
	Spans    []Span    // where the text of each entry is in Messages, by message
	Sum      Sum       // where the tokens go
	Next     []int     // indexes into Entries of what falls out next, together, when the request grows
	Stays    int       // how many of Messages, from the first on, stay as they are when Next loses its text
	Rules    int       // the version of the rules that made this plan
	Summary  *Summary  // the one of Options.Summaries that may be used, whether it is sent or not; nil for none

	groups map[int][]int // see Group
}

// Disposition is what became of a message. Each message has exactly one.
type Disposition string

// The dispositions. A pinned or repaired message is kept or cut as well: see Entry.
const (
	Kept       Disposition = "kept"        // sent whole in its place
	Cut        Disposition = "cut"         // sent shortened in its place
	Dropped    Disposition = "dropped"     // not sent: the budget, the cap or the preset
	Recalled   Disposition = "recalled"    // sent because the current message is about it
	Excluded   Disposition = "excluded"    // not sent: the user's choice
	Unreadable Disposition = "quarantined" // not sent: the stored message cannot be read, or its role is unknown
	Blank      Disposition = "blank"       // not sent: it is empty
)

// Level is how much of a unit a request holds.
type Level int

// The levels, in rising order.
const (
	Out       Level = iota // L0: not sent
	Shortened              // L1: at the limits of the policy
	Brief                  // L1r: as L1, but assistant messages up to AssistantRecallChars whole
	Whole                  // L2
)

// Entry is the verdict on one message. TokensBefore and TokensAfter are counted ones, which Sum.Tokens turns into
// the server's. Characters are Unicode code points.
type Entry struct {
	ID          int64
	Index       int         `json:",omitempty"` // the message's position in the conversation, from 0
	Role        Role        `json:",omitempty"`
	Disposition Disposition `json:",omitempty"`
	Level       Level       `json:",omitempty"` // of the most that is in the request
	// Place is the level of what stands in the message's place: lower where more of it is recalled to the front.
	Place        Level    `json:",omitempty"`
	Cause        Cause    `json:",omitzero"`  // why
	Pinned       bool     `json:",omitempty"` // the user's choice
	Whole        bool     `json:",omitempty"` // all of its text is in the request
	Recalled     bool     `json:",omitempty"` // in the request, or more of it, because the current message is about it
	TokensBefore int      `json:",omitempty"` // what the message costs whole
	TokensAfter  int      `json:",omitempty"` // what it costs in this request
	CharsBefore  int      `json:",omitempty"` // how long its text is
	CharsAfter   int      `json:",omitempty"` // how much of that text is sent
	Cuts         []Range  `json:",omitempty"` // what of its text is not sent, in code points
	Inserted     []Insert `json:",omitempty"` // what stands in the text's place
	Repairs      []Repair `json:",omitempty"` // what was repaired on the way
}

// Sent says that the message, or a part of it, is in the request.
func (e Entry) Sent() bool {
	return e.Disposition == Kept || e.Disposition == Cut || e.Disposition == Recalled
}

// FellOut reports whether the message is dropped because it does not fit or is over a limit of the policy. What cannot
// be sent, what the user had left out, and what its request was not about did not fall out: messages in front of it may
// well be sent.
func (e Entry) FellOut() bool {
	switch e.Cause.Code {
	case cause.Duplicate, cause.Trailing, cause.ToolsLeftOut, cause.Alone, cause.OtherMessages, cause.Title:
		return false
	}
	return e.Disposition == Dropped && !e.LeftOut()
}

// LeftOut reports whether the message is not sent because the user had it, or the tool call that it belongs to,
// left out.
func (e Entry) LeftOut() bool {
	return e.Cause.Code == cause.LeftOut || e.Cause.Code == cause.LeftOutGroup
}

// Range is a half-open range of code points of a message's text.
type Range struct{ From, To int }

// Insert is text that winnow put into the text of a message, At a code point of the original.
type Insert struct {
	At   int
	Text string
}

// Added is text of a request that nobody said.
type Added struct {
	Kind   AddedKind
	Before int // index into Plan.Messages of the message it stands in or is
	From   int `json:",omitempty"` // bytes of that message's content, from here up to To
	To     int `json:",omitempty"`
	At     int // index into Plan.Entries of the message it is in or in front of, at most len(Entries)
	Text   string
	Tokens int
	Cause  Cause // why
}

// Sum says where the tokens of a request go. The parts and their sum Total are counted tokens, which
// Tokens turns into the server's; all other tokens are the server's. Total * Ratio never exceeds Limit.
type Sum struct {
	System   int     // the system prompt
	Tools    int     // the tool schemas
	Pinned   int     // pinned messages
	Body     int     // the other messages sent in their place
	Recalled int     // the recalled block
	Draft    int     // the current message and what the running turn has added
	Added    int     // markers and stand-ins
	Frame    int     // what the chat format costs around the messages
	Total    int     // all of the above
	Reserve  int     // kept free in the window for the reply; 0 where the window is unknown
	Window   int     // the model's window; 0 unknown
	Budget   int     // the budget that the user set; 0 is automatic
	Limit    int     // the most that the request may hold: what Bound names
	Bound    Bound   // what sets Limit
	Ratio    float64 // the server's tokens per counted token, 1 where not calibrated
	Margin   float64 // the part of the window that is kept free in case the count is wrong: 0.03 or 0.10
	Sent     int     // messages of the history that are in the request
	Stored   int     // messages of the history
}

// Span is where the text of an entry is in a request: bytes of the content of one of its messages. A message that
// has no text, such as an answer of tool calls alone, has an empty span.
type Span struct {
	Entry    int // index into Plan.Entries, -1 for the draft
	Message  int // index into Plan.Messages
	From, To int
	Recalled bool // in the block of recalled texts, with the label in front of it
	Calls    bool // the tool calls of the entry are written out in it
}

// EntryOf is the entry of a message by its id. It is looked for from the end, where the new ones are.
func (p Plan) EntryOf(message int64) (Entry, bool) {
	for _, e := range slices.Backward(p.Entries) {
		if e.ID == message {
			return e, true
		}
	}
	return Entry{}, false
}

// Group is the positions of the messages that are sent or left out together with the one at position i, itself among
// them, rising: a message that calls tools and the results of its calls, or the message alone. A second copy of a
// result is never sent, but belongs to the group; so does a result that the user had left out. A flag on one of them
// holds for all. Of the messages of the running turn each is alone.
func (p *Plan) Group(i int) []int { return groupOf(p.groups, i) }

// Shown lists for every message of the request the entries whose text it is, in order. A message that several were
// joined to is the text of all of them; the system prompt and what nobody said is no entry's. A text in the block of
// recalled texts does not count.
func (p Plan) Shown() [][]int {
	shown := make([][]int, len(p.Messages))
	for _, s := range p.Spans {
		if s.Entry < 0 || s.Recalled || p.Entries[s.Entry].Role == System {
			continue
		}
		shown[s.Message] = append(shown[s.Message], s.Entry)
	}
	return shown
}

// SpansAmong are a plan's spans for other entries of the same messages, such as those of a record: each entry is
// found by its ID. What the other entries do not have, or do not send, has no span.
func (p Plan) SpansAmong(entries []Entry) []Span {
	at := map[int64]int{}
	for i := range entries {
		if entries[i].Sent() {
			at[entries[i].ID] = i
		}
	}
	var list []Span
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

// Tokens is a counted number of tokens as the server counts them. Every number of tokens that a person sees goes
// through it: on the screen, in tables, in reasons and in errors.
func (s Sum) Tokens(counted int) int {
	if s.Ratio > 0 && s.Ratio != 1 {
		return int(math.Round(float64(counted) * s.Ratio))
	}
	return counted
}

// Used is what Limit is checked against: the whole request as the server counts it.
func (s Sum) Used() int { return s.Tokens(s.Total) }

// Free is what still fits, as the server counts it; 0 where nothing does.
func (s Sum) Free() int { return max(0, s.Limit-s.Used()) }

// Capped says that the budget that the user set is more than the model's window leaves.
func (s Sum) Capped() bool { return s.Bound == BoundWindow && s.Budget > s.Limit }

// Share is one part of a request, as the server counts it.
type Share struct {
	Name   string
	Tokens int
}

// Shares are all parts of a request in the order of Sum. Each is rounded so that together they are Used.
func (s Sum) Shares() []Share {
	list := []Share{
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

// rounding turns the counted tokens of the parts of a request, one after the other, into the server's, so that together
// they are those of the sum.
func (s Sum) rounding() func(part int) int {
	counted, before := 0, 0
	return func(part int) int {
		counted += part
		now := s.Tokens(counted)
		part, before = now-before, now
		return part
	}
}
