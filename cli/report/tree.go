package report

import (
	"fmt"
	"io"
	"strconv"

	"winnow/session/store"
	"winnow/ui/theme"
)

// treeObject is what sessions show --tree --json writes: the session and the messages of every branch,
// each behind its parent.
type treeObject struct {
	Session  sessionJSON    `json:"session"`
	Leaf     int64          `json:"leaf"` // the newest message of the active branch
	Messages []treeNodeJSON `json:"messages"`
}

type treeNodeJSON struct {
	messageJSON
	Active   bool `json:"active"`   // it is on the active branch
	Sibling  int  `json:"sibling"`  // its place among the messages behind its parent, from 1
	Siblings int  `json:"siblings"` // how many they are
}

// gist is what a message is known by in a line: its text, or its calls where it has none.
func gist(m store.Message) string {
	text := m.Content
	if text == "" && len(m.ToolCalls) > 0 {
		text = "calls " + m.ToolCalls[0].Name + "(" + m.ToolCalls[0].Arguments + ")"
	}
	return Line(text[:min(len(text), 400)])
}

// Tree is a session's messages with those behind each of them, in order. 0 is the beginning.
type Tree struct {
	messages []store.Message
	children map[int64][]store.Message
	active   map[int64]bool
	width    int // of the widest id
}

// NewTree makes the tree of a session; leaf is the newest message of the active branch.
func NewTree(messages []store.Message, leaf int64) *Tree {
	t := &Tree{messages: messages, children: map[int64][]store.Message{}, active: map[int64]bool{}}
	parents := make(map[int64]int64, len(messages))
	for _, m := range messages {
		t.children[m.Parent] = append(t.children[m.Parent], m)
		parents[m.ID] = m.Parent
		t.width = max(t.width, len(strconv.Itoa(m.Seq)))
	}
	for id := leaf; id != 0; id = parents[id] {
		t.active[id] = true
	}
	return t
}

// branches says how many ends the tree has.
func (t *Tree) branches() string {
	n := 0
	for _, m := range t.messages {
		if len(t.children[m.ID]) == 0 {
			n++
		}
	}
	return theme.PluralOf(n, "branch", "branches")
}

// Write draws the tree under a head that says which session it is of.
func (t *Tree) Write(out io.Writer, info store.Session) error {
	_, err := fmt.Fprintf(out, "%s\n%s · %s · %s, %s\n\n", Line(Title(info)), info.ID, Ref(info),
		theme.Plural(info.Turns, "turn"), t.branches())
	if err != nil {
		return err
	}
	return t.write(out, 0, "")
}

// write draws what stands behind a message. A line goes on as deep as it is; only where branches part they
// are moved in.
func (t *Tree) write(out io.Writer, parent int64, indent string) error {
	list := t.children[parent]
	for len(list) == 1 {
		if err := t.line(out, indent, list[0]); err != nil {
			return err
		}
		list = t.children[list[0].ID]
	}
	for i, m := range list {
		sign, on := "├─ ", "│  "
		if i == len(list)-1 {
			sign, on = "└─ ", "   "
		}
		if err := t.line(out, indent+sign, m); err != nil {
			return err
		}
		if err := t.write(out, m.ID, indent+on); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tree) line(out io.Writer, indent string, m store.Message) error {
	mark := " "
	if t.active[m.ID] {
		mark = "*"
	}
	_, err := fmt.Fprintf(out, "%s %s%*d %-9s  %s\n", mark, indent, t.width, m.Seq, m.Role, gist(m))
	return err
}

// JSON is what sessions show --tree --json writes.
func (t *Tree) JSON(info store.Session) any {
	o := treeObject{Session: oneSession(info), Leaf: info.Leaf, Messages: []treeNodeJSON{}}
	for _, m := range t.messages {
		o.Messages = append(o.Messages, treeNodeJSON{oneMessage(m), t.active[m.ID], m.Sibling, m.Siblings})
	}
	return o
}
