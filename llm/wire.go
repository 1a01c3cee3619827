package llm

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"winnow/history"
)

// wireRequest is the body of a request in the strictest form that servers agree on. The order of
// its fields is the order of the keys, so that the same Request always gives the same bytes.
type wireRequest struct {
	Model               string         `json:"model"`
	Messages            []wireMessage  `json:"messages"`
	Tools               []wireTool     `json:"tools,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	Temperature         *float64       `json:"temperature,omitempty"`
	TopP                *float64       `json:"top_p,omitempty"`
	ReasoningEffort     string         `json:"reasoning_effort,omitempty"`
	Stream              bool           `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// wireMessage always has a content: servers refuse an assistant message with calls that leaves it
// out or sends null.
type wireMessage struct {
	Role             history.Role `json:"role"`
	Name             string       `json:"name,omitempty"`
	Content          any          `json:"content"` // string or []wirePart
	ReasoningContent *string      `json:"reasoning_content,omitempty"`
	ToolCalls        []wireCall   `json:"tool_calls,omitempty"`
	ToolCallID       string       `json:"tool_call_id,omitempty"`

	replay string // an object of more keys, "" for none
}

type wirePart struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

// wireCall has no index: some servers refuse the key in a request.
type wireCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`

	replay string
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type wireTool struct {
	Type     string         `json:"type"`
	Function wireDefinition `json:"function"`
}

type wireDefinition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Body gives exactly the bytes that Stream posts for a request: canonical JSON, the same for the
// same request and the same Quirks, without any secret.
func (c *Client) Body(r Request) ([]byte, error) {
	ask := c.sampling(r)
	w := wireRequest{
		Model:           r.Model,
		Messages:        make([]wireMessage, 0, len(r.Messages)),
		Temperature:     ask.temperature,
		TopP:            ask.topP,
		ReasoningEffort: ask.effort,
		Stream:          true,
	}
	if !c.has(noStreamOptions) {
		w.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if c.completionTokens() {
		w.MaxCompletionTokens = ask.maxTokens
	} else {
		w.MaxTokens = ask.maxTokens
	}
	back := returned{to: c.Origin(r.Model), profile: c.Profile(r.Model)}
	for _, m := range r.Messages {
		w.Messages = append(w.Messages, back.wire(m))
	}
	w.Tools = wireTools(r.Tools)
	body, err := encode(w)
	if err != nil {
		return nil, fmt.Errorf("encode request to %s: %w", c.endpoint.Name, err)
	}
	return body, nil
}

// completionTokens says that the endpoint wants its limit as max_completion_tokens: OpenAI's
// newer models refuse max_tokens, most others know only that.
func (c *Client) completionTokens() bool {
	switch host := c.endpoint.host(); {
	case c.has(maxCompletionTokens):
		return true
	case c.has(maxTokens):
		return false
	default:
		return host == "api.openai.com" || strings.HasSuffix(host, ".openai.azure.com")
	}
}

// encode is JSON without the HTML escapes, which only cost bytes, and without a final newline.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

// returned says what of an answer goes back to a model.
type returned struct {
	to      history.Origin
	profile history.Profile
}

// wire is a message as it is sent. What its server sent with it goes to nobody else, whatever the
// plan holds.
func (b returned) wire(m history.Message) wireMessage {
	w := wireMessage{Role: m.Role, Name: m.Name, Content: content(m)}
	if m.Role == history.Tool {
		w.ToolCallID = m.ToolCallID
	}
	if m.Role != history.Assistant {
		return w
	}
	own := m.Origin == b.to
	keys := own && !b.profile.NoReplay
	if b.profile.EchoReasoning && (len(m.ToolCalls) > 0 || own && m.Reasoning != "") {
		// A message with calls needs the key even where another model made them.
		w.ReasoningContent = new(string)
		if own {
			*w.ReasoningContent = m.Reasoning
		}
	}
	if keys {
		w.replay = m.Replay
	}
	for _, call := range m.ToolCalls {
		c := wireCall{
			ID:       call.ID,
			Type:     "function",
			Function: wireFunction{Name: call.Name, Arguments: argumentObject(call.Arguments)},
		}
		if keys {
			c.replay = call.Replay
		}
		w.ToolCalls = append(w.ToolCalls, c)
	}
	return w
}

// content is a text, or a list of parts where the message holds an image. The message's own text
// stands last, behind what it is about. Servers with text-only models refuse the list form, so a
// message without an image never takes it; most refuse a blank text in the list.
func content(m history.Message) any {
	images := false
	texts := make([]string, 0, len(m.Parts)+1)
	parts := make([]wirePart, 0, len(m.Parts)+1)
	for _, p := range m.Parts {
		switch p.Kind {
		case history.ImagePart:
			images = true
			data := "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
			parts = append(parts, wirePart{Type: "image_url", ImageURL: &imageURL{URL: data}})
		case history.TextPart, history.NotePart:
			if strings.TrimSpace(p.Text) == "" {
				continue
			}
			texts = append(texts, p.Sent())
			parts = append(parts, wirePart{Type: "text", Text: p.Sent()})
		}
	}
	if !images {
		if len(texts) > 0 && m.Content == "" {
			return strings.Join(texts, "\n\n")
		}
		return strings.Join(append(texts, m.Content), "\n\n")
	}
	if strings.TrimSpace(m.Content) != "" {
		parts = append(parts, wirePart{Type: "text", Text: m.Content})
	}
	return parts
}

// argumentObject is a call's arguments where they are a JSON object, and an empty object where
// they are not: servers answer anything else with a failure that ends the conversation. History
// repairs arguments and shows the repair; this is the last line behind it.
func argumentObject(arguments string) string {
	trimmed := strings.TrimSpace(arguments)
	if strings.HasPrefix(trimmed, "{") && json.Valid([]byte(trimmed)) {
		return arguments
	}
	return "{}"
}

// wireTools are tools as they are sent, nil for none.
func wireTools(tools []Tool) []wireTool {
	var list []wireTool
	for _, t := range tools {
		list = append(list, wireTool{Type: "function", Function: definition(t)})
	}
	return list
}

// definition is a tool as it is sent. A schema that is not one would be refused; a tool without a
// schema takes no arguments.
func definition(t Tool) wireDefinition {
	d := wireDefinition(t)
	if len(bytes.TrimSpace(t.Parameters)) == 0 {
		d.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return d
}
