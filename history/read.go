package history

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"winnow/history/cause"
	"winnow/history/relevance"
	"winnow/history/repair"
)

// thread is a history as it may be sent: repaired, grouped and counted.
type thread struct {
	candidates  []candidate
	turns       []turn
	base        bases                         // the verdict on each message as it begins
	places      []int32                       // the candidate of each message, -1 where it has none
	changed     []changed                     // the messages of candidates that are not sent as they were said
	read        func(at int) Message          // the message at a position of the conversation
	renderings  map[limits]map[int]*rendering // shortened texts, by candidate
	index       *relevance.Index              // nil until something is looked for
	labels      labels
	units       []relevance.Unit // what the index ranks; kept for its memory
	headTailFor headTailKey
	headTails   []*rendering
}

// Conversation is a history already repaired, grouped and counted. It may be used by several goroutines; a Build and
// an Append wait for one another.
type Conversation struct {
	mu       sync.Mutex // held by a Build
	count    Counter
	known    map[string]int       // counts of texts that every request holds again
	source   Source               // nil for a conversation that keeps its messages
	kept     []Message            // what is appended to such a one
	failed   error                // of the source
	offset   int                  // of positions here from those in the request's conversation
	origins  []Origin             // who answered, the first nobody
	used     func(id string) bool // call ids that an earlier part of the request took
	ids      map[string]bool      // call ids taken here
	open     []repair.Call        // calls without a result
	moved    []repair.Moved       // results that came late
	spent    []repair.Call        // ids of calls that are not sent
	groups   groups               // of candidates, doubled and left; nil before they are asked for
	doubled  map[int]int          // results that are not sent again, by position: the group of the same result
	left     map[int]int          // results that the user had left out, by position: their group
	remedies map[int64]Remedy     // by Message.ID
	carriage                      // what goes back to the endpoint that is asked
	variants map[variant]*thread  // other forms of the history, made at their first use
	changes  []change             // of the increments that the running Build has raised; kept for its memory
	thread
}

// Source gives a message of a conversation again, by its position: the same as when it was appended. The most recent
// ones and those of a request are asked for several times.
type Source func(at int) (Message, error)

// Read repairs, groups and counts a history once, and keeps its messages. A nil count takes one token per four bytes.
func Read(past []Message, count Counter) *Conversation {
	c := NewConversation(nil, count)
	c.mustAppend(past)
	return c
}

// NewConversation is a conversation without messages. With a source it does not keep those that are appended, but asks
// for the few whose texts it needs again. What a source fails with is the error of every later Append and Build: the
// conversation has to be read anew.
func NewConversation(source Source, count Counter) *Conversation {
	if count == nil {
		count = func(s string) int { return (len(s) + 3) / 4 }
	}
	c := &Conversation{source: source, count: count, ids: map[string]bool{}, used: func(string) bool { return false }, origins: make([]Origin, 1)}
	c.thread.read = c.message
	return c
}

// message is the message at a position, as it was said.
func (c *Conversation) message(at int) Message {
	if c.source == nil {
		return c.kept[at]
	}
	m, err := c.source(at)
	if err != nil && c.failed == nil {
		c.failed = fmt.Errorf("read message %d of the conversation again: %w", at+1, err)
	}
	return m
}

