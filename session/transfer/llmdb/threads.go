package llmdb

import (
	"encoding/json"

	"winnow/history/message"
	"winnow/session/transfer/conversation"
)

// thread reads a conversation of the tables of messages: a tree in which every message names the one before it, and a
// thread its last one. The turns that end beside that are other branches.
func (l *logs) thread(id string) {
	row := l.texts(`SELECT name, tip_message_hash, datetime_utc FROM threads WHERE id = ?`, id)
	if len(row) == 0 {
		return
	}
	l.conv.Session.Title = row[0][0]
	tip := row[0][1]
	turns := l.texts(`
		SELECT
			tip_message_hash,
			coalesce(resolved_model, model),
			datetime_utc
		FROM turns
		WHERE thread_id = ?
		ORDER BY rowid`, id)
	var nodes []conversation.Node
	read := map[string]bool{}
	for _, turn := range append(turns, []string{tip, "", row[0][2]}) {
		nodes = append(nodes, l.chain(turn, read)...)
	}
	l.conv.Grow(nodes, tip)
}

// chain reads the messages that lead to the end of a turn and were not read yet, the first one first. The turn's time
// and model are theirs.
func (l *logs) chain(turn []string, read map[string]bool) []conversation.Node {
	var nodes []conversation.Node
	for hash := turn[0]; hash != "" && !read[hash]; {
		read[hash] = true
		rows := l.texts(`SELECT role, parent_hash FROM messages WHERE hash = ?`, hash)
		if len(rows) == 0 {
			break
		}
		m := conversation.NewMessage(hash, message.Role(rows[0][0]), "", timeOf(turn[2]))
		if m.Role == message.Assistant {
			m.Model = turn[1]
		}
		node := conversation.Node{ID: hash, Parent: rows[0][1], Messages: l.content(hash).Messages(m)}
		nodes = append([]conversation.Node{node}, nodes...)
		hash = rows[0][1]
	}
	return nodes
}

// payload is what a part holds beside its text.
type payload struct {
	TextRef []struct {
		Literal  string `json:"literal"`
		Fragment *int64 `json:"fragment"`
	} `json:"text_ref"`
	Arguments    json.RawMessage `json:"arguments"`
	Output       json.RawMessage `json:"output"`
	ToolCallID   string          `json:"tool_call_id"`
	AttachmentID string          `json:"attachment_id"`
}

// content reads the parts of a message.
func (l *logs) content(hash string) conversation.Content {
	var c conversation.Content
	for _, r := range l.texts(`
		SELECT
			id,
			type,
			tool_name,
			text,
			payload
		FROM parts
		WHERE message_hash = ?
		ORDER BY position`, hash) {
		var p payload
		if r[4] != "" && json.Unmarshal([]byte(r[4]), &p) != nil {
			l.conv.Odd(hash, "", "has a part that cannot be read completely; only its text is used")
		}
		text := r[3]
		for _, piece := range p.TextRef {
			text += piece.Literal
			if piece.Fragment != nil {
				text += l.joined("", `SELECT content FROM fragments WHERE id = ?`, *piece.Fragment)
			}
		}
		switch r[1] {
		case "text":
			c.Text = conversation.Join(c.Text, text)
		case "reasoning":
			c.Reasoning += text
		case "tool_call":
			call := message.ToolCall{ID: p.ToolCallID, Name: r[2], Arguments: conversation.Text(p.Arguments)}
			c.Calls = append(c.Calls, call)
		case "tool_result":
			result := conversation.Result{CallID: p.ToolCallID, Name: r[2], Text: conversation.Text(p.Output) + text}
			c.Results = append(c.Results, result)
		case "attachment":
			c.Parts = append(c.Parts, l.partAttachments(r[0], p.AttachmentID)...)
		default:
			l.conv.Odd(hash, "", "has a part of the type %q, which is not supported; it is left out", r[1])
		}
	}
	return c
}

// partAttachments are the attachments of a part, by its rows or by the id that it names.
func (l *logs) partAttachments(part, attachment string) []message.Part {
	parts := l.attachments(`
		FROM part_attachments p
		JOIN attachments a ON a.id = p.attachment_id
		WHERE p.part_id = ?
		ORDER BY p.[order]`, part)
	if len(parts) == 0 {
		parts = l.attachments(`FROM attachments a WHERE a.id = ?`, attachment)
	}
	return parts
}
