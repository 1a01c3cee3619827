package llmdb

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/transfer/conversation"
)

// thread reads a conversation from the tables of messages: a tree in which every message names the one
// before it, and a thread its last one. The tips of its turns that lie beside that are other branches.
func (l *Reader) thread(ctx context.Context, id string) (conversation.Conversation, error) {
	row, err := rowsOf(ctx, l.db, `
		SELECT
			`+l.columnsOf("threads", "", "name", "tip_message_hash", "datetime_utc")+`
		FROM threads
		WHERE id = ?`, id)
	if err != nil || len(row) == 0 {
		return conversation.Conversation{}, err
	}
	t := threading{
		logs: l, at: map[string]int{}, turn: map[string]turnInfo{},
		chain: chain{logs: l, conv: begin(store.Session{Source: "llm", Origin: id, Title: row[0][0]})},
	}
	tips, err := t.turns(ctx, id)
	if err != nil {
		return conversation.Conversation{}, err
	}
	t.began = timeOf(row[0][2])
	for _, tip := range append(tips, row[0][1]) {
		if err := t.branch(ctx, tip); err != nil {
			return conversation.Conversation{}, err
		}
	}
	if at, ok := t.at[row[0][1]]; ok {
		t.chain.conv.Leaf = at
	}
	return t.chain.conv, nil
}

// threading is a thread while it is read.
type threading struct {
	logs  *Reader
	chain chain
	at    map[string]int      // the places of the messages by their hashes
	turn  map[string]turnInfo // the turns by the hashes of the messages that they end with
	began int64
}

// turnInfo is one call of a model.
type turnInfo struct {
	model string
	at    int64
}

// turns reads the thread's turns and returns the messages that they end with, the oldest first.
func (t *threading) turns(ctx context.Context, id string) ([]string, error) {
	if t.logs.columns["turns"] == nil {
		return nil, nil
	}
	rows, err := rowsOf(ctx, t.logs.db, `
		SELECT
			`+t.logs.columnsOf("turns", "", "tip_message_hash", "model", "resolved_model", "datetime_utc")+`
		FROM turns
		WHERE thread_id = ?
		ORDER BY rowid`, id)
	if err != nil {
		return nil, err
	}
	var tips []string
	for _, r := range rows {
		t.turn[r[0]] = turnInfo{cmp.Or(r[2], r[1]), timeOf(r[3])}
		tips = append(tips, r[0])
	}
	return tips, nil
}

// branch adds the messages that lead to a tip and are not there yet.
func (t *threading) branch(ctx context.Context, tip string) error {
	type link struct{ hash, role string }
	var new []link
	seen := map[string]bool{}
	hash := tip
	for hash != "" && !seen[hash] {
		if _, ok := t.at[hash]; ok {
			break
		}
		seen[hash] = true
		rows, err := rowsOf(ctx, t.logs.db, `
			SELECT
				`+t.logs.columnsOf("messages", "", "role", "parent_hash")+`
			FROM messages
			WHERE hash = ?`, hash)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			t.chain.conv.Odd("", "", "message %s is not in the logs; the messages after it start a branch", hash)
			hash = ""
			break
		}
		new = append(new, link{hash, rows[0][0]})
		hash = rows[0][1]
	}
	after := -1
	if at, ok := t.at[hash]; ok {
		after = at
	}
	// The time of a turn is that of all that it added, which ends with its tip.
	turn := turnInfo{at: t.began}
	turns := make([]turnInfo, len(new))
	for i, m := range new {
		if is, ok := t.turn[m.hash]; ok {
			turn = is
		}
		turns[i] = turn
	}
	for i, m := range slices.Backward(new) {
		u, err := t.message(ctx, m.hash, m.role)
		if err != nil {
			return err
		}
		u.CreatedMS, u.After = turns[i].at, after
		if u.Role == message.Assistant {
			u.Model = turns[i].model
		}
		for _, one := range u.split() {
			one.After = after
			after = len(t.chain.conv.Messages)
			t.chain.conv.Messages = append(t.chain.conv.Messages, one)
		}
		t.at[m.hash] = after
	}
	return nil
}

