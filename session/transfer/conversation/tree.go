package conversation

import (
	"cmp"
	"slices"

	"winnow/history/message"
)

// Node is an entry of a file in which each entry names its parent. Nodes without messages only connect others.
type Node struct {
	ID, Parent string
	Messages   []Message
}

// onlyReasoning reports whether a node holds nothing but the reasoning before an answer.
func (n Node) onlyReasoning() bool {
	return len(n.Messages) == 1 && n.Messages[0].Role == message.Assistant && n.Messages[0].Reasoning != "" &&
		IsBlank(n.Messages[0])
}

// CompareTime orders nodes by the times of their messages, nodes without messages first.
func CompareTime(a, b Node) int {
	return cmp.Or(cmp.Compare(a.createdMS(), b.createdMS()), cmp.Compare(a.ID, b.ID))
}

func (n Node) createdMS() int64 {
	if len(n.Messages) == 0 {
		return 0
	}
	return n.Messages[0].CreatedMS
}

// tree is the state of AddTree.
type tree struct {
	c     *Conversation
	nodes []Node
	below [][]int // the children of each node, in order
	last  []int   // index in the conversation of the last message up to and including each node
	seen  []bool
}

// AddTree adds the messages of a tree whose active branch ends at the node with the id leaf, or at the last node if
// leaf is "". Siblings keep their order. A node whose parent is missing, or is below the node itself, starts a branch.
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

// addNode adds the messages of a node and of the nodes below it. Messages that hold nothing but reasoning become the
// reasoning of the answer that follows them; if there is none, they stay messages.
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
