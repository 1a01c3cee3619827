package history

import (
	"maps"
	"slices"
	"sync"

	"winnow/history/cause"
	"winnow/history/relevance"
	"winnow/history/repair"
)

// candidate is one message as it may be sent.
type candidate struct {
	Message
	from        int   // the message's position in the conversation
	group       int   // the position of the message that asked for the tools, else from
	turn        int   // index into turns
	at          int   // tokens of the conversation in front of its group, all whole
	tokens      int   // what it costs whole beside its frame
	text        int   // the part of tokens that goes when its text is cut
	chars       int   // code points of its text
	newest      int64 // when the newest message up to here was said, Unix milliseconds
	standIn     bool  // nobody said it: a stand-in for a missing result
	joins       bool  // continues the answer in front of it
	callsAsText bool  // its calls are written out in its text
	load        load  // what it carries beside its text
	remedied    bool  // a remedy made another text of it; its verdict says what it costs repaired
	repair.Frame
}

// thread is a history as it may be sent: repaired, grouped and counted.
type thread struct {
	candidates  []candidate
	turns       []turn
	base        bases   // the verdict on each message as it begins
	places      []int32 // the candidate of each message, -1 where it has none
	renderings  map[limits][]*rendering
	index       *relevance.Index // nil until something is looked for
	labels      labels
	units       []relevance.Unit // what the index ranks; kept for its memory
	headTailFor headTailKey
	headTails   []*rendering
}

// Conversation is a history already repaired, grouped and counted. Builds may run at the same time,
// but not beside an Append.
type Conversation struct {
	mu       sync.Mutex // held by a Build
	count    Counter
	known    map[string]int // counts of texts that every request holds again
	past     []Message
	offset   int                  // position of past[0] in the request's conversation
	used     func(id string) bool // call ids that an earlier part of the request took
	ids      map[string]bool      // call ids taken here
	open     []repair.Call        // calls without a result
	moved    []repair.Moved       // results that came late
	spent    []repair.Call        // ids of calls that are not sent
	groups   groups               // of candidates and doubled; nil before they are asked for
	doubled  map[int]int          // results that are not sent again, by position: the group of the same result
	remedies map[int64]Remedy     // by Message.ID
	carriage                      // what goes back to the endpoint that is asked
	variants map[variant]*thread  // other forms of the history, made at their first use
	changes  []change             // of the increments that the running Build has raised; kept for its memory
	thread
}

// Read repairs, groups and counts a history once. A nil count takes one token per four bytes.
func Read(past []Message, count Counter) *Conversation {
	c := newConversation(count)
	c.Append(past...)
	return c
}

func newConversation(count Counter) *Conversation {
	if count == nil {
		count = func(s string) int { return (len(s) + 3) / 4 }
	}
	return &Conversation{count: count, ids: map[string]bool{}, used: func(string) bool { return false }}
}

// readTurn reads the messages of the running turn. Their call ids differ from those of the history.
func (c *Conversation) readTurn(turn []Message, asText bool) *thread {
	t := newConversation(c.remembered)
	t.carriage, t.offset, t.used = c.carriage, len(c.past), func(id string) bool { return c.ids[id] }
	t.Append(turn...)
	if asText {
		return t.turnAsText()
	}
	return &t.thread
}

// maxKnown is how many texts beside the history have their count remembered.
const maxKnown = 256

// remembered counts a text that the next request is likely to hold again: the system prompt, a marker, a
// message of the running turn.
func (c *Conversation) remembered(text string) int {
	if n, ok := c.known[text]; ok {
		return n
	}
	if c.known == nil || len(c.known) >= maxKnown {
		c.known = map[string]int{}
	}
	n := c.count(text)
	c.known[text] = n
	return n
}

// Append adds messages to the end. It costs what is new and the newest turn, which may still
// grow; a result that comes late costs from its call on.
func (c *Conversation) Append(m ...Message) {
	from, kept := c.rereadFrom(c.turnOf(len(c.past)), m)
	c.forget(from, kept)
	c.past = append(c.past, m...)
	c.readFrom(from, kept)
}

