// Package crush reads the sessions that the program crush keeps in its database, .crush/crush.db in the folder of a
// project. The database holds neither the system prompt nor the descriptions of the tools. The package does not open
// it, never writes to it and does not store the sessions.
package crush

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/store/sqlite"
	"winnow/session/transfer/conversation"
)

// Is reports whether a database with these columns is crush's.
func Is(columns map[string]bool) bool {
	return columns["sessions.parent_session_id"] && columns["messages.parts"]
}

// Read reads the sessions of a database. Those of subagents are left out. One that cannot be read is Broken.
func Read(ctx context.Context, db *sql.DB) iter.Seq2[conversation.Conversation, error] {
	return func(yield func(conversation.Conversation, error) bool) {
		rows, err := sqlite.Collect(ctx, db, func(scan func(...any) error) (store.Session, error) {
			row := store.Session{Source: "crush"}
			var created, updated int64
			err := scan(&row.Origin, &row.Title, &created, &updated)
			row.Created, row.Updated = timeOf(created), timeOf(updated)
			return row, err
		}, `
			SELECT
				id,
				title,
				created_at,
				updated_at
			FROM sessions
			WHERE parent_session_id IS NULL
			ORDER BY created_at`)
		if err != nil {
			yield(conversation.Conversation{}, err)
			return
		}
		for _, row := range rows {
			c := conversation.New("crush")
			c.Session = row
			if err := read(ctx, db, &c); err != nil {
				c.Broken = fmt.Sprintf("session %s of crush cannot be read: %v", row.Origin, err)
			}
			if !yield(c, ctx.Err()) || ctx.Err() != nil {
				return
			}
		}
	}
}

// read reads the messages of a session.
func read(ctx context.Context, db *sql.DB, c *conversation.Conversation) error {
	return sqlite.Each(ctx, db, func(scan func(...any) error) error {
		var id, role, model string
		var raw []byte
		var created int64
		if err := scan(&id, &role, &raw, &model, &created); err != nil {
			return err
		}
		m := conversation.NewMessage(id, conversation.Role(role), "", timeOf(created).UnixMilli())
		if m.Role == message.Assistant {
			m.Model = model
		}
		var parts []part
		if err := json.Unmarshal(raw, &parts); err != nil {
			c.Lose(id, "parts", "cannot be read: %v", err)
			return nil
		}
		var content conversation.Content
		for _, p := range parts {
			if kind := take(&content, p); kind != "" {
				c.Odd(id, "", "%s", conversation.LeftOut(kind))
			}
			if p.Type == "finish" && (p.Data.Reason == "canceled" || p.Data.Reason == "error") {
				m.Status = message.Interrupted
			}
		}
		c.Append(content.Messages(m)...)
		return nil
	}, `
		SELECT
			id,
			role,
			parts,
			coalesce(model, ''),
			created_at
		FROM messages
		WHERE session_id = ?
		ORDER BY
			created_at,
			rowid`, c.Session.Origin)
}

// part is one part of a message. The keys of the kinds do not meet, but for those of an attached file.
type part struct {
	Type string `json:"type"`
	Data struct {
		Text       string          `json:"text"`
		Thinking   string          `json:"thinking"`
		URL        string          `json:"url"`
		Path       string          `json:"Path"`
		MIMEType   string          `json:"MIMEType"`
		Data       json.RawMessage `json:"Data"`
		ID         string          `json:"id"`
		Name       string          `json:"name"`
		Input      string          `json:"input"`
		ToolCallID string          `json:"tool_call_id"`
		Content    string          `json:"content"`
		Command    string          `json:"command"`
		Output     string          `json:"output"`
		ExitCode   int             `json:"exit_code"`
		Reason     string          `json:"reason"`
	} `json:"data"`
}

// take takes a part, and returns the kind of one that has no place in a message.
func take(c *conversation.Content, p part) (unused string) {
	d := p.Data
	switch p.Type {
	case "text":
		c.Text = conversation.Join(c.Text, d.Text)
	case "reasoning":
		c.Reasoning = conversation.Join(c.Reasoning, d.Thinking)
	case "shell_command":
		c.Text = conversation.Join(c.Text, fmt.Sprintf("$ %s\n%s\n(exit code %d)", d.Command, d.Output, d.ExitCode))
	case "image_url":
		image, ok := conversation.DataURL(d.URL)
		if !ok {
			image = conversation.Note("image " + d.URL)
		}
		c.Parts = append(c.Parts, image)
	case "binary":
		c.Parts = append(c.Parts, file(d.Path, d.MIMEType, d.Data))
	case "tool_call":
		c.Calls = append(c.Calls, message.ToolCall{ID: d.ID, Name: d.Name, Arguments: d.Input})
	case "tool_result":
		c.Results = append(c.Results, conversation.Result{CallID: d.ToolCallID, Name: d.Name, Text: d.Content})
	case "finish":
	default:
		return p.Type
	}
	return ""
}

// file is an attached text or image, or a note of another file.
func file(path, kind string, raw json.RawMessage) message.Part {
	var data []byte
	err := json.Unmarshal(raw, &data) // in base64
	switch {
	case err == nil && strings.HasPrefix(kind, "text/"):
		return message.Part{Kind: message.TextPart, Name: path, MediaType: kind, Text: string(data)}
	case err == nil && strings.HasPrefix(kind, "image/"):
		return message.Part{Kind: message.ImagePart, Name: path, MediaType: kind, Data: data}
	}
	return conversation.Note("file " + path)
}

// timeOf is a time of the database, which older versions keep in seconds and newer ones in milliseconds.
func timeOf(n int64) time.Time {
	if n < 1e11 {
		return time.Unix(n, 0)
	}
	return time.UnixMilli(n)
}
