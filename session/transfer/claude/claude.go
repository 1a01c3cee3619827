// Package claude reads the conversations of a Claude.ai data export. The export holds no system prompt, no names of
// models and no bytes of images. The package does not open files and does not store.
package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/transfer/conversation"
)

// Read reads the conversations of an export.
var Read = conversation.Each("claude", read)

type export struct {
	ID       string            `json:"uuid"`
	Name     string            `json:"name"`
	Created  conversation.Time `json:"created_at"`
	Updated  conversation.Time `json:"updated_at"`
	Starred  bool              `json:"is_starred"`
	Leaf     string            `json:"current_leaf_message_uuid"`
	Messages []exported        `json:"chat_messages"`
}

type exported struct {
	ID          string            `json:"uuid"`
	Parent      string            `json:"parent_message_uuid"`
	Sender      string            `json:"sender"`
	Text        string            `json:"text"`
	Content     json.RawMessage   `json:"content"`
	Created     conversation.Time `json:"created_at"`
	Attachments []attachment      `json:"attachments"`
	Files       []attachment      `json:"files"`
}

// attachment is a file. Of one that is text the export holds the text, of others only the name.
type attachment struct {
	Name string `json:"file_name"`
	Type string `json:"file_type"`
	Text string `json:"extracted_content"`
}

// rootParent is the parent that the first message of a conversation names.
const rootParent = "00000000-0000-4000-8000-000000000000"

func read(c *conversation.Conversation, raw json.RawMessage) error {
	var x export
	if err := json.Unmarshal(raw, &x); err != nil {
		return errors.New("is not a conversation of Claude: " + err.Error())
	}
	if x.ID == "" || x.Messages == nil {
		return errors.New("has no messages, so it is not a conversation")
	}
	c.Session = store.Session{
		Source: c.Session.Source, Origin: x.ID, Title: x.Name, Created: x.Created.Time, Updated: x.Updated.Time,
		Pinned: x.Starred,
	}
	tree := false
	for _, m := range x.Messages {
		tree = tree || m.Parent != ""
	}
	var nodes []conversation.Node
	last := ""
	for _, m := range x.Messages {
		if m.Parent == rootParent {
			m.Parent = ""
		} else if !tree {
			m.Parent = last
		}
		nodes = append(nodes, conversation.Node{ID: m.ID, Parent: m.Parent, Messages: split(c, m)})
		last = m.ID
	}
	c.Grow(nodes, x.Leaf)
	return nil
}

// split reads one message. An answer in whose middle tools worked becomes several: what was said up to the calls, their
// results, and what was said then.
func split(c *conversation.Conversation, x exported) []store.ImportedMessage {
	role := conversation.Role(x.Sender)
	if x.Sender == "human" {
		role = message.User
	}
	blocks, _ := conversation.Items(x.Content)
	if len(blocks) == 0 {
		text, _ := conversation.Marshal(x.Text) // a text always encodes
		blocks = append(blocks, text)
	}
	var out []store.ImportedMessage
	var part []json.RawMessage
	flush := func() {
		content := conversation.ReadBlocks(part)
		if len(content.Unused) > 0 {
			c.Odd(x.ID, "content", "%s", conversation.LeftOut(content.Kinds...))
		}
		label := x.ID
		if len(out) > 0 {
			label = fmt.Sprintf("%s/%d", x.ID, len(out)+1)
		}
		out = append(out, content.Messages(conversation.NewMessage(label, role, "", x.Created.MS()))...)
		part = nil
	}
	for i, b := range blocks {
		part = append(part, b)
		if i+1 < len(blocks) && isResult(b) != isResult(blocks[i+1]) {
			flush()
		}
	}
	flush()
	for _, a := range append(x.Attachments, x.Files...) {
		note := conversation.Note("file " + a.Name)
		if a.Text != "" {
			note = message.Part{Kind: message.TextPart, Name: a.Name, MediaType: "text/plain", Text: a.Text}
		}
		last := &out[len(out)-1]
		if a.Name != "" || a.Text != "" {
			last.Parts = append(last.Parts, note)
		}
	}
	return out
}

// isResult reports whether a block is what a tool answered.
func isResult(raw json.RawMessage) bool {
	var b struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(raw, &b) == nil && strings.HasSuffix(b.Type, "tool_result")
}
