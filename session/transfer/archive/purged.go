package archive

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"winnow/history/message"
	"winnow/session/store"
)

// again imports the session that begins at a place, which was purged, as a new one: its messages, its title and its
// settings, without the records of requests, which name the purged messages.
func (in *restoring) again(ctx context.Context, at int64) (store.ImportResult, error) {
	c := store.Conversation{Leaf: -1}
	place := map[int64]int{} // of a message in c, by its id in the archive
	attached := map[string][]byte{}
	_, err := in.archive.session(at, func(l store.Line) error {
		switch {
		case l.Session != nil:
			c.Session = sessionOf(*l.Session)
		case l.Attachment != nil:
			attached[l.Attachment.Hash] = l.Attachment.Data
		case l.Message != nil:
			m := store.ImportedMessage{Message: messageOf(*l.Message, attached), After: -1}
			if after, ok := place[l.Message.Parent]; ok {
				m.After = after
			}
			place[l.Message.ID] = len(c.Messages)
			c.Messages = append(c.Messages, m)
		case l.Register != nil && l.Register.Name == "leaf":
			var value struct {
				Leaf int64 `json:"leaf"`
			}
			err := json.Unmarshal([]byte(l.Register.Value), &value)
			if leaf, ok := place[value.Leaf]; ok && err == nil {
				c.Leaf = leaf
			}
		}
		return nil
	})
	if err != nil {
		return store.ImportResult{}, err
	}
	return in.store.Import(ctx, c, store.ImportOptions{})
}

func sessionOf(l store.SessionLine) store.Session {
	row := store.Session{
		Source: "winnow", Origin: l.ID, Title: string(l.Title), TitleFrom: store.TitleSource(l.TitleFrom),
		Created: time.UnixMilli(l.Created), Updated: time.UnixMilli(l.Updated), Pinned: l.Pinned, Archived: l.Archived, Endpoint: string(l.Endpoint),
		Model: string(l.Model), Preset: string(l.Preset), Dir: string(l.Dir), Overrides: string(l.Overrides),
		System: string(l.System), SystemFixed: l.Fixed,
	}
	for _, tag := range l.Tags {
		row.Tags = append(row.Tags, string(tag))
	}
	return row
}

func messageOf(l store.MessageLine, attached map[string][]byte) store.Message {
	m := store.Message{
		Message: message.Message{
			Label: strconv.FormatInt(l.ID, 10), Role: message.Role(l.Role), Status: message.Status(l.Status),
			CreatedMS: l.Created, Name: string(l.Name), ToolCallID: string(l.ToolCallID), Content: string(l.Content),
			Reasoning: string(l.Reasoning),
		},
		Endpoint: string(l.Endpoint), Model: string(l.Model), FinishReason: string(l.FinishReason), Alone: l.Alone,
	}
	if l.Extra != "" {
		m.Extra = []byte(l.Extra)
	}
	for _, c := range l.ToolCalls {
		call := message.ToolCall{ID: string(c.ID), Name: string(c.Name), Arguments: string(c.Arguments)}
		m.ToolCalls = append(m.ToolCalls, call)
	}
	for _, p := range l.Parts {
		part := message.Part{Kind: message.PartKind(p.Kind), Name: string(p.Name), MediaType: string(p.MediaType)}
		if part.Data = attached[p.Hash]; part.Kind == message.TextPart {
			part.Text, part.Data = string(part.Data), nil
		}
		m.Parts = append(m.Parts, part)
	}
	return m
}
