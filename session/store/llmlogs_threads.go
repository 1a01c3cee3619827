package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"winnow/history"
)

// thread reads a conversation from the tables of messages: a tree in which every message names the one
// before it, and a thread its last one. The tips of its turns that lie beside that are other branches.
func (l *Logs) thread(ctx context.Context, id string) (Talk, []string, error) {
	row, err := rowsOf(ctx, l.db, `
		SELECT
			`+l.columnsOf("threads", "", "name", "tip_message_hash", "datetime_utc")+`
		FROM threads
		WHERE id = ?`, id)
	if err != nil || len(row) == 0 {
		return Talk{}, nil, err
	}
	t := threading{
		logs: l, at: map[string]int{}, turn: map[string]turnThere{},
		chain: chain{logs: l, talk: Talk{Session: Session{Source: "llm", Origin: id, Title: row[0][0]}, Leaf: -1}},
	}
	tips, err := t.turns(ctx, id)
	if err != nil {
		return Talk{}, nil, err
	}
	t.began = logTime(row[0][2])
	for _, tip := range append(tips, row[0][1]) {
		if err := t.branch(ctx, tip); err != nil {
			return Talk{}, nil, err
		}
	}
	if at, ok := t.at[row[0][1]]; ok {
		t.chain.talk.Leaf = at
	}
	return t.chain.talk, t.chain.odd, nil
}

// threading is a thread while it is read.
type threading struct {
	logs  *Logs
	chain chain
	at    map[string]int       // the places of the messages by their hashes
	turn  map[string]turnThere // the turns by the hashes of the messages that they end with
	began int64
}

// turnThere is one call of a model.
type turnThere struct {
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
		model := r[2]
		if model == "" {
			model = r[1]
		}
		t.turn[r[0]] = turnThere{model, logTime(r[3])}
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
			t.chain.odd = append(t.chain.odd, "message "+hash+" is not in the logs; what stands behind it begins a branch")
			hash = ""
			break
		}
		new = append(new, link{hash, rows[0][0]})
		hash = rows[0][1]
	}
	behind := -1
	if at, ok := t.at[hash]; ok {
		behind = at
	}
	// The time of a turn is that of all that it added, which ends with its tip.
	turn := turnThere{at: t.began}
	turns := make([]turnThere, len(new))
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
		u.CreatedMS, u.Behind = turns[i].at, behind
		if u.Role == history.Assistant {
			u.Model = turns[i].model
		}
		for _, one := range u.split() {
			one.Behind = behind
			behind = len(t.chain.talk.Messages)
			t.chain.talk.Messages = append(t.chain.talk.Messages, one)
		}
		t.at[m.hash] = behind
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
	Utterance
	results []Utterance
}

func (m threadMessage) split() []Utterance {
	if len(m.results) == 0 {
		return []Utterance{m.Utterance}
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
		out = append(out, m.Utterance)
	}
	return out
}

// message reads a message with its parts.
func (t *threading) message(ctx context.Context, hash, role string) (threadMessage, error) {
	m := threadMessage{Utterance: saidThere(hash, history.Role(role), "", 0)}
	if role != "system" && role != "user" && role != "assistant" && role != "tool" {
		m.Status = history.Quarantined
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
	var said []string
	for _, r := range rows {
		var p threadPart
		if r[4] != "" && json.Unmarshal([]byte(r[4]), &p) != nil {
			t.chain.odd = append(t.chain.odd, "a part of message "+hash+" cannot be read whole; its text alone is taken")
		}
		text, err := t.text(ctx, r[3], p)
		if err != nil {
			return m, err
		}
		switch r[1] {
		case "text":
			said = append(said, text)
		case "reasoning":
			m.Reasoning += text
		case "tool_call":
			m.ToolCalls = append(m.ToolCalls, history.ToolCall{ID: p.ToolCallID, Name: named(r[2], p.Name), Arguments: plainJSON(p.Arguments)})
		case "tool_result":
			u := saidThere(hash, history.Tool, plainJSON(p.Output)+text, 0)
			u.ToolCallID, u.Name = p.ToolCallID, named(r[2], p.Name)
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
			t.chain.odd = append(t.chain.odd, fmt.Sprintf("message %s holds a part of the kind %q, which winnow does not know; it is left out", hash, r[1]))
		}
	}
	m.Content = strings.Join(said, "\n\n")
	return m, nil
}

func named(column, payload string) string {
	if column != "" {
		return column
	}
	return payload
}

// text is the text of a part, of which fragments may stand elsewhere.
func (t *threading) text(ctx context.Context, text string, p threadPart) (string, error) {
	for _, piece := range p.TextRef {
		id := piece.Fragment
		if id == nil {
			id = piece.ID
		}
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
			t.chain.odd = append(t.chain.odd, "a text is built of a piece that cannot be read; it is left out")
		}
	}
	return text, nil
}

// plainJSON is a text that stands in JSON, or the JSON where it is no text.
func plainJSON(raw json.RawMessage) string {
	var text string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
