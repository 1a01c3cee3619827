package conversation

import (
	"strings"

	"winnow/history/message"
	"winnow/session/store"
)

// Node is one entry of a program that names each entry's parent. An entry without messages connects others.
type Node struct {
	ID, Parent string
	Messages   []store.ImportedMessage
}

// thinks reports whether a node is nothing but what the model thought before its answer.
func (n Node) thinks() bool {
	return len(n.Messages) == 1 && n.Messages[0].Role == message.Assistant && n.Messages[0].Reasoning != "" &&
		Blank(n.Messages[0].Message.Message)
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
func (c *Conversation) Grow(nodes []Node, leaf string) {
	t := tree{c, nodes, make([][]int, len(nodes)), make([]int, len(nodes)), make([]bool, len(nodes))}
	at := map[string]int{}
	for i, n := range nodes {
		if _, twice := at[n.ID]; !twice {
			at[n.ID] = i
		}
	}
	var roots []int
	for i, n := range nodes {
		if above, ok := at[n.Parent]; ok {
			t.below[above] = append(t.below[above], i)
			continue
		}
		if n.Parent != "" {
			c.Odd(n.ID, "", "follows %q, which is missing; the message starts a branch", Shorten(n.Parent))
		}
		roots = append(roots, i)
	}
	for _, i := range roots {
		t.place(i, -1, "")
	}
	for i, n := range nodes {
		if !t.seen[i] {
			c.Odd(n.ID, "", "follows itself; the message starts a branch")
			t.place(i, -1, "")
		}
	}
	c.Leaf = len(c.Messages) - 1
	if i, ok := at[leaf]; ok && t.last[i] >= 0 {
		c.Leaf = t.last[i]
	} else if !ok && leaf != "" && len(c.Messages) > 0 {
		c.Odd("", "", "the open branch, %q, is missing; the last branch is used", Shorten(leaf))
	}
}

// place adds the messages of a node and of those below it. Thoughts become those of the answer that follows.
func (t *tree) place(i, after int, thoughts string) {
	if t.seen[i] {
		return
	}
	t.seen[i] = true
	if n := t.nodes[i]; n.thinks() && t.answered(i) {
		thoughts = Join(thoughts, n.Messages[0].Reasoning)
	} else {
		for _, m := range n.Messages {
			m.Reasoning, thoughts = Join(thoughts, m.Reasoning), ""
			m.After = after
			after = len(t.c.Messages)
			t.c.Messages = append(t.c.Messages, m)
		}
	}
	t.last[i] = after
	for _, k := range t.below[i] {
		t.place(k, after, thoughts)
	}
}

// answered reports whether every way down from a node begins with an answer.
func (t *tree) answered(i int) bool {
	for _, k := range t.below[i] {
		switch n := t.nodes[k]; {
		case t.seen[k]:
			return false
		case len(n.Messages) == 0 || n.thinks():
			if !t.answered(k) {
				return false
			}
		case n.Messages[0].Role != message.Assistant:
			return false
		}
	}
	return len(t.below[i]) > 0
}

// Append adds messages after the last one.
func (c *Conversation) Append(messages ...store.ImportedMessage) {
	for _, m := range messages {
		m.After = len(c.Messages) - 1
		c.Messages = append(c.Messages, m)
	}
}

// Join joins texts with an empty line between any two of them that are not empty.
func Join(texts ...string) string {
	var all []string
	for _, text := range texts {
		if text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n\n")
}

// NameByFirst names a conversation without an id in its file by the id of its first message.
func (c *Conversation) NameByFirst() {
	if c.Session.Origin == "" && len(c.Messages) > 0 {
		c.Session.Origin = "of message " + c.Messages[0].Label
	}
}
