package chatgpt

import (
	"slices"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/transfer/conversation"
	"winnow/session/transfer/rawjson"
)

// tree is a conversation's mapping while it becomes the messages of a conversation.
type tree struct {
	conv   *conversation.Conversation
	assets Assets
	nodes  []node
	at     map[string]int  // the nodes by their keys
	labels map[string]bool // those that are taken
}

// node is one entry of a mapping. Many hold no message, or only what the model thought before the next.
type node struct {
	key    string
	parent int // its place among the nodes, -1 for none
	kids   []int
	raw    []byte // its message as it is in the file, nil for none
	claims []string
	above  string

	message  store.ImportedMessage
	kind     nodeKind
	leads    bool // every way down from it leads to an answer first
	place    int  // the place of its message among the conversation's, or of that above it
	thoughts string
}

// nodeKind says what a node holds.
type nodeKind int

const (
	structure   nodeKind = iota // no message, or one that says nothing
	thinking                    // what the model thought before its answer
	messageNode                 // a message
)

// grow makes the conversation's messages of a mapping whose active branch ends at the node leaf.
func (t *tree) grow(mapping []byte, leaf string) {
	t.labels = map[string]bool{}
	t.collect(mapping)
	t.connect()
	t.breakLoops()
	order := t.order()
	for _, i := range order {
		t.nodes[i].kind = t.readNode(&t.nodes[i])
	}
	t.lookAhead(order)
	for _, i := range order {
		t.addMessage(i)
	}
	t.noteTimes()
	t.end(leaf)
}

// collect reads the mapping's entries without their messages.
func (t *tree) collect(mapping []byte) {
	t.at = map[string]int{}
	for name, raw := range rawjson.Members(mapping) {
		n := node{key: rawjson.Unquote(name), parent: -1, place: -1}
		if raw[0] != '{' {
			t.conv.Lose(n.key, "", "is %s, not a node", rawjson.Kind(raw))
			continue
		}
		for name, value := range rawjson.Members(raw) {
			switch rawjson.Unquote(name) {
			case "message":
				if string(value) != "null" {
					n.raw = value
				}
			case "parent":
				n.above = rawjson.Text(value)
			case "children":
				if value[0] == '[' {
					for kid := range rawjson.Items(value) {
						n.claims = append(n.claims, rawjson.Text(kid))
					}
				}
			}
		}
		if i, twice := t.at[n.key]; twice {
			t.conv.Odd(n.key, "", "appears more than once in the mapping; the last one is used")
			t.nodes[i] = n
			continue
		}
		t.at[n.key] = len(t.nodes)
		t.nodes = append(t.nodes, n)
	}
}

// connect gives every node its parent: the one that it names, or where that is missing one that names it.
func (t *tree) connect() {
	claimed := make([]int, len(t.nodes))
	for i := range claimed {
		claimed[i] = -1
	}
	for i, n := range t.nodes {
		for _, key := range n.claims {
			if k, ok := t.at[key]; ok && claimed[k] < 0 {
				claimed[k] = i
			}
		}
	}
	for i := range t.nodes {
		n := &t.nodes[i]
		above, ok := t.at[n.above]
		switch {
		case ok:
			n.parent = above
		case claimed[i] >= 0:
			n.parent = claimed[i]
		case n.above != "":
			t.conv.Odd(n.key, "parent", "is %q, which is missing; the message starts a branch", conversation.Shorten(n.above))
		}
	}
}

// breakLoops makes one node of every loop of parents the first of its branch.
func (t *tree) breakLoops() {
	seen := make([]int, len(t.nodes)) // by which walk, from 1
	for i := range t.nodes {
		for k := i; k >= 0 && seen[k] != i+1; k = t.nodes[k].parent {
			if seen[k] != 0 {
				break
			}
			seen[k] = i + 1
			if up := t.nodes[k].parent; up >= 0 && seen[up] == i+1 {
				t.conv.Odd(t.nodes[k].key, "parent", "leads back to the message itself; the message starts a branch")
				t.nodes[k].parent = -1
			}
		}
	}
}

