package conversation

import (
	"cmp"
	"slices"

	"winnow/history/message"
)

// Node is one entry of a program that names each entry's parent. An entry without messages connects others.
type Node struct {
	ID, Parent string
	Messages   []Message
}

// thinks reports whether a node is nothing but what the model thought before its answer.
func (n Node) onlyReasoning() bool {
	return len(n.Messages) == 1 && n.Messages[0].Role == message.Assistant && n.Messages[0].Reasoning != "" &&
		IsBlank(n.Messages[0])
}

// ByTime orders nodes by the times of their messages, those without a message first.
func CompareTime(a, b Node) int {
	return cmp.Or(cmp.Compare(a.createdMS(), b.createdMS()), cmp.Compare(a.ID, b.ID))
}

func (n Node) createdMS() int64 {
	if len(n.Messages) == 0 {
		return 0
	}
	return n.Messages[0].CreatedMS
}

// tree is a tree of nodes while it becomes the messages of a conversation.
type tree struct {
	c     *Conversation
	nodes []Node
	below [][]int // the children of each node, in order
	last  []int   // the place in the conversation of a node's last message, or of the one above it
	seen  []bool
}

// Grow makes the conversation's messages of a tree whose active branch ends at the node leaf; "" is the last one.
// Siblings keep their order. A node whose parent is missing, or leads back to it, is the first one of a branch.
func (c *Conversation) AddTree(nodes []Node, leaf string) {
	t := tree{c, nodes, make([][]int, len(nodes)), make([]int, len(nodes)), make([]bool, len(nodes))}
	at := map[string]int{}
	for i, n := range slices.Backward(nodes) {
		at[n.ID] = i
	}
	var roots []int
	for i, n := range nodes {
		if above, ok := at[n.Parent]; ok {
			t.below[above] = append(t.below[above], i)
			continue
		}
		if n.Parent != "" {
			c.Warnf(n.ID, "follows %q, which is missing; the message starts a branch", Shorten(n.Parent))
		}
		roots = append(roots, i)
	}
	for _, i := range roots {
		t.addNode(i, -1, nil)
	}
	for i, n := range nodes {
		if !t.seen[i] {
			c.Warnf(n.ID, "follows itself; the message starts a branch")
			t.addNode(i, -1, nil)
		}
	}
	c.Leaf = len(c.Messages) - 1
	if i, ok := at[leaf]; ok && t.last[i] >= 0 {
		c.Leaf = t.last[i]
	} else if !ok && leaf != "" && len(c.Messages) > 0 {
		c.Warnf("", "the open branch, %q, is missing; the last branch is used", Shorten(leaf))
	}
}

// place adds the messages of a node and of those below it. Thoughts, messages that are nothing else, become those of
// the answer that follows; where none follows they stay messages.
func (t *tree) addNode(i, after int, thoughts []Message) {
	if t.seen[i] {
		return
	}
	t.seen[i] = true
	n := t.nodes[i]
	if n.onlyReasoning() {
		thoughts, n.Messages = slices.Concat(thoughts, n.Messages), nil
	}
	answered := len(n.Messages) > 0 && n.Messages[0].Role == message.Assistant
	if last := len(t.below[i]) == 0; !answered && (last || len(n.Messages) > 0) {
		n.Messages, thoughts = slices.Concat(thoughts, n.Messages), nil
	}
	for _, m := range n.Messages {
		for _, thought := range slices.Backward(thoughts) {
			m.Reasoning = JoinParagraphs(thought.Reasoning, m.Reasoning)
		}
		thoughts = nil
		m.After, after = after, len(t.c.Messages)
		t.c.Messages = append(t.c.Messages, m)
	}
	t.last[i] = after
	for _, k := range t.below[i] {
		t.addNode(k, after, thoughts)
	}
}
