// Package responses writes requests in the format of OpenAI's Responses API, and knows what of an answer goes back. It
// sends nothing.
package responses

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"winnow/history/message"

	openai "github.com/sashabaranov/go-openai"
)

// Request is the body of a request. The order of its fields is the order of the keys. Nothing of it is stored by
// the server, so each request holds the whole conversation.
type Request struct {
	Model           string                    `json:"model"`
	Instructions    string                    `json:"instructions,omitempty"`
	Input           []any                     `json:"input"`
	Tools           []Tool                    `json:"tools,omitempty"`
	MaxOutputTokens int                       `json:"max_output_tokens,omitempty"`
	Temperature     *float64                  `json:"temperature,omitempty"`
	TopP            *float64                  `json:"top_p,omitempty"`
	Reasoning       *openai.ResponseReasoning `json:"reasoning,omitempty"`
	Include         []openai.ResponseInclude  `json:"include,omitempty"`
	Store           bool                      `json:"store"`
	Stream          bool                      `json:"stream"`

	PromptCacheKey     string        `json:"prompt_cache_key,omitempty"`
	PromptCacheOptions *CacheOptions `json:"prompt_cache_options,omitempty"`
}

// CacheOptions asks the server to compare a request with that of an earlier response, where its cache does not hold
// what could be expected.
type CacheOptions struct {
	ComparisonResponseID string `json:"comparison_response_id"`
}

// Tool is a function that a model may call.
type Tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"` // always false: left out, it is true, and most schemas are then refused
}

// Function is a tool with a JSON schema of its arguments.
func Function(name, description string, parameters json.RawMessage) Tool {
	return Tool{Type: "function", Name: name, Description: description, Parameters: parameters}
}

// Say makes messages the request's instructions and input. A system message at the beginning is the
// instructions. Replay must hold what the answers of the model that is asked carried, and of no other. The
// arguments of calls have to be JSON objects.
func (r *Request) Say(messages []message.Message) {
	r.Input = make([]any, 0, len(messages))
	for i, m := range messages {
		switch {
		case i == 0 && m.Role == message.System:
			r.Instructions = joined(m)
		case m.Role == message.Tool:
			r.add(openai.ResponseFunctionCallOutput{Type: "function_call_output", CallID: m.ToolCallID, Output: joined(m)})
		case m.Role == message.Assistant:
			r.answer(m)
		default:
			r.add(openai.ResponseInputMessage{Type: "message", Role: string(m.Role), Content: parts(m)})
		}
	}
}

// answer adds what a model said and called. Each item of its reasoning stands in front of the item that it led
// to: servers refuse one that nothing follows.
func (r *Request) answer(m message.Message) {
	kept := readKept(m.Replay)
	r.add(kept.items()...)
	if text := joined(m); strings.TrimSpace(text) != "" || len(m.ToolCalls) == 0 {
		said := []any{openai.ResponseInputText{Type: "output_text", Text: text}}
		r.add(openai.ResponseInputMessage{Type: "message", Role: string(m.Role), Content: said, Phase: kept.Phase})
	}
	for _, call := range m.ToolCalls {
		r.add(readKept(call.Replay).items()...)
		r.add(openai.ResponseOutputItem{
			Type: "function_call", CallID: call.ID, Name: call.Name, Arguments: call.Arguments,
		})
	}
}

func (r *Request) add(items ...any) { r.Input = append(r.Input, items...) }

// joined is all that a message says as one text.
func joined(m message.Message) string {
	var texts []string
	for _, p := range parts(m) {
		if text, ok := p.(openai.ResponseInputText); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// parts are the texts and images of a message. Its own text stands last, behind what it is about.
func parts(m message.Message) []any {
	list := make([]any, 0, len(m.Parts)+1)
	for _, p := range m.Parts {
		switch {
		case p.Kind == message.ImagePart:
			data := "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
			list = append(list, openai.ResponseInputImage{Type: "input_image", ImageURL: data})
		case strings.TrimSpace(p.Text) != "":
			list = append(list, openai.ResponseInputText{Type: "input_text", Text: p.Sent()})
		}
	}
	if strings.TrimSpace(m.Content) != "" || len(list) == 0 {
		list = append(list, openai.ResponseInputText{Type: "input_text", Text: m.Content})
	}
	return list
}

// The keys under which an answer keeps what its server wants back. Chat Completions does not know them.
const (
	KeptReasoning = "responses_reasoning"
	KeptPhase     = "responses_phase"
)

// Keeps reports whether a key of an answer is one of this format, which no other format sends.
func Keeps(key string) bool { return key == KeptReasoning || key == KeptPhase }

// kept is what of an answer or of a call goes back to its server beside its text and its arguments.
type kept struct {
	Reasoning []json.RawMessage `json:"responses_reasoning"`
	Phase     string            `json:"responses_phase"`
}

func readKept(replay string) kept {
	var k kept
	_ = json.Unmarshal([]byte(replay), &k) // "" and what another format kept hold none
	return k
}

// items are the items of reasoning with their bytes. One that holds only an id means nothing to a server that
// stored nothing.
func (k kept) items() []any {
	var list []any
	for _, raw := range k.Reasoning {
		var item struct {
			Type      string `json:"type"`
			Encrypted string `json:"encrypted_content"`
			Content   []any  `json:"content"`
		}
		if json.Unmarshal(raw, &item) == nil && item.Type == "reasoning" && (item.Encrypted != "" || len(item.Content) > 0) {
			list = append(list, raw)
		}
	}
	return list
}
