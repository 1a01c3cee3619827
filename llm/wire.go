package llm

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"winnow/history"
	"winnow/llm/responses"
	"winnow/llm/tool"

	openai "github.com/sashabaranov/go-openai"
)

// wireRequest is the body of a request in the strictest format that servers agree on. The order of
// its fields is the order of the keys, so that the same Request always gives the same bytes.
type wireRequest struct {
	Model               string                `json:"model"`
	Messages            []wireMessage         `json:"messages"`
	Tools               []openai.Tool         `json:"tools,omitempty"`
	MaxTokens           int                   `json:"max_tokens,omitempty"`
	MaxCompletionTokens int                   `json:"max_completion_tokens,omitempty"`
	Temperature         *float64              `json:"temperature,omitempty"`
	TopP                *float64              `json:"top_p,omitempty"`
	ReasoningEffort     string                `json:"reasoning_effort,omitempty"`
	Stream              bool                  `json:"stream"`
	StreamOptions       *openai.StreamOptions `json:"stream_options,omitempty"`
	PromptCacheKey      string                `json:"prompt_cache_key,omitempty"`
	Diagnostics         *wireDiagnostics      `json:"diagnostics,omitempty"`
}

// wireDiagnostics asks for a diagnosis as Anthropic's API does. The first request of a conversation names no message.
type wireDiagnostics struct {
	PreviousMessageID *string `json:"previous_message_id"`
}

// wireMessage always has a content: servers refuse an assistant message with calls that leaves it
// out or sends null.
type wireMessage struct {
	Role             history.Role  `json:"role"`
	Name             string        `json:"name,omitempty"`
	Content          any           `json:"content"` // string, []openai.ChatMessagePart or []wirePart
	ReasoningContent *string       `json:"reasoning_content,omitempty"`
	ToolCalls        []wireCall    `json:"tool_calls,omitempty"`
	ToolCallID       string        `json:"tool_call_id,omitempty"`
	CacheControl     *cacheControl `json:"cache_control,omitempty"`

	replay string // an object of more keys, "" for none
}

// wireCall is always complete and has no index, which some servers refuse in a request.
type wireCall struct {
	openai.ToolCall

	replay string
}

// chatWire is Chat Completions.
type chatWire struct{}

func (chatWire) address(e Endpoint) string { return e.at("/chat/completions") }

func (chatWire) reader() answerReader { return chatWire{} }

