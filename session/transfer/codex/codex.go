// Package codex reads session files of Codex, ~/.codex/sessions/**/rollout-*.jsonl. They contain the system prompt only
// if the version of Codex writes it, and no descriptions of tools.
package codex

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"winnow/history/message"
	"winnow/session/title"
	"winnow/session/transfer/conversation"
)

// Read reads a session file.
var Read = conversation.PerFile("codex", read)

// line is one line of the file. Lines of the type response_item hold the items of requests; other events repeat them
// for the screen.
type line struct {
	Time    conversation.Time `json:"timestamp"`
	Type    string            `json:"type"`
	Payload json.RawMessage   `json:"payload"`
}

// metadata is the payload of the other lines.
type metadata struct {
	ID           string `json:"id"`
	Cwd          string `json:"cwd"`
	Model        string `json:"model"`
	Message      string `json:"message"` // the summary of a compaction
	Instructions struct {
		Text string `json:"text"`
	} `json:"base_instructions"`
}

func read(c *conversation.Conversation, values []conversation.Value) {
	model := ""
	for _, v := range values {
		var l line
		var a metadata
		if err := json.Unmarshal(v.Raw, &l); err != nil || len(l.Payload) == 0 {
			c.LineError(v.Line, "is not of Codex")
			continue
		}
		if l.Type != "response_item" {
			_ = json.Unmarshal(l.Payload, &a) // other forms have nothing to import
		}
		label := fmt.Sprintf("line %d", v.Line)
		switch before := len(c.Messages); l.Type {
		case "session_meta":
			c.Session.Origin, c.Session.Dir = cmp.Or(c.Session.Origin, a.ID), a.Cwd
			c.Session.Created, c.Session.System = l.Time.Time, a.Instructions.Text
		case "turn_context":
			model = cmp.Or(a.Model, model)
		case "compacted":
			c.Append(conversation.NewMessage(label, "user", a.Message, l.Time.MS()))
		case "response_item":
			if !c.AddResponsesItem(l.Payload, label, l.Time.MS()) {
				c.Warnf(label, "is of a type that is not supported; it is left out")
			}
			for i := before; i < len(c.Messages); i++ {
				m := &c.Messages[i]
				if m.Role == message.Assistant {
					m.Model = model
				}
				// Codex adds messages about the machine and with instruction files.
				added := strings.HasPrefix(m.Content, "<") || strings.HasPrefix(m.Content, "# AGENTS.md")
				if m.Role == message.User && c.Session.Title == "" && !added {
					c.Session.Title = title.FromText(m.Content)
				}
			}
		}
		if !l.Time.IsZero() && len(c.Messages) > 0 {
			c.Session.Updated = l.Time.Time
		}
	}
}
