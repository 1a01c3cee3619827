//go:build cgo

package cli

import (
	"context"
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

// showTree writes every branch of a session.
func (p *program) showTree(ctx context.Context, s *store.Store, info store.Session, clean *secretsTaken, asJSON bool) error {
	messages, err := s.Messages(ctx, info.ID)
	if err != nil {
		return err
	}
	info, messages = clean.conversation(info, messages)
	t := treeOf(messages, info.Leaf)
	if asJSON {
		return writeJSON(p.out, t.object(info))
	}
	_, err = fmt.Fprintf(p.out, "%s\n%s · %s · %s, %s\n\n", p.line(title(info)), info.ID, shownRef(info), theme.Plural(info.Turns, "turn"), t.branches())
	if err != nil {
		return err
	}
	return t.write(p.out, 0, "", p.gist)
}

// gist is what a message is known by in a line: its text, or its calls where it has none.
func (p *program) gist(m store.Message) string {
	text := m.Content
	if text == "" && len(m.ToolCalls) > 0 {
		text = "calls " + m.ToolCalls[0].Name + "(" + m.ToolCalls[0].Arguments + ")"
	}
	return p.line(text[:min(len(text), 400)])
}

// tree is a session's messages with those behind each of them, in order. 0 is the beginning.
type tree struct {
	messages []store.Message
	behind   map[int64][]store.Message
	active   map[int64]bool
	width    int // of the widest id
}

func treeOf(messages []store.Message, leaf int64) *tree {
	t := &tree{messages: messages, behind: map[int64][]store.Message{}, active: map[int64]bool{}}
	parents := make(map[int64]int64, len(messages))
	for _, m := range messages {
		t.behind[m.Parent] = append(t.behind[m.Parent], m)
		parents[m.ID] = m.Parent
		t.width = max(t.width, len(strconv.FormatInt(m.ID, 10)))
	}
	for id := leaf; id != 0; id = parents[id] {
		t.active[id] = true
	}
	return t
}

// branches says how many ends the tree has.
func (t *tree) branches() string {
	n := 0
	for _, m := range t.messages {
		if len(t.behind[m.ID]) == 0 {
			n++
		}
	}
	return theme.PluralOf(n, "branch", "branches")
}

// write draws what stands behind a message. A line goes on as deep as it is; only where branches part they
// are moved in.
func (t *tree) write(out io.Writer, behind int64, margin string, gist func(store.Message) string) error {
	list := t.behind[behind]
	for len(list) == 1 {
		if err := t.line(out, margin, list[0], gist); err != nil {
			return err
		}
		list = t.behind[list[0].ID]
	}
	for i, m := range list {
		sign, on := "├─ ", "│  "
		if i == len(list)-1 {
			sign, on = "└─ ", "   "
		}
		if err := t.line(out, margin+sign, m, gist); err != nil {
			return err
		}
		if err := t.write(out, m.ID, margin+on, gist); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) line(out io.Writer, margin string, m store.Message, gist func(store.Message) string) error {
	mark := " "
	if t.active[m.ID] {
		mark = "*"
	}
	_, err := fmt.Fprintf(out, "%s %s%*d %-9s  %s\n", mark, margin, t.width, m.ID, m.Role, gist(m))
	return err
}

// object is the tree as JSON.
func (t *tree) object(info store.Session) treeObject {
	o := treeObject{Session: oneSession(info), Leaf: info.Leaf, Messages: []treeNodeJSON{}}
	for _, m := range t.messages {
		o.Messages = append(o.Messages, treeNodeJSON{oneMessage(m), t.active[m.ID], m.Sibling, m.Siblings})
	}
	return o
}
