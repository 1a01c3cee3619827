package conversation

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"winnow/history/message"
	"winnow/session/store"
)

// Content is what the content of a message holds, in the forms of Chat Completions, Responses and Anthropic.
type Content struct {
	Text, Reasoning string
	Parts           []message.Part
	Calls           []message.ToolCall
	Results         []Result
	Unused          []json.RawMessage // what has no place in a message
	Kinds           []string          // the names of those, for a sentence
}

// Result is what a tool answered.
type Result struct {
	CallID, Name, Text string
	Parts              []message.Part
}

// block is one block of a content, or one item of Responses.
type block struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text"`
	Refusal   string          `json:"refusal"`
	Thinking  string          `json:"thinking"`
	Summary   json.RawMessage `json:"summary"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	ToolUseID string          `json:"tool_use_id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	Arguments json.RawMessage `json:"arguments"`
	Content   json.RawMessage `json:"content"`
	Output    json.RawMessage `json:"output"`
	ImageURL  json.RawMessage `json:"image_url"`
	Source    struct {
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
	} `json:"source"`
}

// ReadContent reads a content: a text, or a list of blocks. Of any other value the JSON is the text: tools answer with
// objects and numbers.
func ReadContent(raw json.RawMessage) Content {
	if items, ok := Items(raw); ok {
		return ReadBlocks(items)
	}
	return Content{Text: Text(raw)}
}

// ReadBlocks reads the blocks of a content, or items of Responses.
func ReadBlocks(items []json.RawMessage) Content {
	var c Content
	for _, raw := range items {
		var b block
		var text string
		switch {
		case json.Unmarshal(raw, &text) == nil && raw[0] == '"':
			c.Text = Join(c.Text, text)
		case json.Unmarshal(raw, &b) != nil || !c.take(b):
			c.Unused = append(c.Unused, raw)
			if kind := kindOf(b, raw); !slices.Contains(c.Kinds, kind) {
				c.Kinds = append(c.Kinds, kind)
			}
		}
	}
	return c
}

// take takes a block; ok is false where it has no place in a message.
func (c *Content) take(b block) (ok bool) {
	switch b.Type {
	case "thinking":
		c.Reasoning = Join(c.Reasoning, b.Thinking)
	case "reasoning":
		thought := Join(ReadContent(b.Summary).Text, ReadContent(b.Content).Text)
		if thought == "" && b.Text != nil {
			thought = *b.Text
		}
		c.Reasoning = Join(c.Reasoning, thought)
	case "reasoning_text", "summary_text", "text", "input_text", "output_text", "":
		if b.Text == nil {
			return false
		}
		c.Text = Join(c.Text, *b.Text)
	case "refusal":
		c.Text = Join(c.Text, b.Refusal)
	case "tool_use", "server_tool_use":
		c.Calls = append(c.Calls, message.ToolCall{ID: b.ID, Name: b.Name, Arguments: Text(b.Input)})
	case "function_call":
		c.Calls = append(c.Calls, message.ToolCall{ID: b.CallID, Name: b.Name, Arguments: Text(b.Arguments)})
	case "custom_tool_call":
		input, err := Marshal(map[string]string{"input": Text(b.Input)})
		c.Calls = append(c.Calls, message.ToolCall{ID: b.CallID, Name: b.Name, Arguments: string(input)})
		return err == nil
	case "tool_result", "web_search_tool_result":
		c.result(b.ToolUseID, b.Content)
	case "function_call_output", "custom_tool_call_output":
		c.result(b.CallID, b.Output)
	default:
		part, ok := image(b)
		if ok {
			c.Parts = append(c.Parts, part)
		}
		return ok
	}
	return true
}

// result takes what a tool answered, images included.
func (c *Content) result(call string, raw json.RawMessage) {
	inner := ReadContent(raw)
	if inner.Text == "" && len(inner.Parts) == 0 && len(inner.Unused) > 0 {
		inner.Text = string(raw)
	}
	c.Results = append(c.Results, Result{CallID: call, Text: inner.Text, Parts: inner.Parts})
}