// order is every node behind its parent, and the children of one in the order that it gives them.
func (t *tree) order() []int {
	var roots []int
	for i := range t.nodes {
		up := t.nodes[i].parent
		if up < 0 {
			roots = append(roots, i)
			continue
		}
		t.nodes[up].kids = append(t.nodes[up].kids, i)
	}
	for i := range t.nodes {
		n := &t.nodes[i]
		if len(n.kids) < 2 {
			continue
		}
		rank := make(map[int]int, len(n.claims))
		for k, key := range n.claims {
			if kid, ok := t.at[key]; ok {
				rank[kid] = k - len(n.claims) // before those that it does not name
			}
		}
		slices.SortStableFunc(n.kids, func(a, b int) int { return rank[a] - rank[b] })
	}
	out := make([]int, 0, len(t.nodes))
	rest := slices.Clone(roots)
	slices.Reverse(rest)
	for len(rest) > 0 {
		i := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		out = append(out, i)
		for _, kid := range slices.Backward(t.nodes[i].kids) {
			rest = append(rest, kid)
		}
	}
	return out
}

// lookAhead finds out which thoughts go to the answers that follow.
func (t *tree) lookAhead(order []int) {
	for _, i := range slices.Backward(order) {
		n := &t.nodes[i]
		if n.kind == messageNode {
			n.leads = n.message.Role == message.Assistant
			continue
		}
		n.leads = len(n.kids) > 0
		for _, kid := range n.kids {
			n.leads = n.leads && t.nodes[kid].leads
		}
	}
}

// addMessage gives a node's message its addMessage in the conv. Thoughts go on to the answer.
func (t *tree) addMessage(i int) {
	n := &t.nodes[i]
	above := ""
	if n.parent >= 0 {
		n.place, above = t.nodes[n.parent].place, t.nodes[n.parent].thoughts
	}
	switch {
	case n.kind == structure:
		n.thoughts = above
		return
	case n.kind == thinking && n.leads:
		n.thoughts = joined(above, n.message.Reasoning)
		return
	}
	n.message.Reasoning = joined(above, n.message.Reasoning)
	n.message.After = n.place
	if n.message.Role == message.Tool {
		n.message.ToolCallID = t.callFor(n.message)
	}
	n.place = len(t.conv.Messages)
	t.conv.Messages = append(t.conv.Messages, n.message)
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// callFor is the call that a tool's message answers: the last one of the same turn to a tool of its name,
// or else the last one of the turn, "" for none.
func (t *tree) callFor(m store.ImportedMessage) string {
	last := ""
	for at := m.After; at >= 0; at = t.conv.Messages[at].After {
		before := t.conv.Messages[at]
		if before.Role == message.User {
			break
		}
		for _, call := range slices.Backward(before.ToolCalls) {
			if call.Name == m.Name {
				return call.ID
			}
			if last == "" {
				last = call.ID
			}
		}
	}
	return last
}

// noteTimes says how many messages have no time. Whoever stores them gives them one.
func (t *tree) noteTimes() {
	untimed := 0
	for _, m := range t.conv.Messages {
		if m.CreatedMS == 0 && (m.Role == message.User || m.Role == message.Assistant) {
			untimed++
		}
	}
	switch {
	case untimed == 1:
		t.conv.Odd("", "create_time", "1 message has no time; the time of the previous message is used.")
	case untimed > 1:
		t.conv.Odd("", "create_time", "%d messages have no time; the time of the previous message is used.", untimed)
	}
}

// end finds the end of the active branch.
func (t *tree) end(leaf string) {
	t.conv.Leaf = len(t.conv.Messages) - 1
	i, ok := t.at[leaf]
	if ok && t.nodes[i].place >= 0 {
		t.conv.Leaf = t.nodes[i].place
	}
	if !ok && leaf != "" && len(t.conv.Messages) > 0 {
		t.conv.Odd("", "current_node", "The open branch, %q, is missing; the last branch is used.", conversation.Shorten(leaf))
	}
}
