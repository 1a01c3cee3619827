package history

import (
	"maps"
	"sync"

	"winnow/history/repair"
)

// Conversation is a history that is read once: repaired, grouped, counted and indexed. It grows at its end. It may be
// used by several goroutines, which wait for one another.
type Conversation struct {
	mu       sync.Mutex
	count    Counter
	counted  map[string]int // texts of earlier requests with their tokens
	messages []Message
	sizes    []size // of each message
	recounts int    // how often sizes changed
	threads  map[form]*thread
	newest   reading // of the last request
}

// size is what a message costs as it was said. It is counted once.
type size struct {
	chars int // code points of its text
	text  int // tokens of its text
	rest  int // tokens of its calls and parts
}

// Read is a conversation of these messages. A nil count takes one token per four bytes.
func Read(past []Message, count Counter) *Conversation {
	if count == nil {
		count = func(s string) int { return (len(s) + 3) / 4 }
	}
	c := &Conversation{count: count, counted: map[string]int{}, threads: map[form]*thread{}}
	c.newest.tools = ToolsKeep
	c.Append(past...)
	return c
}

// Append adds messages to the end. They are repaired and indexed when the next request is built.
func (c *Conversation) Append(list ...Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.messages = append(c.messages, list...)
	c.sizes = append(c.sizes, sizesOf(list, c.count)...)
}

// Recount replaces the tokens of messages that came with a guess, by their position in the conversation.
func (c *Conversation) Recount(tokens map[int]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at, n := range tokens {
		if n > 0 {
			c.messages[at].Tokens, c.sizes[at].text = n, n
		}
	}
	c.recounts++
}

// Group is Plan.Group before there is a plan.
func (c *Conversation) Group(i int) []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return groupOf(c.thread(c.newest).groups, i)
}

// mostCounted is how many texts beside the messages have their tokens remembered.
const mostCounted = 1 << 14

// remembered counts a text that the next request is likely to hold again, such as the system prompt or a marker.
func (c *Conversation) remembered(text string) int {
	n, known := c.counted[text]
	if !known {
		if n = c.count(text); len(c.counted) >= mostCounted {
			clear(c.counted)
		}
		c.counted[text] = n
	}
	return n
}

// form is how the tool calls and images of a history are sent.
type form struct {
	tools     ToolHistory
	imageless bool
}

// reading is what a thread depends on beside the messages.
type reading struct {
	form
	carriage
	remedies map[int64]Remedy // by Message.ID
	offset   int              // positions of the request's conversation in front of the first message
	used     func(id string) bool
}

// readingFor is how the history is read for a request.
func readingFor(o Options) reading {
	r := reading{form: form{o.Policy.ToolHistory, o.Profile.NoImages}, carriage: carriageOf(o)}
	switch {
	case o.Policy.Recovery == RecoverStrip:
		r.tools = repair.ToolsStrip
	case r.tools == "":
		r.tools = ToolsKeep
	}
	if (o.Profile.NoTools || o.Profile.ToolsAsText) && r.tools == ToolsKeep {
		r.tools = ToolsText
	}
	if o.Policy.Recovery.TakesRemedies() {
		r.remedies = o.Remedies
	}
	return r
}

// TakesRemedies says that a remedy holds under this recovery. Strip and strict leave nothing to choose.
func (r Recovery) TakesRemedies() bool { return r != RecoverStrip && r != RecoverStrict }

// thread is the history read in one way. What did not change since the last request in that form is taken over.
func (c *Conversation) thread(r reading) *thread {
	c.newest = r
	was := c.threads[r.form]
	if was != nil && len(was.entries) == len(c.messages) && was.recounts == c.recounts &&
		was.carriage == r.carriage && maps.Equal(was.remedies, r.remedies) {
		return was
	}
	r.remedies = maps.Clone(r.remedies)
	t := c.read(c.messages, c.sizes, r)
	t.recounts = c.recounts
	if was != nil {
		t.takeOver(was)
	}
	c.threads[r.form] = t
	return t
}

// turnFor reads the running turn. The ids of its calls differ from those of the history.
func (c *Conversation) turnFor(o Options, history *thread) *thread {
	r := reading{form: form{ToolsKeep, o.Profile.NoImages}, carriage: carriageOf(o), offset: len(c.messages)}
	r.used = func(id string) bool { return history.ids[id] }
	if o.Profile.ToolsAsText {
		r.tools = ToolsText
	}
	t := c.read(o.Turn, sizesOf(o.Turn, c.count), r)
	// Results as text become messages of the user, because a request must not end with an answer.
	for i := range t.candidates {
		if v := &t.candidates[i]; o.Profile.ToolsAsText && v.Joins && v.Role == Assistant {
			v.Role = User
		}
	}
	return t
}

// sizesOf are the sizes of messages. The tokens that a message comes with are believed.
func sizesOf(list []Message, count Counter) []size {
	sizes := make([]size, len(list))
	for i := range list {
		m := &list[i]
		sizes[i] = size{runes(m.Content), m.Tokens, overhead(m, count)}
		if m.Tokens == 0 {
			sizes[i].text = count(m.Content)
		}
	}
	return sizes
}

// overhead is what a message costs beside its text and its frame.
func overhead(m *Message, count Counter) int {
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

// Arguments is what is sent in place of the arguments of one call.
type Arguments = repair.Arguments

// ArgumentsOf is what a request sends as the arguments of the calls of one message, with what was repaired of them.
func ArgumentsOf(calls []ToolCall) []Arguments { return repair.ArgumentsOf(calls) }

// ToolGroups are the messages that a remedy for some of them holds for, in their order: all of the tool group of each,
// with the results that a repair sends as text or not again, or the message alone. Those that past does not hold are
// left out.
func ToolGroups(past []Message, ids ...int64) []int64 { return repair.ToolGroups(past, ids...) }