// readFrom reads the messages from one on, of which nothing is read, behind so many candidates.
func (c *Conversation) readFrom(from, kept int) {
	repaired := repair.Run(c.past, from, repair.Options{Offset: c.offset, Used: c.used, IDs: c.ids, Remedies: c.remedies})
	for _, d := range repaired.Drafts {
		v := c.candidateOf(d)
		_, v.remedied = repaired.Before[d.From]
		c.candidates = append(c.candidates, v)
	}
	c.open, c.moved, c.spent = append(c.open, repaired.Open...), append(c.moved, repaired.Moved...), append(c.spent, repaired.Unsent...)
	for i, call := range repaired.Duplicates {
		if c.doubled == nil {
			c.doubled = map[int]int{}
		}
		c.doubled[i] = call.From
	}
	for i := from; i < len(c.past); i++ {
		e := verdict(i, c.past[i], repaired)
		if was, remedied := repaired.Before[i]; remedied {
			e.TokensBefore = c.count(was.Content) + overhead(was, c.count)
		}
		c.base.append(e)
	}
	c.loadFrom(kept)
	c.number(kept)
}

// turnOf is the message that begins the turn of the message at a position.
func (c *Conversation) turnOf(at int) int {
	for _, x := range slices.Backward(c.turns) {
		if from := c.candidates[x.from].from; from <= at {
			return from
		}
	}
	return 0
}

// rereadFrom is the message from which on messages have to be read again, and the number of candidates in
// front of it: from one on that begins a turn, and from where new messages can change what the
// older ones look like.
func (c *Conversation) rereadFrom(from int, m []Message) (at, kept int) {
	// A result may come late: a new one, or one that new results take the place of.
	for _, w := range slices.Backward(c.open) {
		if w.From < from && (answers(c.past[from:], w.ID) || answers(m, w.ID)) {
			from = w.From
		}
	}
	// A result that was moved to its call stands in front of older messages: where it is read again,
	// its call is too.
	for again := true; again; {
		again = false
		for _, r := range c.moved {
			if r.Row >= from && r.From < from {
				from, again = r.From, true
			}
		}
	}
	for kept = len(c.candidates); kept > 0 && c.candidates[kept-1].from >= from; {
		kept--
	}
	return from, kept
}

// answers reports whether one of the messages is a result of the call id.
func answers(list []Message, id string) bool {
	return slices.ContainsFunc(list, func(m Message) bool { return m.Role == Tool && m.ToolCallID == id })
}

// forget drops what was read from a message on.
func (c *Conversation) forget(from, kept int) {
	for _, v := range c.candidates[kept:] {
		for _, call := range v.ToolCalls {
			delete(c.ids, call.ID)
		}
	}
	for _, call := range c.spent {
		if call.From >= from {
			delete(c.ids, call.ID)
		}
	}
	forgotten := func(call repair.Call) bool { return call.From >= from }
	c.open, c.spent = slices.DeleteFunc(c.open, forgotten), slices.DeleteFunc(c.spent, forgotten)
	c.moved = slices.DeleteFunc(c.moved, func(r repair.Moved) bool { return r.From >= from })
	maps.DeleteFunc(c.doubled, func(at, _ int) bool { return at >= from })
	c.unsearch(kept)
	c.candidates = c.candidates[:kept]
	c.base.cut(from)
	c.places = c.places[:min(len(c.places), from)]
	c.groups = nil
	c.outdate()
	c.labels.forget(kept)
	for l, f := range c.renderings {
		clear(f[min(len(f), kept):])
		c.renderings[l] = f[:min(len(f), kept)]
	}
}

// outdate drops what was derived from the candidates before they changed.
func (c *Conversation) outdate() { c.headTailFor, c.headTails, c.variants = headTailKey{}, nil, nil }

// verdict is a message's entry before anything is chosen.
func verdict(i int, m Message, repaired repair.Result) Entry {
	e := Entry{ID: m.ID, Index: i, Role: m.Role, Disposition: Blank, Cause: Cause{Code: cause.Blank}, CharsBefore: runes(m.Content), Repairs: repaired.Repairs[i]}
	switch {
	case m.Unreadable():
		e.Disposition, e.Cause = Isolated, Cause{Code: cause.Unreadable}
	case repaired.LeftOut[i] == repair.LeftAlone:
		e.Disposition, e.Cause = Dropped, Cause{Code: cause.LeftOut}
	case repaired.LeftOut[i] == repair.LeftWithGroup:
		e.Disposition, e.Cause = Dropped, Cause{Code: cause.LeftOutGroup}
	case repaired.Duplicates[i] != nil:
		e.Disposition, e.Cause = Dropped, Cause{Code: cause.Duplicate}
	}
	return e
}