// threadPart is what a part holds beside its text. Names differ between the versions of the schema.
type threadPart struct {
	TextRef []struct {
		Literal  *string `json:"literal"`
		Fragment *int64  `json:"fragment"`
		ID       *int64  `json:"fragment_id"`
	} `json:"text_ref"`
	Arguments    json.RawMessage `json:"arguments"`
	Output       json.RawMessage `json:"output"`
	ToolCallID   string          `json:"tool_call_id"`
	AttachmentID string          `json:"attachment_id"`
	Name         string          `json:"name"`
}

// threadMessage is a message of a thread. Several results of tools in one become a message each.
type threadMessage struct {
	store.ImportedMessage
	results []store.ImportedMessage
}

func (m threadMessage) split() []store.ImportedMessage {
	if len(m.results) == 0 {
		return []store.ImportedMessage{m.ImportedMessage}
	}
	out := m.results
	for i := range out {
		out[i].CreatedMS = m.CreatedMS
		if i > 0 {
			out[i].Label = fmt.Sprintf("%s/result %d", m.Label, i+1)
		}
	}
	if m.Content != "" || len(m.Parts) > 0 {
		m.Label += "/text"
		out = append(out, m.ImportedMessage)
	}
	return out
}

// message reads a message with its parts.
func (t *threading) message(ctx context.Context, hash, role string) (threadMessage, error) {
	m := threadMessage{ImportedMessage: newMessage(hash, message.Role(role), "", 0)}
	if !conversation.KnownRole(m.Role) {
		m.Status = message.Quarantined
	}
	rows, err := rowsOf(ctx, t.logs.db, `
		SELECT
			CAST(id AS TEXT),
			`+t.logs.columnsOf("parts", "", "type", "tool_name", "text", "payload")+`
		FROM parts
		WHERE message_hash = ?
		ORDER BY position`, hash)
	if err != nil {
		return m, err
	}
	var texts []string
	for _, r := range rows {
		var p threadPart
		if r[4] != "" && json.Unmarshal([]byte(r[4]), &p) != nil {
			t.chain.conv.Odd("", "", "a part of message %s cannot be read completely; only its text is used", hash)
		}
		text, err := t.text(ctx, r[3], p)
		if err != nil {
			return m, err
		}
		switch r[1] {
		case "text":
			texts = append(texts, text)
		case "reasoning":
			m.Reasoning += text
		case "tool_call":
			m.ToolCalls = append(m.ToolCalls, message.ToolCall{ID: p.ToolCallID, Name: cmp.Or(r[2], p.Name), Arguments: plainJSON(p.Arguments)})
		case "tool_result":
			u := newMessage(hash, message.Tool, plainJSON(p.Output)+text, 0)
			u.ToolCallID, u.Name = p.ToolCallID, cmp.Or(r[2], p.Name)
			m.results = append(m.results, u)
		case "attachment":
			parts, err := t.chain.attachments(ctx, `
				FROM part_attachments p
				JOIN attachments a ON a.id = p.attachment_id
				WHERE p.part_id = ?
				ORDER BY p.[order]`, "part_attachments", r[0])
			if err != nil {
				return m, err
			}
			if len(parts) == 0 && p.AttachmentID != "" {
				parts, err = t.chain.attachments(ctx, `
					FROM attachments a
					WHERE a.id = ?`, "attachments", p.AttachmentID)
				if err != nil {
					return m, err
				}
			}
			m.Parts = append(m.Parts, parts...)
		default:
			t.chain.conv.Odd("", "", "message %s has a part of type %q, which is not supported; it is left out", hash, r[1])
		}
	}
	m.Content = strings.Join(texts, "\n\n")
	return m, nil
}

// text is the text of a part, of which fragments may be in other rows.
func (t *threading) text(ctx context.Context, text string, p threadPart) (string, error) {
	for _, piece := range p.TextRef {
		id := cmp.Or(piece.Fragment, piece.ID)
		switch {
		case piece.Literal != nil:
			text += *piece.Literal
		case id != nil && t.logs.columns["fragments"] != nil:
			all, err := firstColumn(ctx, t.logs.db, `SELECT content FROM fragments WHERE id = ?`, *id)
			if err != nil {
				return "", err
			}
			text += strings.Join(all, "")
		default:
			t.chain.conv.Odd("", "", "a part of a text cannot be read; it is left out")
		}
	}
	return text, nil
}

// plainJSON is a JSON string, or the JSON where it is no text.
func plainJSON(raw json.RawMessage) string {
	var text string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
