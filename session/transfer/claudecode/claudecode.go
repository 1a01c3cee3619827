// Package claudecode reads session files of Claude Code, ~/.claude/projects/*/*.jsonl. They contain neither the system
// prompt nor the descriptions of tools.
package claudecode

import (
	"cmp"
	"encoding/json"
	"time"

	"winnow/history/message"
	"winnow/session/transfer/conversation"
)

// Read reads a session file.
var Read = conversation.PerFile("claude-code", read)

// line is one line of the file. Lines that are not messages connect others or describe the session.
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

// answer collects the lines of one answer, one per block, and their tool results.
type answer struct {
	first int    // index of the node of its first line
	last  string // id of its first line, or of its last tool result
}

// builder is a session whose lines are being turned into a tree.
type builder struct {
	c        *conversation.Conversation
	nodes    []conversation.Node
	answers  map[string]*answer // by the id of the answer
	answerOf map[string]*answer // by the id of a line of the answer or of a tool result for it
}

func read(c *conversation.Conversation, values []conversation.Value) {
	g := builder{c: c, answers: map[string]*answer{}, answerOf: map[string]*answer{}}
	row := &c.Session
	leaf, titled, side := "", false, 0
	for _, v := range values {
		var l line
		if err := json.Unmarshal(v.Raw, &l); err != nil {
			c.LineError(v.Line, "is not of Claude Code: "+err.Error())
			continue
		}
		row.Origin, row.Dir = cmp.Or(row.Origin, l.Session), cmp.Or(row.Dir, l.Cwd)
		switch {
		case l.CustomTitle != "":
			row.Title, titled = l.CustomTitle, true
		case l.AITitle+l.Summary != "" && !titled:
			row.Title = l.AITitle + l.Summary
		case l.ID != "" && l.Sidechain:
			side++
		case l.ID != "":
			g.add(l)
			leaf = l.ID
		}
	}
	c.AddTree(g.nodes, leaf)
	if side > 0 {
		c.Warnf("", "lines of subagents are not imported: %d", side)
	}
	c.SetDefaultOrigin()
	if n := len(c.Messages); n > 0 && c.Messages[n-1].CreatedMS != 0 {
		row.Updated = time.UnixMilli(c.Messages[n-1].CreatedMS)
	}
}

// add adds a line. The blocks of one answer are separate lines, and the results of tools that ran in parallel follow
// different ones of them. They become one answer, followed by its results.
func (g *builder) add(l line) {
	n := conversation.Node{ID: l.ID, Parent: cmp.Or(l.Parent, l.LogicalParent)}
	if l.Type != "user" && l.Type != "assistant" {
		g.nodes = append(g.nodes, n)
		return
	}
	m := conversation.NewMessage(l.ID, l.Message.Role, "", l.Time.MS())
	if m.Role == message.Assistant {
		m.Model = l.Message.Model
	}
	messages := g.c.SplitContent(conversation.ReadContent(l.Message.Content), l.ID, m)
	before, begun := g.answerOf[n.Parent], g.answers[l.Message.ID]
	if before != nil {
		n.Parent = before.last
	}
	switch {
	case l.Type == "assistant" && begun != nil && l.Message.ID != "":
		first := &g.nodes[begun.first]
		for _, more := range messages {
			conversation.Extend(&first.Messages[0], more)
		}
		n.Parent = first.ID
		g.answerOf[l.ID] = begun
	case l.Type == "assistant":
		n.Messages = messages
		begun = &answer{len(g.nodes), l.ID}
		g.answers[l.Message.ID], g.answerOf[l.ID] = begun, begun
	default:
		n.Messages = messages
		if messages[0].Role == message.Tool && before != nil {
			before.last, g.answerOf[l.ID] = l.ID, before
		}
	}
	g.nodes = append(g.nodes, n)
}