// image reads an image whose bytes are in the file.
func image(b block) (p message.Part, ok bool) {
	if b.Type == "image" && len(b.Source.Data) > 0 {
		return message.Part{Kind: message.ImagePart, MediaType: b.Source.MediaType, Data: b.Source.Data}, true
	}
	var inner struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(b.ImageURL, &inner) != nil {
		inner.URL = Text(b.ImageURL)
	}
	return DataURL(inner.URL)
}

// DataURL reads an image that is in its address.
func DataURL(address string) (p message.Part, ok bool) {
	rest, ok := strings.CutPrefix(address, "data:")
	head, body, found := strings.Cut(rest, ";base64,")
	data, err := base64.StdEncoding.DecodeString(body)
	p = message.Part{Kind: message.ImagePart, MediaType: head, Data: data}
	return p, ok && found && err == nil && len(data) > 0
}

func kindOf(b block, raw json.RawMessage) string {
	switch {
	case b.Type == "" || raw[0] != '{':
		return Kind(raw)
	case strings.Contains(b.Type, "image"):
		return "an image that is not in the file"
	}
	return Shorten(b.Type)
}

// Messages are the messages that a content is: one for each result of a tool, and m with the rest where there is any
// or no result.
func (c Content) Messages(m store.ImportedMessage) []store.ImportedMessage {
	var out []store.ImportedMessage
	for i, r := range c.Results {
		result := NewMessage("", message.Tool, r.Text, m.CreatedMS)
		result.ToolCallID, result.Name, result.Parts = r.CallID, r.Name, r.Parts
		if m.Label != "" {
			result.Label = fmt.Sprintf("%s/result %d", m.Label, i+1)
		}
		out = append(out, result)
	}
	m.Content, m.Reasoning = c.Text, Join(m.Reasoning, c.Reasoning)
	m.Parts = append(m.Parts, c.Parts...)
	m.ToolCalls = append(m.ToolCalls, c.Calls...)
	if len(out) > 0 && Blank(m.Message.Message) && m.Reasoning == "" {
		out[0].Label = m.Label
		return out
	}
	return append(out, m)
}

// Continue adds to the answer m what follows of it: programs keep thoughts, texts and calls of one answer apart.
func Continue(m *store.ImportedMessage, more store.ImportedMessage) {
	m.Content, m.Reasoning = Join(m.Content, more.Content), Join(m.Reasoning, more.Reasoning)
	m.Parts, m.ToolCalls = append(m.Parts, more.Parts...), append(m.ToolCalls, more.ToolCalls...)
}

// continues reports whether an item is of the same answer as what is before it.
func continues(before, m store.ImportedMessage) bool {
	if m.Role != message.Assistant || before.Role != message.Assistant {
		return false
	}
	return m.Content == "" || before.Content == "" && len(before.ToolCalls) == 0
}

// AddItem adds an item of Responses, or a message in its form, which label names. What of one answer is in several
// items becomes one message. ok is false where it has no place in a conversation.
func (c *Conversation) AddItem(raw json.RawMessage, label string, at int64) (ok bool) {
	var item struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &item) != nil {
		return false
	}
	role := message.Assistant
	content := ReadBlocks([]json.RawMessage{raw})
	if item.Role != "" {
		role, content = Role(item.Role), ReadContent(item.Content)
	}
	switch {
	case len(content.Unused) > 0 && item.Role == "":
		return false
	case len(content.Unused) > 0:
		c.Odd(label, "content", "%s", LeftOut(content.Kinds...))
	}
	for _, m := range content.Messages(NewMessage(label, role, "", at)) {
		if item.Role == "" && Blank(m.Message.Message) && m.Reasoning == "" && m.Role == message.Assistant {
			continue // thoughts that only the server can read
		}
		if last := len(c.Messages) - 1; last >= 0 && continues(c.Messages[last], m) {
			Continue(&c.Messages[last], m)
			continue
		}
		c.Append(m)
	}
	return true
}