// readTurn reads the messages of the running turn. Their call ids differ from those of the history.
func (c *Conversation) readTurn(turn []Message, asText bool) *thread {
	t := NewConversation(nil, c.remembered)
	t.carriage, t.offset, t.used = c.carriage, c.base.n, func(id string) bool { return c.ids[id] }
	t.mustAppend(turn)
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

// mustAppend appends messages to a conversation that keeps them, which cannot fail.
func (c *Conversation) mustAppend(m []Message) {
	if err := c.Append(m...); err != nil {
		panic(err)
	}
}

// appended is how many messages are repaired as one: enough to make the newest turn, which is read again with each piece,
// a small part of it.
const appended = 1024

// Append adds messages to the end. It costs what is new and the newest turn, which may still
// grow; a result that comes late costs from its call on. The error is the source's.
func (c *Conversation) Append(m ...Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(m) > 0 && c.failed == nil {
		from := c.turnOf(c.base.n)
		n := min(len(m), max(appended, c.base.n-from))
		c.append(from, m[:n:n])
		m = m[n:]
	}
	return c.failed
}

// append adds messages to the end, where the newest turn begins with the message at a position.
func (c *Conversation) append(turn int, m []Message) {
	from, kept := c.rereadFrom(turn, m)
	again := make([]Message, 0, c.base.n-from+len(m))
	for at := from; at < c.base.n; at++ {
		again = append(again, c.message(at))
	}
	if c.failed != nil {
		return
	}
	c.forget(from, kept)
	if c.source == nil {
		c.kept = append(c.kept, m...)
	}
	c.readFrom(from, kept, append(again, m...))
}

// readFrom reads messages from a position on, of which nothing is read, behind so many candidates.
func (c *Conversation) readFrom(from, kept int, past []Message) {
	begins := true
	for at := 0; at < from && begins; at++ {
		begins = roles[c.base.at(at).role] == System
	}
	repaired := repair.Run(past, repair.Options{From: from, Begins: begins, Offset: c.offset, Used: c.used, IDs: c.ids, Remedies: c.remedies})
	search := c.index != nil && c.index.Len() == kept // the texts are at hand now
	for _, d := range repaired.Drafts {
		v := c.candidateOf(d, &past[d.From-from])
		_, v.remedied = repaired.Before[d.From]
		c.candidates = append(c.candidates, v)
		if search {
			c.index.Add(searched(&d.Message))
		}
	}
	c.open, c.moved, c.spent = append(c.open, repaired.Open...), append(c.moved, repaired.Moved...), append(c.spent, repaired.Unsent...)
	for i, call := range repaired.Duplicates {
		if c.doubled == nil {
			c.doubled = map[int]int{}
		}
		c.doubled[i] = call.From
	}
	if c.left == nil {
		c.left = map[int]int{}
	}
	maps.Copy(c.left, repaired.LeftHeads)
	for k := range past {
		i := from + k
		e := verdict(i, &past[k], repaired)
		if was, remedied := repaired.Before[i]; remedied {
			e.TokensBefore = c.count(was.Content) + overhead(was, c.count)
		}
		c.base.append(e)
	}
	c.loadFrom(kept)
	c.number(kept)
}

// turnOf is the message that begins the turn of the message at a position. The first turn begins with the conversation:
// what is not sent of it may stand in front of its first candidate.
func (c *Conversation) turnOf(at int) int {
	for k := len(c.turns) - 1; k > 0; k-- {
		if from := c.candidates[c.turns[k].from].from; from <= at {
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
		if w.From < from && (c.answered(from, w.ID) || answers(m, w.ID)) {
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

// answered reports whether one of the messages from a position on is a result of the call id.
func (c *Conversation) answered(from int, id string) bool {
	for at := from; at < c.base.n; at++ {
		if roles[c.base.at(at).role] == Tool && c.message(at).ToolCallID == id {
			return true
		}
	}
	return false
}

// answers reports whether one of the messages is a result of the call id.
func answers(list []Message, id string) bool {
	return slices.ContainsFunc(list, func(m Message) bool { return m.Role == Tool && m.ToolCallID == id })
}

// forget drops what was read from a message on.
func (c *Conversation) forget(from, kept int) {
	for i := kept; i < len(c.candidates); i++ {
		v := &c.candidates[i]
		if v.calls {
			for _, call := range c.full(i).ToolCalls {
				delete(c.ids, call.ID)
			}
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
	for _, unsent := range []map[int]int{c.doubled, c.left} {
		maps.DeleteFunc(unsent, func(at, _ int) bool { return at >= from })
	}
	c.unsearch(kept)
	for i := kept; i < len(c.candidates); i++ {
		if n := c.candidates[i].changed; n > 0 {
			clear(c.changed[n-1:])
			c.changed = c.changed[:n-1]
			break
		}
	}
	c.candidates = c.candidates[:kept]
	c.base.cut(from)
	c.places = c.places[:min(len(c.places), from)]
	c.groups = nil
	c.outdate()
	c.labels.forget(kept)
	for _, f := range c.renderings {
		maps.DeleteFunc(f, func(i int, _ *rendering) bool { return i >= kept })
	}
}

// outdate drops what was derived from the candidates before they changed.
func (c *Conversation) outdate() { c.headTailFor, c.headTails, c.variants = headTailKey{}, nil, nil }

// verdict is a message's entry before anything is chosen.
func verdict(i int, m *Message, repaired repair.Result) Entry {
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
func (c *Conversation) candidateOf(d *repair.Draft, said *Message) candidate {
	v := candidate{from: d.From, group: d.From, chars: runes(d.Content), text: d.Tokens, standIn: d.StandIn, joins: d.Joins, callsAsText: d.CallsAsText}
	if v.describe(&d.Message); !asSaid(d, said) {
		c.change(&v, d.Message, d.Frame)
	}
	if d.Head != nil {
		v.group = d.Head.From
	}
	v.reworded = d.Content != said.Content
	if v.text == 0 || d.StandIn || v.reworded {
		v.text = c.count(d.Content)
	}
	v.tokens = v.text + overhead(d.Message, c.count)
	v.origin = c.originOf(d.Origin)
	return v
}

// originOf is the index of an origin.
func (c *Conversation) originOf(o Origin) int32 {
	i := slices.Index(c.origins, o)
	if i < 0 {
		i, c.origins = len(c.origins), append(c.origins, o)
	}
	return int32(i)
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
		if c.source == nil {
			c.kept[at].Tokens = n
		}
	}
	for i := range c.candidates {
		v := &c.candidates[i]
		n, counted := tokens[v.from]
		// A text that was repaired, or that came without a count, was counted when it was read.
		if !counted || n == 0 || v.standIn || v.counted == 0 || v.reworded {
			continue
		}
		more := n - int(v.counted) // The rest of what it costs stays.
		v.tokens, v.text, v.counted = v.tokens+more, v.text+more, int32(n)
		if !v.remedied {
			c.base.cost(v.from, v.tokens)
		}
		for _, f := range c.renderings {
			delete(f, i)
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
	for ; at < c.base.n; at++ {
		if id := c.base.at(at).id; r[id] != c.remedies[id] {
			break
		}
	}
	c.remedies = maps.Clone(r)
	if at == c.base.n {
		return
	}
	from, kept := c.rereadFrom(c.turnOf(at), nil)
	again := make([]Message, 0, c.base.n-from)
	for at := from; at < c.base.n; at++ {
		again = append(again, c.message(at))
	}
	if c.failed != nil {
		return // what was read stays as it is: nobody gets a plan of it
	}
	c.forget(from, kept)
	c.readFrom(from, kept, again)
}

// Arguments is what is sent in place of the arguments of one call.
type Arguments = repair.Arguments

// ArgumentsOf is what a request sends as the arguments of the calls of one message, with what was repaired of them.
func ArgumentsOf(calls []ToolCall) []Arguments { return repair.ArgumentsOf(calls) }

// ToolGroups are the messages that a remedy for some of them holds for, in their order: all of the tool
// group of each, with the results that a repair sends as text or not again, or the message alone. Those
// that past does not hold are left out.
func ToolGroups(past []Message, ids ...int64) []int64 { return repair.ToolGroups(past, ids...) }
