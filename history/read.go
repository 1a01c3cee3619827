package history

import (
	"encoding/json"
	"strings"
	"sync"
	"unicode/utf8"
)

// view is one message as it may be sent; group numbers what must stay together.
type view struct {
	Message
	from     int  // the message's position in the conversation
	group    int  // the position of the message that asked for the tools, else from
	exchange int  // index into exchanges
	at       int  // tokens of the conversation in front of its group, all whole
	tokens   int  // what it costs whole beside its frame
	text     int  // the part of tokens that is its text
	chars    int  // code points of its text
	made     bool // nobody said it: a stand-in for a missing result
}

// thread is a history as it may be sent: repaired, grouped and counted.
type thread struct {
	views     []view
	exchanges []exchange
	base      []Entry // the verdict on each message as it begins
	forms     map[limits][]*form
	endsAt    endsKey
	endsOf    []*form
}

// Conversation is a history already repaired, grouped and counted. Builds may run at the same time,
// but not beside an Append.
type Conversation struct {
	mu      sync.Mutex // held by a Build
	past    []Message
	count   Counter
	repairs map[int][]Repair
	thread
}

// Read repairs, groups and counts a history once. A nil count takes one token per four bytes.
func Read(past []Message, count Counter) *Conversation {
	if count == nil {
		count = func(s string) int { return (len(s) + 3) / 4 }
	}
	c := &Conversation{count: count, repairs: map[int][]Repair{}}
	c.Append(past...)
	return c
}

// Append adds messages to the end. It costs what is new, and a tool group that was still open.
func (c *Conversation) Append(m ...Message) {
	from := len(c.past)
	for from > 0 && from < len(c.past)+len(m) && c.past[from-1].Role == Tool {
		from--
	}
	if from > 0 && len(c.past[from-1].ToolCalls) > 0 {
		from--
	}
	for len(c.views) > 0 && c.views[len(c.views)-1].from >= from {
		c.views = c.views[:len(c.views)-1]
	}
	kept := len(c.views)
	c.base, c.endsAt = c.base[:from], endsKey{}
	for l, f := range c.forms {
		clear(f[min(len(f), kept):])
		c.forms[l] = f[:min(len(f), kept)]
	}
	for i := from; i < len(c.past); i++ {
		delete(c.repairs, i)
	}
	c.past = append(c.past, m...)
	for i := from; i < len(c.past); {
		i = c.take(i)
	}
	for i := from; i < len(c.past); i++ {
		c.base = append(c.base, c.verdict(i))
	}
	c.number(kept)
	for _, v := range c.views[kept:] {
		c.base[v.from].TokensBefore = v.tokens
	}
}

// verdict is a message's entry before anything is chosen.
func (c *Conversation) verdict(i int) Entry {
	m := c.past[i]
	e := Entry{ID: m.ID, Index: i, Role: m.Role, Disposition: Blank, Reason: sentenceBlank, CharsBefore: runes(m.Content), Repairs: c.repairs[i]}
	if m.Status == Quarantined || m.Role != System && m.Role != User && m.Role != Assistant && m.Role != Tool {
		e.Disposition, e.Reason = Isolated, sentenceIsolated
	}
	return e
}

// readTurn reads the messages of the running turn.
func readTurn(turn []Message, count Counter) *thread { return &Read(turn, count).thread }

// take reads the message at i with the results that belong to it and says where the next begins.
func (c *Conversation) take(i int) int {
	m := c.past[i]
	if m.Status == Quarantined || (m.Role != System && m.Role != User && m.Role != Assistant && m.Role != Tool) {
		return i + 1
	}
	m.Content = c.clean(i, m.Content)
	if len(m.ToolCalls) == 0 {
		if m.Role == Tool {
			c.repair(i, "C6", "The call of this tool result is missing; it is sent as text.", m.Content, "")
			m = Message{ID: m.ID, Role: Assistant, Content: "[tool result, call missing] " + m.Content}
		}
		c.add(i, i, m)
		return i + 1
	}
	end := i + 1
	for end < len(c.past) && c.past[end].Role == Tool && c.past[end].Status != Quarantined {
		end++
	}
	results := c.past[i+1 : end]
	if c.sound(m, results) {
		c.add(i, i, m)
		for k, r := range results {
			r.Content = c.clean(i+1+k, r.Content)
			if strings.TrimSpace(r.Content) == "" {
				c.repair(i+1+k, "C9", "The tool's result was empty; a note stands in its place.", r.Content, "(empty result)")
				r.Content = "(empty result)"
			}
			c.add(i+1+k, i, r)
		}
		return end
	}
	c.repair(i, "C5", "The calls and results of this message do not match; they are sent as text.", "", "")
	for _, call := range m.ToolCalls {
		m.Content = strings.TrimSpace(m.Content + "\n[called " + call.Name + " " + strings.ToValidUTF8(call.Arguments, "\uFFFD") + "]")
	}
	m.ToolCalls, m.Tokens = nil, 0
	c.add(i, i, m)
	for k, r := range results {
		c.add(i+1+k, i, Message{ID: r.ID, Role: Assistant, Content: "[tool result] " + c.clean(i+1+k, r.Content)})
	}
	return end
}

// sound reports whether every call has one result, in order, and arguments that are a JSON object.
func (c *Conversation) sound(m Message, results []Message) bool {
	if len(results) != len(m.ToolCalls) {
		return false
	}
	seen := map[string]bool{}
	for k, call := range m.ToolCalls {
		var object map[string]json.RawMessage
		if call.ID == "" || call.Name == "" || seen[call.ID] || results[k].ToolCallID != call.ID ||
			json.Unmarshal([]byte(call.Arguments), &object) != nil || object == nil {
			return false
		}
		seen[call.ID] = true
	}
	return true
}

func (c *Conversation) clean(i int, s string) string {
	if utf8.ValidString(s) && !strings.Contains(s, "\x00") {
		return s
	}
	out := strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	c.repair(i, "C14", "Bytes that are not text are sent as replacement characters.", s, out)
	return out
}

func (c *Conversation) repair(i int, kind, what, before, after string) {
	c.repairs[i] = append(c.repairs[i], Repair{Kind: kind, What: what, Before: before, After: after})
}

func (c *Conversation) add(i, group int, m Message) {
	blank := strings.TrimSpace(m.Content) == "" && len(m.ToolCalls) == 0 && len(m.Parts) == 0
	if blank {
		return
	}
	v := view{Message: m, from: i, group: group, chars: utf8.RuneCountInString(m.Content), tokens: m.Tokens}
	if v.tokens == 0 || m.Content != c.past[i].Content {
		v.tokens = c.count(m.Content)
	}
	v.text = v.tokens
	v.tokens += overhead(m, c.count)
	c.views = append(c.views, v)
}

// overhead is what a message costs beside its text and its frame.
func overhead(m Message, count Counter) int {
	n := 0
	for _, call := range m.ToolCalls {
		n += count(call.Name) + count(call.Arguments) + frameCall
	}
	for _, p := range m.Parts {
		if n += p.Tokens; p.Tokens == 0 && p.Kind == ImagePart {
			n += imageTokens
		}
	}
	return n
}
