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

	above    int // the place of its parent among the nodes, -1 for none
	below    []int
	answers  bool   // every way down from it begins with an answer
	last     int    // the place of its last message in the conversation, or of that above it
	thoughts string // what the model thought above the answer that follows
}

// thinks reports whether a node is nothing but what the model thought before its answer.
func (n *Node) thinks() bool {
	return len(n.Messages) == 1 && n.Messages[0].Role == message.Assistant && n.Messages[0].Reasoning != "" &&
		Blank(n.Messages[0].Message.Message)
}

// Grow makes the conversation's messages of a tree whose active branch ends at the node leaf; "" is the last one.
// Siblings keep their order. A parent that is missing, or that leads back to its node, makes the node the first of a
// branch.
func (c *Conversation) Grow(nodes []Node, leaf string) {
	at := map[string]int{}
	for i := range nodes {
		if _, twice := at[nodes[i].ID]; !twice {
			at[nodes[i].ID] = i
		}
	}
	c.connect(nodes, at)
	order := treeOrder(nodes)
	for i := len(order) - 1; i >= 0; i-- {
		lookAhead(nodes, order[i])
	}
	for _, i := range order {
		c.place(nodes, i)
	}
	c.Leaf = len(c.Messages) - 1
	if i, ok := at[leaf]; ok && nodes[i].last >= 0 {
		c.Leaf = nodes[i].last
	} else if !ok && leaf != "" && len(c.Messages) > 0 {
		c.Odd("", "", "the open branch, %q, is missing; the last branch is used", Shorten(leaf))
	}
}

// connect finds the parents of all nodes.
func (c *Conversation) connect(nodes []Node, at map[string]int) {
	for i := range nodes {
		n := &nodes[i]
		n.above, n.last = -1, -1
		if above, ok := at[n.Parent]; ok {
			n.above = above
		} else if n.Parent != "" {
			c.Odd(n.ID, "", "follows %q, which is missing; the message starts a branch", Shorten(n.Parent))
		}
	}
	walk := make([]int, len(nodes)) // on which walk upwards a node was met first, from 1
	for i := range nodes {
		for k := i; k >= 0 && walk[k] == 0; k = nodes[k].above {
			walk[k] = i + 1
			if up := nodes[k].above; up >= 0 && walk[up] == i+1 {
				c.Odd(nodes[k].ID, "", "follows itself; the message starts a branch")
				nodes[k].above = -1
			}
		}
	}
	for i := range nodes {
		if up := nodes[i].above; up >= 0 {
			nodes[up].below = append(nodes[up].below, i)
		}
	}
}

// treeOrder is every node behind its parent.
func treeOrder(nodes []Node) []int {
	var order, rest []int
	for i := len(nodes) - 1; i >= 0; i-- {
		if nodes[i].above < 0 {
			rest = append(rest, i)
		}
	}
	for len(rest) > 0 {
		i := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		order = append(order, i)
		for k := len(nodes[i].below) - 1; k >= 0; k-- {
			rest = append(rest, nodes[i].below[k])
		}
	}
	return order
}

// lookAhead finds out whether an answer follows a node on every way down, whose own children know already.
func lookAhead(nodes []Node, i int) {
	n := &nodes[i]
	n.answers = len(n.below) > 0
	for _, k := range n.below {
		below := &nodes[k]
		first := len(below.Messages) > 0 && !below.thinks()
		n.answers = n.answers && (first && below.Messages[0].Role == message.Assistant || !first && below.answers)
	}
}

// place adds the messages of a node behind those of its parent. Thoughts go on to the answer.
func (c *Conversation) place(nodes []Node, i int) {
	n := &nodes[i]
	if n.above >= 0 {
		n.last, n.thoughts = nodes[n.above].last, nodes[n.above].thoughts
	}
	if n.thinks() && n.answers {
		n.thoughts = Join(n.thoughts, n.Messages[0].Reasoning)
		return
	}
	for k, m := range n.Messages {
		if k == 0 {
			m.Reasoning, n.thoughts = Join(n.thoughts, m.Reasoning), ""
		}
		m.After = n.last
		n.last = len(c.Messages)
		c.Messages = append(c.Messages, m)
	}
}

// Append adds messages behind the last one.
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
