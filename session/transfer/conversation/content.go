package conversation

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"winnow/history/message"
)

// Content is the content of a message, read from the blocks of Chat Completions, Responses or Anthropic.
type Content struct {
	Text, Reasoning string
	Parts           []message.Part
	Calls           []message.ToolCall
	Results         []ToolResult
	Unsupported     []string // types of the blocks that a message cannot hold
}

// ToolResult is the result of a tool call.
type ToolResult struct {
	CallID, Name, Text string
	Parts              []message.Part
}

// block is one block of a content, or one item of Responses.
type block struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Text      string          `json:"text"`
	Refusal   string          `json:"refusal"`
	Thinking  string          `json:"thinking"`
	Summary   json.RawMessage `json:"summary"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	ToolUseID string          `json:"tool_use_id"`
	Name      string          `json:"name"`
	Input     Text            `json:"input"`
	Arguments Text            `json:"arguments"`
	Content   json.RawMessage `json:"content"`
	Output    json.RawMessage `json:"output"`
	ImageURL  json.RawMessage `json:"image_url"`
	Source    struct {
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
	} `json:"source"`
}

// ReadContent reads a content: a string, or a list of blocks. Any other JSON value becomes the text, because tools
// return objects and numbers.
func ReadContent(raw json.RawMessage) Content {
	items, ok := ListItems(raw)
	if !ok {
		return Content{Text: TextOf(raw)}
	}
	return ReadBlocks(items)
}

// ReadBlocks reads the blocks of a content, or items of Responses.
func ReadBlocks(items []json.RawMessage) Content {
	var c Content
	for _, raw := range items {
		b := block{Type: "text"}
		if raw[0] != '{' {
			b.Text = TextOf(raw)
		} else if err := json.Unmarshal(raw, &b); err != nil {
			b.Type = "a block that cannot be read"
		}
		c.addBlock(b)
	}
	return c
}

// addBlock adds a block.
func (c *Content) addBlock(b block) {
	switch b.Type {
	case "thinking":
		c.Reasoning = JoinParagraphs(c.Reasoning, b.Thinking)
	case "reasoning":
		c.Reasoning = JoinParagraphs(c.Reasoning, ReadContent(b.Summary).Text, ReadContent(b.Content).Text, b.Text)
	case "reasoning_text", "summary_text", "text", "input_text", "output_text":
		c.Text = JoinParagraphs(c.Text, b.Text)
	case "refusal":
		c.Text = JoinParagraphs(c.Text, b.Refusal)
	case "tool_use", "server_tool_use":
		c.addCall(b.ID, b.Name, b.Input)
	case "function_call":
		c.addCall(b.CallID, b.Name, b.Arguments)
	case "custom_tool_call":
		c.addCall(b.CallID, b.Name, Text(ObjectJSON("input", string(b.Input))))
	case "tool_result", "web_search_tool_result":
		c.addResult(b.ToolUseID, b.Content)
	case "function_call_output", "custom_tool_call_output":
		c.addResult(b.CallID, b.Output)
	default:
		c.addOther(b)
	}
}

func (c *Content) addCall(id, name string, arguments Text) {
	c.Calls = append(c.Calls, message.ToolCall{ID: id, Name: name, Arguments: string(arguments)})
}

// addResult adds the result of a tool call, including images.
func (c *Content) addResult(call string, raw json.RawMessage) {
	inner := ReadContent(raw)
	if inner.Text == "" && len(inner.Parts) == 0 && len(inner.Unsupported) > 0 {
		inner.Text = string(raw)
	}
	c.Results = append(c.Results, ToolResult{CallID: call, Text: inner.Text, Parts: inner.Parts})
}

// addOther adds an image that is in the file, and notes any other block as unsupported.
func (c *Content) addOther(b block) {
	var inner struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(b.ImageURL, &inner) != nil {
		inner.URL = TextOf(b.ImageURL)
	}
	image, ok := dataURL(inner.URL)
	if b.Type == "image" && len(b.Source.Data) > 0 {
		image, ok = message.Part{Kind: message.ImagePart, MediaType: b.Source.MediaType, Data: b.Source.Data}, true
	}
	switch {
	case ok:
		c.Parts = append(c.Parts, image)
	case strings.Contains(b.Type, "image"):
		c.Unsupported = append(c.Unsupported, "an image that is not in the file")
	default:
		c.Unsupported = append(c.Unsupported, Shorten(b.Type))
	}
}

// dataURL reads an image from a data URL.
func dataURL(address string) (p message.Part, ok bool) {
	rest, ok := strings.CutPrefix(address, "data:")
	head, body, found := strings.Cut(rest, ";base64,")
	data, err := base64.StdEncoding.DecodeString(body)
	p = message.Part{Kind: message.ImagePart, MediaType: head, Data: data}
	return p, ok && found && err == nil && len(data) > 0
}

// FilePart returns the image in a data URL, or a note that another file was not imported.
func FilePart(name, address string) message.Part {
	if image, ok := dataURL(address); ok {
		image.Name = name
		return image
	}
	return NotImported("file " + cmp.Or(name, address))
}

// SplitContent turns a content into messages: one for each tool result, and m with the rest, unless there are only
// results. Unsupported blocks are reported; label names the message in the report.
func (c *Conversation) SplitContent(content Content, label string, m Message) []Message {
	if len(content.Unsupported) > 0 {
		const what = "contains data that winnow cannot send (%s); it is left out"
		slices.Sort(content.Unsupported)
		c.Warnf(label, what, strings.Join(slices.Compact(content.Unsupported), ", "))
	}
	var out []Message
	for i, r := range content.Results {
		result := NewMessage("", "tool", r.Text, m.CreatedMS)
		result.ToolCallID, result.Name, result.Parts = r.CallID, r.Name, r.Parts
		if m.Label != "" {
			result.Label = fmt.Sprintf("%s/result %d", m.Label, i+1)
		}
		out = append(out, result)
	}
	var more Message
	more.Content, more.Reasoning = content.Text, content.Reasoning
	more.Parts, more.ToolCalls = content.Parts, content.Calls
	Extend(&m, more)
	if len(out) > 0 && IsBlank(m) && m.Reasoning == "" {
		out[0].Label = m.Label
		return out
	}
	return append(out, m)
}

// Extend appends the content of more to m. Some programs store the reasoning, text and calls of one answer separately.
func Extend(m *Message, more Message) {
	m.Content, m.Reasoning = JoinParagraphs(m.Content, more.Content), JoinParagraphs(m.Reasoning, more.Reasoning)
	m.Parts, m.ToolCalls = append(m.Parts, more.Parts...), append(m.ToolCalls, more.ToolCalls...)
}

// AddResponsesItem adds an item of Responses, or a message in that form. The items of one answer become one message. It
// reports whether the item could be added. at is a time in Unix milliseconds.
func (c *Conversation) AddResponsesItem(raw json.RawMessage, label string, at int64) (ok bool) {
	var item block
	if json.Unmarshal(raw, &item) != nil {
		return false
	}
	role, content := item.Role, ReadContent(item.Content)
	if role == "" {
		role, content = "assistant", ReadBlocks([]json.RawMessage{raw})
		if len(content.Unsupported) > 0 {
			return false
		}
	}
	for _, m := range c.SplitContent(content, label, NewMessage(label, role, "", at)) {
		last := len(c.Messages) - 1
		switch {
		case item.Role == "" && IsBlank(m) && m.Reasoning == "" && m.Role == message.Assistant:
			// encrypted reasoning
		case last >= 0 && sameAnswer(c.Messages[last], m):
			Extend(&c.Messages[last], m)
		default:
			c.Append(m)
		}
	}
	return true
}

// sameAnswer reports whether m belongs to the same answer as the message before it.
func sameAnswer(before, m Message) bool {
	if m.Role != message.Assistant || before.Role != message.Assistant {
		return false
	}
	return m.Content == "" || before.Content == "" && len(before.ToolCalls) == 0
}
