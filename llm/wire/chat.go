package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	openai "github.com/sashabaranov/go-openai"

	"winnow/history/message"
)

// chatRequest is the body of a request in the strictest form that servers agree on. go-openai's own type omits a
// temperature of 0 and rejects some requests because of the model's name.
type chatRequest struct {
	Model               string                `json:"model"`
	Messages            []json.RawMessage     `json:"messages"`
	Tools               []openai.Tool         `json:"tools,omitempty"`
	MaxTokens           int                   `json:"max_tokens,omitempty"`
	MaxCompletionTokens int                   `json:"max_completion_tokens,omitempty"`
	Temperature         *float64              `json:"temperature,omitempty"`
	TopP                *float64              `json:"top_p,omitempty"`
	ReasoningEffort     string                `json:"reasoning_effort,omitempty"`
	Stream              bool                  `json:"stream"`
	StreamOptions       *openai.StreamOptions `json:"stream_options,omitempty"`
}

// chatMessage always has a content: some servers refuse an assistant message with calls if it is missing or null.
type chatMessage struct {
	Role             message.Role      `json:"role"`
	Name             string            `json:"name,omitempty"`
	Content          any               `json:"content"` // string or []chatPart
	ReasoningContent *string           `json:"reasoning_content,omitempty"`
	ToolCalls        []json.RawMessage `json:"tool_calls,omitempty"`
	ToolCallID       string            `json:"tool_call_id,omitempty"`
	CacheControl     object            `json:"cache_control,omitempty"`
}

type chatPart struct {
	openai.ChatMessagePart
	CacheControl object `json:"cache_control,omitempty"`
}

// cacheMark marks the end of a cached prefix.
func cacheMark() object { return object{"type": "ephemeral"} }

// The keys of a message and of a call that are handled here. All other keys of an answer are kept and sent back
// to its server.
var (
	messageKeys = []string{
		"role", "content", "reasoning_content", "reasoning", "thinking", "refusal", "tool_calls", "tool_call_id",
		"name", "cache_control", keptReasoning, keptPhase,
	}
	callKeys = []string{"index", "id", "type", "function", keptReasoning}
)