// candidateOf makes a candidate of a repaired message and counts its tokens.
func (c *Conversation) candidateOf(d *repair.Draft) candidate {
	v := candidate{Message: d.Message, from: d.From, group: d.From, chars: runes(d.Content), text: d.Tokens, standIn: d.StandIn, joins: d.Joins, callsAsText: d.CallsAsText, Frame: d.Frame}
	if d.Head != nil {
		v.group = d.Head.From
	}
	if v.text == 0 || d.StandIn || d.Content != c.past[d.From].Content {
		v.text = c.count(d.Content)
	}
	v.tokens = v.text + overhead(d.Message, c.count)
	return v
}

// overhead is what a message costs beside its text and its frame.
func overhead(m Message, count Counter) int {
	n := 0
	for _, call := range m.ToolCalls {
		n += count(call.Name) + count(call.Arguments) + frameCall
	}
	for _, p := range m.Parts {
		n += partCost(p, count)
	}
	return n
}

// partCost is what a part of a message costs.
func partCost(p Part, count Counter) int {
	switch {
	case p.Tokens > 0:
		return p.Tokens
	case p.Kind == ImagePart:
		return ImageTokens
	}
	return count(p.Sent())
}

// Recount gives messages that were read with a guess of their tokens the counts of their texts, by
// their position in the history. It is as if they had been read with these counts, but costs little:
// nothing is repaired, grouped or searched anew.
func (c *Conversation) Recount(tokens map[int]int) {
	if len(tokens) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for at, n := range tokens {
		c.past[at].Tokens = n
	}
	for i := range c.candidates {
		v := &c.candidates[i]
		n, counted := tokens[v.from]
		// A text that was repaired, or that came without a count, was counted when it was read.
		if !counted || n == 0 || v.standIn || v.Tokens == 0 || v.Content != c.past[v.from].Content {
			continue
		}
		more := n - v.Tokens // The rest of what it costs stays.
		v.tokens, v.text, v.Tokens = v.tokens+more, v.text+more, n
		if !v.remedied {
			c.base.cost(v.from, v.tokens)
		}
		for _, f := range c.renderings {
			if i < len(f) {
				f[i] = nil
			}
		}
	}
	if len(c.candidates) > 0 {
		c.number(0)
	}
	c.outdate()
}

// remedies are those that hold under a policy.
func (o Options) remedies() map[int64]Remedy {
	if !o.Policy.Recovery.TakesRemedies() {
		return nil
	}
	return o.Remedies
}

// TakesRemedies says that a remedy holds under this recovery. Strip and strict leave nothing to choose.
func (r Recovery) TakesRemedies() bool { return r != RecoverStrip && r != RecoverStrict }

// remedy repairs the history with these remedies. Where they are the same as before nothing is done, else the messages
// from the first one on whose remedy differs are read again.
func (c *Conversation) remedy(r map[int64]Remedy) {
	if maps.Equal(r, c.remedies) {
		return
	}
	at := 0
	for at < len(c.past) && r[c.past[at].ID] == c.remedies[c.past[at].ID] {
		at++
	}
	c.remedies = maps.Clone(r)
	if at < len(c.past) {
		from, kept := c.rereadFrom(c.turnOf(at), nil)
		c.forget(from, kept)
		c.readFrom(from, kept)
	}
}

// Arguments is what is sent in place of the arguments of one call.
type Arguments = repair.Arguments

// ArgumentsOf is what a request sends as the arguments of the calls of one message, with what was repaired of them.
func ArgumentsOf(calls []ToolCall) []Arguments { return repair.ArgumentsOf(calls) }

// ToolGroups are the messages that a remedy for some of them holds for, in their order: all of the tool
// group of each, with the results that a repair sends as text or not again, or the message alone. Those
// that past does not hold are left out.
func ToolGroups(past []Message, ids ...int64) []int64 { return repair.ToolGroups(past, ids...) }
