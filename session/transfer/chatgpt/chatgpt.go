// Package chatgpt reads the conversations of a ChatGPT data export. Only the zip archive of an export contains images.
package chatgpt

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/transfer/conversation"
)

// Assets returns the name and the bytes of an image by its id. ok is false if the export does not contain it.
type Assets func(id string) (name string, data []byte, ok bool)

// Reader returns a reader for the conversations of an export. assets may be nil.
func Reader(assets Assets) conversation.Reader {
	return conversation.PerValue("chatgpt", func(c *conversation.Conversation, x export) error {
		return read(c, x, assets)
	})
}

// export is one conversation of an export.
type export struct {
	ConversationID string            `json:"conversation_id"`
	ID             string            `json:"id"`
	Title          string            `json:"title"`
	Created        conversation.Time `json:"create_time"`
	Updated        conversation.Time `json:"update_time"`
	CurrentNode    string            `json:"current_node"`
	Archived       bool              `json:"is_archived"`
	Starred        bool              `json:"is_starred"`
	Mapping        map[string]node   `json:"mapping"`
}

// node is an entry of a mapping. Many have no message, or only the reasoning before the next one.
type node struct {
	Parent  string          `json:"parent"`
	Message json.RawMessage `json:"message"`
}

func read(c *conversation.Conversation, x export, assets Assets) error {
	if x.Mapping == nil {
		return errors.New("has no mapping, so it is not a conversation")
	}
	c.Session = store.Session{
		Source: c.Session.Source, Origin: cmp.Or(x.ConversationID, x.ID), Title: x.Title, Created: x.Created.Time,
		Updated: x.Updated.Time, Archived: x.Archived, Pinned: x.Starred,
	}
	var nodes []conversation.Node
	for _, id := range slices.Sorted(maps.Keys(x.Mapping)) {
		n := conversation.Node{ID: id, Parent: x.Mapping[id].Parent}
		r := reader{c: c, assets: assets}
		if r.message(id, x.Mapping[id].Message) {
			n.Messages = append(n.Messages, r.m)
		}
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, conversation.CompareTime)
	c.AddTree(nodes, x.CurrentNode)
	c.SetDefaultOrigin()
	for i := range c.Messages {
		if c.Messages[i].Role == message.Tool {
			c.Messages[i].ToolCallID = callFor(c.Messages, i)
		}
	}
	return nil
}

// callFor returns the id of the call that a tool message answers: the last call in the same turn of a tool of that
// name, or else the last call of the turn; "" if there is none.
func callFor(messages []conversation.Message, i int) string {
	last := ""
	for at := messages[i].After; at >= 0 && messages[at].Role != message.User; at = messages[at].After {
		for _, call := range slices.Backward(messages[at].ToolCalls) {
			if call.Name == messages[i].Name {
				return call.ID
			}
			last = cmp.Or(last, call.ID)
		}
	}
	return last
}