// chat encodes a request for Chat Completions.
func (r Request) chat() ([]byte, error) {
	body := chatRequest{
		Model:           r.Model,
		Messages:        []json.RawMessage{},
		Tools:           ChatTools(r.Tools),
		Temperature:     r.Temperature,
		TopP:            r.TopP,
		ReasoningEffort: r.Effort,
		Stream:          true,
	}
	if r.CompletionTokens {
		body.MaxCompletionTokens = r.MaxTokens
	} else {
		body.MaxTokens = r.MaxTokens
	}
	if !r.NoStreamOptions {
		body.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	for i, m := range r.Messages {
		body.Messages = append(
			body.Messages, r.chatMessage(m, slices.Contains(r.CacheMarks, i)),
		)
	}
	return EncodeJSON(body)
}

// ChatTools converts functions to tools as Chat Completions and Ollama encode them.
func ChatTools(functions []openai.FunctionDefinition) []openai.Tool {
	var list []openai.Tool
	for _, f := range functions {
		list = append(list, openai.Tool{
			Type: openai.ToolTypeFunction, Function: &f,
		})
	}
	return list
}

// chatMessage encodes one message, with a cache mark at its end if marked.
func (r Request) chatMessage(m message.Message, marked bool) json.RawMessage {
	w := chatMessage{
		Role: m.Role, Name: m.Name, Content: chatContent(m, marked && m.Role != message.Tool),
	}
	switch m.Role {
	case message.Tool:
		w.ToolCallID = m.ToolCallID
		if marked {
			w.CacheControl = cacheMark() // A tool result is marked as a whole.
		}
	case message.Assistant:
		if r.EchoReasoning && (len(m.ToolCalls) > 0 || m.Reasoning != "") {
			// A message with calls needs the key even if another model made the calls.
			w.ReasoningContent = &m.Reasoning
		}
		for _, call := range m.ToolCalls {
			function := openai.FunctionCall{
				Name: call.Name, Arguments: call.Arguments,
			}
			c := openai.ToolCall{
				ID: call.ID, Type: openai.ToolTypeFunction, Function: function,
			}
			w.ToolCalls = append(w.ToolCalls, withReplay(c, call.Replay, callKeys))
		}
	default:
		m.Replay = ""
	}
	return withReplay(w, m.Replay, messageKeys)
}

// chatContent returns a string, or a list of parts if the message has an image or a cache mark. Servers with text-only
// models refuse lists.
func chatContent(m message.Message, marked bool) any {
	list := parts(m)
	if !slices.ContainsFunc(list, isImage) {
		if !marked {
			return text(m)
		}
		list = []message.Part{{Text: text(m)}}
	}
	content := make([]chatPart, len(list))
	for i, p := range list {
		content[i].Type, content[i].Text = openai.ChatMessagePartTypeText, p.Text
		if isImage(p) {
			content[i].Type, content[i].Text = openai.ChatMessagePartTypeImageURL, ""
			content[i].ImageURL = &openai.ChatMessageImageURL{
				URL: dataURL(p),
			}
		}
	}
	if marked {
		content[len(content)-1].CacheControl = cacheMark()
	}
	return content
}

// readChat reads a chunk, or an answer that is not streamed.
func (a *Answer) readChat(data []byte) (part bool, err error) {
	var chunk struct {
		Choices []struct {
			FinishReason string          `json:"finish_reason"`
			Error        json.RawMessage `json:"error"`
			Delta        fields          `json:"delta"`
			Message      fields          `json:"message"` // of an answer that is not streamed
		} `json:"choices"`
		Usage json.RawMessage `json:"usage"`
		Groq  struct {
			Usage json.RawMessage `json:"usage"`
		} `json:"x_groq"`
	}
	_ = json.Unmarshal(data, &chunk) // Values of unexpected types are skipped.
	if len(chunk.Choices) > 0 {      // The last chunk of a stream has usage and no choice.
		c := chunk.Choices[0]
		if c.FinishReason == "error" || !isBlank(c.Error) {
			return true, Refusal(data)
		}
		a.FinishReason = cmp.Or(c.FinishReason, a.FinishReason)
		if len(c.Delta) == 0 && c.Message != nil {
			c.Delta, a.Done = c.Message, true
		}
		a.addMessage(c.Delta)
		if c.FinishReason == "" && chunk.Usage == nil && !a.Done {
			a.textChunk = textChunkOf(data, c.Delta)
		}
	}
	if !isObject(chunk.Usage) {
		chunk.Usage = chunk.Groq.Usage
	}
	a.addUsage(chunk.Usage)
	return chunk.Choices != nil || chunk.Usage != nil, nil
}

// textChunk is the JSON around the text of a chunk that contains nothing else. The chunks of an answer usually differ
// in their text only, so that the rest does not have to be decoded again.
type textChunk struct{ head, tail []byte }

// textChunkOf returns the JSON around the text of a chunk with this delta, zero if the chunk contains anything else.
func textChunkOf(data []byte, delta fields) (around textChunk) {
	for key, value := range delta {
		if key != "content" && key != "role" && string(value) != "null" {
			return around
		}
	}
	const key = `"content":`
	_, rest, _ := bytes.Cut(data, []byte(key))
	_, tail, found := bytes.Cut(rest, delta["content"])
	if !begins(delta["content"], `"`) || !found || bytes.Contains(tail, []byte(key)) {
		return around
	}
	head := data[:len(data)-len(tail)-len(delta["content"])]
	return textChunk{bytes.Clone(head), bytes.Clone(tail)}
}

// text returns the text of a chunk that is otherwise the same.
func (c textChunk) text(data []byte) (text string, ok bool) {
	if len(c.head) == 0 || !bytes.HasPrefix(data, c.head) || !bytes.HasSuffix(data[len(c.head):], c.tail) {
		return "", false
	}
	err := json.Unmarshal(data[len(c.head):len(data)-len(c.tail)], &text)
	return text, err == nil
}
