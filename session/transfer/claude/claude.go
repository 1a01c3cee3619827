// Package claude reads the conversations of a Claude.ai data export. The export contains no system prompts, model names
// or image data.
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
var Read = conversation.PerValue("claude", read)

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
	Content     []json.RawMessage `json:"content"`
	Created     conversation.Time `json:"created_at"`
	Attachments []attachment      `json:"attachments"`
	Files       []attachment      `json:"files"`
}

// attachment is a file. The export contains the content of text files, and only the names of others.
type attachment struct {
	Name string `json:"file_name"`
	Text string `json:"extracted_content"`
}

// rootParent is the parent of the first message of a conversation.
const rootParent = "00000000-0000-4000-8000-000000000000"

func read(c *conversation.Conversation, x export) error {
	if x.ID == "" || x.Messages == nil {
		return errors.New("has no messages, so it is not a conversation")
	}
	c.Session = store.Session{
		Source: c.Session.Source, Origin: x.ID, Title: x.Name, Created: x.Created.Time, Updated: x.Updated.Time,
		Pinned: x.Starred,
	}
	var nodes []conversation.Node
	last := ""
	for _, m := range x.Messages {
		switch m.Parent {
		case rootParent:
			m.Parent = ""
		case "": // older exports have no branches
			m.Parent = last
		}
		nodes = append(nodes, conversation.Node{ID: m.ID, Parent: m.Parent, Messages: split(c, m)})
		last = m.ID
	}
	c.AddTree(nodes, x.Leaf)
	return nil
}

// split reads one message. An answer that used tools becomes several: the text up to the calls, their results, and the
// text after them.
func split(c *conversation.Conversation, x exported) []conversation.Message {
	if len(x.Content) == 0 {
		text, _ := json.Marshal(x.Text) // a text always encodes
		x.Content = append(x.Content, text)
	}
	var out []conversation.Message
	begin := 0
	for i := range x.Content {
		end := i + 1
		if end < len(x.Content) && isResult(x.Content[i]) == isResult(x.Content[end]) {
			continue
		}
		label := x.ID
		if len(out) > 0 {
			label = fmt.Sprintf("%s/%d", x.ID, len(out)+1)
		}
		m := conversation.NewMessage(label, x.Sender, "", x.Created.MS())
		out = append(out, c.SplitContent(conversation.ReadBlocks(x.Content[begin:end]), x.ID, m)...)
		begin = end
	}
	last := &out[len(out)-1]
	for _, a := range append(x.Attachments, x.Files...) {
		note := conversation.NotImported("file " + a.Name)
		if a.Text != "" {
			note = message.Part{Kind: message.TextPart, Name: a.Name, MediaType: "text/plain", Text: a.Text}
		}
		if a.Name != "" || a.Text != "" {
			last.Parts = append(last.Parts, note)
		}
	}
	return out
}

// isResult reports whether a block is a tool result.
func isResult(raw json.RawMessage) bool {
	var b struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(raw, &b) == nil && strings.HasSuffix(b.Type, "tool_result")
}
