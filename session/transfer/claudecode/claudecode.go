// Package claudecode reads a session file of Claude Code, ~/.claude/projects/*/*.jsonl. Such a file holds neither the
// system prompt nor the descriptions of the tools. The package does not open files and does not store.
package claudecode

import (
	"encoding/json"
	"time"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/transfer/conversation"
)

// Read reads a session file.
var Read = conversation.Whole("claude-code", read)

// line is one line of the file. Those that are no message connect others, or say something about the session.
type line struct {
	Type          string            `json:"type"`
	ID            string            `json:"uuid"`
	Parent        string            `json:"parentUuid"`
	LogicalParent string            `json:"logicalParentUuid"` // across a compaction
	Session       string            `json:"sessionId"`
	Sidechain     bool              `json:"isSidechain"`
	Time          conversation.Time `json:"timestamp"`
	Cwd           string            `json:"cwd"`
	Summary       string            `json:"summary"`
	CustomTitle   string            `json:"customTitle"`
	AITitle       string            `json:"aiTitle"`
	Message       struct {
		ID      string          `json:"id"`
		Role    string          `json:"role"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// growing is a session while its lines become the entries of a tree.
type growing struct {
	c     *conversation.Conversation
	nodes []conversation.Node
	group map[string]string // the answer that a line is of or brings a result for, by the line's id
	tail  map[string]string // the last line of an answer or of the results for it
	first map[string]int    // the place among the nodes of an answer's first line
	side  int
}

func read(c *conversation.Conversation, values []conversation.Value) {
	g := growing{c: c, group: map[string]string{}, tail: map[string]string{}, first: map[string]int{}}
	leaf, titled := "", false
	for _, v := range values {
		var l line
		if err := json.Unmarshal(v.Raw, &l); err != nil {
			c.LoseLine(v.Line, "is not of Claude Code: "+err.Error())
			continue
		}
		if c.Session.Origin == "" {
			c.Session.Origin = l.Session
		}
		if l.Cwd != "" && c.Session.Dir == "" {
			c.Session.Dir = l.Cwd
		}
		switch {
		case l.CustomTitle != "":
			c.Session.Title, titled = l.CustomTitle, true
		case l.AITitle+l.Summary != "" && !titled:
			c.Session.Title = l.AITitle + l.Summary
		case l.ID != "" && l.Sidechain:
			g.side++
		case l.ID != "":
			g.add(l)
			leaf = l.ID
		}
	}
	c.Grow(g.nodes, leaf)
	if g.side > 0 {
		c.Odd("", "", "lines of subagents are not imported: %d", g.side)
	}
	if c.Session.Origin == "" && len(c.Messages) > 0 {
		c.Session.Origin = "of message " + c.Messages[0].Label
	}
	if n := len(c.Messages); n > 0 && c.Messages[n-1].CreatedMS != 0 {
		c.Session.Updated = time.UnixMilli(c.Messages[n-1].CreatedMS)
	}
}

// add adds a line. One answer is in several lines, each with one block, and results of tools that ran side by side
// hang on different ones of them. They become one answer with its results behind it.
func (g *growing) add(l line) {
	n := conversation.Node{ID: l.ID, Parent: l.Parent}
	if n.Parent == "" {
		n.Parent = l.LogicalParent
	}
	answer := g.group[n.Parent]
	if l.Type != "user" && l.Type != "assistant" {
		g.nodes = append(g.nodes, n)
		return
	}
	messages := g.messages(l)
	switch first, known := g.first[l.Message.ID]; {
	case l.Type == "assistant" && known && l.Message.ID != "":
		for _, more := range messages {
			conversation.Continue(&g.nodes[first].Messages[0], more)
		}
		n.Parent = g.nodes[first].ID
		g.group[l.ID] = l.Message.ID
	case l.Type == "assistant":
		if answer != "" {
			n.Parent = g.tail[answer]
		}
		n.Messages = messages
		g.first[l.Message.ID], g.group[l.ID], g.tail[l.Message.ID] = len(g.nodes), l.Message.ID, l.ID
	default:
		if answer != "" {
			n.Parent = g.tail[answer]
		}
		if n.Messages = messages; len(messages) > 0 && messages[0].Role == message.Tool && answer != "" {
			g.group[l.ID], g.tail[answer] = answer, l.ID
		}
	}
	g.nodes = append(g.nodes, n)
}

// messages are what a line says.
func (g *growing) messages(l line) []store.ImportedMessage {
	content := conversation.ReadContent(l.Message.Content)
	if len(content.Unused) > 0 {
		g.c.Odd(l.ID, "content", "%s", conversation.LeftOut(content.Kinds...))
	}
	m := conversation.NewMessage(l.ID, conversation.Role(l.Message.Role), "", l.Time.MS())
	if m.Role == message.Assistant {
		m.Model = l.Message.Model
	}
	return content.Messages(m)
}