func (chatWire) body(c *Client, r Request, ask sampled) (any, error) {
	w := wireRequest{
		Model:           r.Model,
		Messages:        make([]wireMessage, 0, len(r.Messages)),
		Temperature:     ask.temperature,
		TopP:            ask.topP,
		ReasoningEffort: ask.effort,
		Stream:          true,
	}
	if !c.Known(r.Model).NoStreamOptions {
		w.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	if c.completionTokens(r.Model) {
		w.MaxCompletionTokens = ask.maxTokens
	} else {
		w.MaxTokens = ask.maxTokens
	}
	carried := returned{to: c.Origin(r.Model), profile: c.Profile(r.Model)}
	for _, m := range r.Messages {
		w.Messages = append(w.Messages, carried.wire(m))
	}
	w.Tools = wireTools(r.Tools)
	err := w.cache(c.caching(r))
	return w, err
}

// cache adds what a request says to the cache of its server.
func (w *wireRequest) cache(say Caching) error {
	w.PromptCacheKey = say.Key
	for _, at := range say.Marks {
		if at < len(w.Messages) {
			if err := w.Messages[at].mark(); err != nil {
				return err
			}
		}
	}
	if say.Diagnose {
		w.Diagnostics = new(wireDiagnostics)
		if say.Before != "" {
			w.Diagnostics.PreviousMessageID = &say.Before
		}
	}
	return nil
}

// completionTokens says that the endpoint wants its limit as max_completion_tokens: OpenAI's
// newer models refuse max_tokens, most others know only that.
func (c *Client) completionTokens(model string) bool {
	if key := c.Known(model).LimitKey; key != "" {
		return key == maxCompletionTokens
	}
	host := c.endpoint.Host()
	return host == "api.openai.com" || strings.HasSuffix(host, ".openai.azure.com")
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
	m = b.own(m)
	if b.profile.EchoReasoning && (len(m.ToolCalls) > 0 || own && m.Reasoning != "") {
		// A message with calls needs the key even where another model made them.
		w.ReasoningContent = new(string)
		if own {
			*w.ReasoningContent = m.Reasoning
		}
	}
	w.replay = m.Replay
	for _, call := range m.ToolCalls {
		w.ToolCalls = append(w.ToolCalls, wireCall{openai.ToolCall{
			ID:       call.ID,
			Type:     openai.ToolTypeFunction,
			Function: openai.FunctionCall{Name: call.Name, Arguments: call.Arguments},
		}, call.Replay})
	}
	return w
}

// own is a message with the keys that its server sent with it only where that server is asked, and with the
// arguments of its calls as objects.
func (b returned) own(m history.Message) history.Message {
	keys := m.Origin == b.to && !b.profile.NoReplay
	if !keys {
		m.Replay = ""
	}
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for i := range m.ToolCalls {
		call := &m.ToolCalls[i]
		call.Arguments = argumentObject(call.Arguments)
		if !keys {
			call.Replay = ""
		}
	}
	return m
}

// content is a text, or a list of parts where the message holds an image. The message's own text
// stands last, behind what it is about. Servers with text-only models refuse a list, so a
// message without an image never takes it; most refuse a blank text in the list.
func content(m history.Message) any {
	images := false
	texts := make([]string, 0, len(m.Parts)+1)
	parts := make([]openai.ChatMessagePart, 0, len(m.Parts)+1)
	for _, p := range m.Parts {
		switch p.Kind {
		case history.ImagePart:
			images = true
			data := "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
			url := openai.ChatMessageImageURL{URL: data}
			parts = append(parts, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeImageURL, ImageURL: &url})
		case history.TextPart, history.NotePart:
			if strings.TrimSpace(p.Text) == "" {
				continue
			}
			texts = append(texts, p.Sent())
			parts = append(parts, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: p.Sent()})
		}
	}
	if !images {
		if len(texts) > 0 && m.Content == "" {
			return strings.Join(texts, "\n\n")
		}
		return strings.Join(append(texts, m.Content), "\n\n")
	}
	if strings.TrimSpace(m.Content) != "" {
		parts = append(parts, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: m.Content})
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
func wireTools(tools []tool.Tool) []openai.Tool {
	var list []openai.Tool
	for _, t := range tools {
		function := openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: schemaOf(t)}
		list = append(list, openai.Tool{Type: openai.ToolTypeFunction, Function: &function})
	}
	return list
}

// schemaOf is the JSON schema of a tool's arguments. A tool without one takes none.
func schemaOf(t tool.Tool) json.RawMessage {
	if len(bytes.TrimSpace(t.Parameters)) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Parameters
}

// MarshalJSON writes the known keys in their order, and behind them those that only the server knows.
func (m wireMessage) MarshalJSON() ([]byte, error) {
	type known wireMessage
	return withReplay(known(m), m.replay, messageKeys)
}

// MarshalJSON does the same for a call.
func (c wireCall) MarshalJSON() ([]byte, error) {
	type known wireCall
	return withReplay(known(c), c.replay, callKeys)
}

// withReplay adds keys to an object, in the order of their names and with the bytes of their values.
// A known key is never taken from there: it would stand in the object twice, or where winnow says
// something else.
func withReplay(known any, replay string, taken map[string]bool) ([]byte, error) {
	raw, err := encode(known)
	if err != nil || replay == "" {
		return raw, err
	}
	var more map[string]json.RawMessage
	if err := json.Unmarshal([]byte(replay), &more); err != nil {
		return raw, nil
	}
	maps.DeleteFunc(more, func(key string, _ json.RawMessage) bool { return taken[key] || responses.Keeps(key) })
	if len(more) == 0 {
		return raw, nil
	}
	extra, err := encode(more)
	if err != nil {
		return nil, err
	}
	raw[len(raw)-1] = ','
	return append(raw, extra[1:]...), nil
}
