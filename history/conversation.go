package history

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"winnow/history/repair"
)

// Conversation is a history that is read once: repaired, grouped, counted and indexed. It grows at its end. It may be
// used by several goroutines, which wait for one another.
type Conversation struct {
	mu       sync.Mutex
	count    TokenCounter
	counted  map[string]int // texts of earlier requests with their tokens
	messages []Message
	last     *prepared // what the last request was made of
	changed  bool      // since then
}

// Read is a conversation of these messages. A nil count takes one token per four bytes.
func NewConversation(past []Message, count TokenCounter) *Conversation {
	if count == nil {
		count = func(s string) int { return (len(s) + 3) / 4 }
	}
	nothing := &prepared{readOptions: readOptions{endpointForm: endpointForm{tools: ToolsKeep}}}
	c := &Conversation{count: count, counted: map[string]int{}, last: nothing, changed: true}
	c.Append(past...)
	return c
}

// Append adds messages to the end. They are repaired and indexed when the next request is built.
func (c *Conversation) Append(list ...Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.messages = append(c.messages, c.countAll(list)...)
	c.changed = c.changed || len(list) > 0
}

// Group is Plan.Group before there is a plan.
func (c *Conversation) ToolGroup(i int) []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return toolGroupOf(c.latest().toolGroups, i)
}

// leastFound is the score that Search finds a group of messages with: those that have words of the question, and their
// next neighbours, which may be the answer.
const leastFound = 0.3

// Search lists the groups of messages that a question is about, the most relevant first, by their positions in the
// conversation: a message that calls tools with the results of its calls, or one message alone. A message that cannot
// be sent, such as a quarantined one, is not found.
func (c *Conversation) Search(question string) [][]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.latest()
	var found [][]int
	for _, hit := range t.rank(question).Best() {
		if hit.Score < leastFound {
			break
		}
		var group []int
		for _, v := range t.candidates[hit.From:hit.To] {
			if !v.Placeholder {
				group = append(group, v.From)
			}
		}
		if len(group) > 0 {
			found = append(found, group)
		}
	}
	return found
}

// mostCounted is how many texts beside the messages have their tokens remembered.
const mostCounted = 1 << 14

// remembered counts a text that the next request is likely to hold again, such as the system prompt or a marker.
func (c *Conversation) countCached(text string) int {
	n, known := c.counted[text]
	if !known {
		if n = c.count(text); len(c.counted) >= mostCounted {
			clear(c.counted)
		}
		c.counted[text] = n
	}
	return n
}

// reading is what a thread depends on beside the messages.
type readOptions struct {
	endpointForm
	remedies map[int64]Remedy // by Message.ID
}

// form is what an endpoint gets to see of tool calls, images, and what its own answers brought with them.
type endpointForm struct {
	tools   ToolHistory
	to      Origin // who gets its own back, zero for nobody
	profile EndpointProfile
}

// readingFor is how the history is read for a request.
func readingFor(o Options) readOptions {
	r := readOptions{endpointForm: endpointForm{cmp.Or(o.Policy.ToolHistory, ToolsKeep), o.To, o.Profile}}
	if (o.Profile.NoTools || o.Profile.ToolsAsText) && r.tools == ToolsKeep {
		r.tools = ToolsText
	}
	if o.Policy.Recovery == RecoverStrip {
		r.tools = repair.ToolsStrip
	}
	if o.Policy.Recovery.AllowsRemedies() {
		r.remedies = o.Remedies
	}
	return r
}

// latest is the whole conversation, read in the way of the last request.
func (c *Conversation) latest() *prepared { return c.prepare(c.last.readOptions) }

// thread is the history read in one way. It is read anew when messages were added, or for another endpoint.
func (c *Conversation) prepare(r readOptions) *prepared {
	if !c.changed && c.last.endpointForm == r.endpointForm && maps.Equal(c.last.remedies, r.remedies) {
		return c.last
	}
	r.remedies = maps.Clone(r.remedies)
	t := c.read(c.messages, r, nil)
	t.takeIndex(c.last)
	c.last, c.changed = t, false
	return t
}

// turnFor reads the running turn of a request. A call whose id the history has already gets another one.
func (c *Conversation) turnFor(o Options, history *prepared) *prepared {
	r := readOptions{endpointForm: history.endpointForm}
	if r.tools = ToolsKeep; o.Profile.ToolsAsText {
		r.tools = ToolsText
	}
	t := c.read(c.countAll(o.Turn), r, history)
	// Results as text become messages of the user, because a request must not end with an answer.
	for i := range t.candidates {
		if v := &t.candidates[i]; o.Profile.ToolsAsText && v.JoinsPrevious && v.Role == Assistant {
			v.Role = User
		}
	}
	return t
}

// countAll is messages with the tokens of their texts. Those that a message comes with are believed.
func (c *Conversation) countAll(list []Message) []Message {
	list = slices.Clone(list)
	for i := range list {
		if m := &list[i]; m.Tokens == 0 {
			m.Tokens = c.count(m.Content)
		}
	}
	return list
}

// overhead is what a message costs beside its text and its frame.
func overhead(m *Message, count TokenCounter) int {
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
func partCost(p Part, count TokenCounter) int {
	switch {
	case p.Tokens > 0:
		return p.Tokens
	case p.Kind == ImagePart:
		return DefaultImageTokens
	}
	return count(p.SentText())
}

// images is how many of the parts of a message are images.
func images(parts []Part) int {
	n := 0
	for _, p := range parts {
		if p.Kind == ImagePart {
			n++
		}
	}
	return n
}

// groupOf is the group of a message, which is the message alone where it has no other.
func toolGroupOf(groups map[int][]int, i int) []int {
	if list := groups[i]; list != nil {
		return list
	}
	return []int{i}
}

// Arguments is what is sent in place of the arguments of one call.
type RepairedArguments = repair.RepairedArguments

// ArgumentsOf is what a request sends as the arguments of the calls of one message, with what was repaired of them.
func RepairArguments(calls []ToolCall) []RepairedArguments { return repair.RepairArguments(calls) }
