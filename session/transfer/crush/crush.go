// Package crush reads sessions from the database of crush, .crush/crush.db in the folder of a project. It contains
// neither system prompts nor descriptions of tools.
package crush

import (
	"encoding/json"
	"strings"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/transfer/conversation"
)

// Query returns a query for the sessions of a database with these columns ("table.column"), each as one JSON object, or
// "" if it is not a database of crush. Sessions of subagents are left out.
func Query(columns map[string]bool) string {
	if !columns["sessions.parent_session_id"] || !columns["messages.parts"] {
		return ""
	}
	return `
		SELECT json_object(
			'id', id,
			'title', title,
			'created', created_at,
			'updated', updated_at,
			'messages', (
				SELECT json_group_array(
					json_object('id', id, 'role', role, 'parts', parts, 'model', model, 'created', created_at)
					ORDER BY created_at, rowid
				)
				FROM messages
				WHERE session_id = s.id
			)
		)
		FROM sessions s
		WHERE parent_session_id IS NULL
		ORDER BY created_at`
}

// Read reads the sessions that the query returns.
var Read = conversation.PerValue("crush", read)

// session is one session. Older versions of crush store times in seconds, newer ones in milliseconds.
type session struct {
	ID       string            `json:"id"`
	Title    string            `json:"title"`
	Created  conversation.Time `json:"created"`
	Updated  conversation.Time `json:"updated"`
	Messages []struct {
		ID      string            `json:"id"`
		Role    string            `json:"role"`
		Parts   string            `json:"parts"` // a JSON list
		Model   string            `json:"model"`
		Created conversation.Time `json:"created"`
	} `json:"messages"`
}

// part is one part of a message. Data has the fields of all types of parts.
type part struct {
	Type string `json:"type"`
	Data struct {
		Text       string `json:"text"`
		Thinking   string `json:"thinking"`
		Path       string `json:"Path"`
		MIMEType   string `json:"MIMEType"`
		Data       []byte `json:"Data"`
		ID         string `json:"id"`
		Name       string `json:"name"`
		Input      string `json:"input"`
		ToolCallID string `json:"tool_call_id"`
		Content    string `json:"content"`
		Reason     string `json:"reason"`
	} `json:"data"`
}

func read(c *conversation.Conversation, x session) error {
	c.Session = store.Session{
		Source: c.Session.Source, Origin: x.ID, Title: x.Title, Created: x.Created.Time, Updated: x.Updated.Time,
	}
	for _, said := range x.Messages {
		m := conversation.NewMessage(said.ID, said.Role, "", said.Created.MS())
		if m.Role == message.Assistant {
			m.Model = said.Model
		}
		var parts []part
		if err := json.Unmarshal([]byte(said.Parts), &parts); err != nil {
			c.Errorf(said.ID, "parts cannot be read: %v", err)
			continue
		}
		var content conversation.Content
		for _, p := range parts {
			p.addTo(&content)
			if p.Type == "finish" && (p.Data.Reason == "canceled" || p.Data.Reason == "error") {
				m.Status = message.Interrupted
			}
		}
		c.Append(c.SplitContent(content, said.ID, m)...)
	}
	return nil
}

// addTo adds the part to the content of its message.
func (p part) addTo(c *conversation.Content) {
	d := p.Data
	switch p.Type {
	case "text":
		c.Text = conversation.JoinParagraphs(c.Text, d.Text)
	case "reasoning":
		c.Reasoning = conversation.JoinParagraphs(c.Reasoning, d.Thinking)
	case "binary":
		c.Parts = append(c.Parts, file(d.Path, d.MIMEType, d.Data))
	case "tool_call":
		c.Calls = append(c.Calls, message.ToolCall{ID: d.ID, Name: d.Name, Arguments: d.Input})
	case "tool_result":
		c.Results = append(c.Results, conversation.ToolResult{CallID: d.ToolCallID, Name: d.Name, Text: d.Content})
	case "finish":
	default:
		c.Unsupported = append(c.Unsupported, p.Type)
	}
}

// file returns an attached text or image, or a note about another file.
func file(path, kind string, data []byte) message.Part {
	switch {
	case strings.HasPrefix(kind, "text/"):
		return message.Part{Kind: message.TextPart, Name: path, MediaType: kind, Text: string(data)}
	case strings.HasPrefix(kind, "image/"):
		return message.Part{Kind: message.ImagePart, Name: path, MediaType: kind, Data: data}
	}
	return conversation.NotImported("file " + path)
}
