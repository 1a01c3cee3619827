package history

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"winnow/history/repair"
)

// Conversation is a history that is prepared once: repaired, grouped, counted and indexed. Messages can be appended. It
// is safe for concurrent use; builds run one at a time.
type Conversation struct {
	mu       sync.Mutex
	count    TokenCounter
	counted  map[string]int // cache: texts of earlier requests and their tokens
	messages []Message
	last     *prepared // the messages as prepared for the last request
	changed  bool      // messages were appended since then
}

// NewConversation returns a conversation of these messages. A nil count assumes one token per four bytes.
func NewConversation(past []Message, count TokenCounter) *Conversation {
	if count == nil {
		count = func(s string) int { return (len(s) + 3) / 4 }
	}
	nothing := &prepared{readOptions: readOptions{endpointForm: endpointForm{tools: ToolsKeep}}}
	c := &Conversation{count: count, counted: map[string]int{}, last: nothing, changed: true}
	c.Append(past...)
	return c
}

// Append adds messages to the end. They are prepared when the next request is built.
func (c *Conversation) Append(list ...Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.messages = append(c.messages, c.countAll(list)...)
	c.changed = c.changed || len(list) > 0
}

// ToolGroup is like Plan.ToolGroup, but needs no plan.
func (c *Conversation) ToolGroup(i int) []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return toolGroupOf(c.latest().toolGroups, i)
}

// leastFound is the lowest score of a group that Search returns. Groups that share words with the question reach it,
// and so do their direct neighbours, which may hold the answer.
const leastFound = 0.3

// Search returns the groups of messages related to a question, the most relevant first, as positions in the
// conversation. A group is a message that calls tools with the results of its calls, or a single message. Messages that
// cannot be sent, such as quarantined ones, are not found.
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

// mostCounted is the size of the cache of counted texts.
const mostCounted = 1 << 14

// countCached counts the tokens of a text that is likely to occur in the next request too, such as the system prompt or
// a marker.
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

// readOptions is what the preparation of messages depends on.
type readOptions struct {
	endpointForm
	remedies map[int64]Remedy // by Message.ID
}

// endpointForm says in which form an endpoint receives tool calls, images and the keys of its own answers.
type endpointForm struct {
	tools   ToolHistory
	to      Origin // the model that gets its own keys back; zero for none
	profile Profile
}

// readingFor returns how the history is prepared for a request.
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

// latest returns the whole conversation, prepared as for the last request.
func (c *Conversation) latest() *prepared { return c.prepare(c.last.readOptions) }

// prepare returns the prepared history. The last one is reused unless messages were appended or the options differ.
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

// turnFor prepares the running turn of a request. Calls whose ids the history already uses get new ones.
func (c *Conversation) turnFor(o Options, history *prepared) *prepared {
	r := readOptions{endpointForm: history.endpointForm}
	if r.tools = ToolsKeep; o.Profile.ToolsAsText {
		r.tools = ToolsText
	}
	t := c.read(c.countAll(o.Turn), r, history)
	// Results that are sent as text become user messages, because a request must not end with an assistant message.
	for i := range t.candidates {
		if v := &t.candidates[i]; o.Profile.ToolsAsText && v.JoinsPrevious && v.Role == Assistant {
			v.Role = User
		}
	}
	return t
}

// countAll returns a copy of the messages with Tokens set. Counts that are already set are kept.
func (c *Conversation) countAll(list []Message) []Message {
	list = slices.Clone(list)
	for i := range list {
		if m := &list[i]; m.Tokens == 0 {
			m.Tokens = c.count(m.Content)
		}
	}
	return list
}

// overhead returns the cost of a message besides its text and its frame.
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

// partCost returns the cost of a part of a message.
func partCost(p Part, count TokenCounter) int {
	switch {
	case p.Tokens > 0:
		return p.Tokens
	case p.Kind == ImagePart:
		return defaultImageTokens
	}
	return count(p.AsText())
}

// images returns the number of images among the parts.
func images(parts []Part) int {
	n := 0
	for _, p := range parts {
		if p.Kind == ImagePart {
			n++
		}
	}
	return n
}

// toolGroupOf returns the group of a message, or the message alone.
func toolGroupOf(groups map[int][]int, i int) []int {
	if list := groups[i]; list != nil {
		return list
	}
	return []int{i}
}

// RepairedArguments is what is sent in place of the arguments of one call.
type RepairedArguments = repair.RepairedArguments

// RepairArguments returns what a request sends as the arguments of the calls of one message.
func RepairArguments(calls []ToolCall) []RepairedArguments { return repair.RepairArguments(calls) }
