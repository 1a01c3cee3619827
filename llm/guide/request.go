package guide

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"winnow/llm/strict"
)

// request is a Chat Completions request, as far as the guide reads it.
type request struct {
	Model         string    `json:"model"`
	Messages      []message `json:"messages"`
	Stream        bool      `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools               []json.RawMessage `json:"tools"`
	ToolChoice          json.RawMessage   `json:"tool_choice"`
	MaxTokens           int               `json:"max_tokens"`
	MaxCompletionTokens int               `json:"max_completion_tokens"`
}

type message struct {
	Role       string     `json:"role"`
	Content    *content   `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls"`
	ToolCallID string     `json:"tool_call_id"`
}

type toolCall struct {
	Index    *int   `json:"index,omitempty"` // in a stream only
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// content is a message's text, sent as a string or as a list of parts.
type content string

func (c *content) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*c = content(text)
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(b, &parts) != nil {
		return errors.New("content is neither a string nor a list of parts")
	}
	var texts []string
	for _, p := range parts {
		if p.Type == "text" {
			texts = append(texts, p.Text)
		}
	}
	*c = content(strings.Join(texts, "\n"))
	return nil
}

func (m message) text() string {
	if m.Content == nil {
		return ""
	}
	return string(*m.Content)
}

// readRequest decodes and checks a request.
func readRequest(body []byte) (request, *refusal) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return r, badRequest("", "We could not parse the JSON body of your request. (%v)", err)
	}
	if r.Model == "" {
		return r, badRequest("", "you must provide a model parameter")
	}
	if r.Model != Model {
		return r, unknownModel(r.Model)
	}
	return r, unsound(body)
}

// unsound is what the strictest of the real servers would refuse in a body, in their words. A client
// that satisfies the guide satisfies them.
func unsound(body []byte) *refusal {
	var wrong *strict.Refusal
	if !errors.As(strict.Check(strict.Strictest, body), &wrong) {
		return nil
	}
	problem := badRequest("", "%s", wrong.Text)
	if wrong.Index >= 0 {
		problem = badRequest(fmt.Sprintf("messages.[%d]", wrong.Index), "%s", wrong.Text)
	}
	if wrong.Code != "" {
		problem.coded(wrong.Status, wrong.Code)
	}
	return problem
}

// The guide's chat template: what a request costs beside its texts.
const (
	perMessage = 4 // the frame around a message
	perCall    = 8 // the frame around a tool call
	perReply   = 3 // the opening of the reply
)

// tokens is what the request costs by the guide's template.
func (r request) tokens(count func(string) int) int {
	n := perReply
	for _, m := range r.Messages {
		n += perMessage + count(m.text()) + callTokens(m.ToolCalls, count)
	}
	if len(r.Tools) > 0 {
		tools, _ := json.Marshal(r.Tools) // raw JSON that was just decoded encodes again
		n += count(string(tools))
	}
	return n
}

func callTokens(calls []toolCall, count func(string) int) int {
	n := 0
	for _, c := range calls {
		n += perCall + count(c.Function.Name) + count(c.Function.Arguments)
	}
	return n
}

// maxTokens is the most tokens that the request wants of the reply, 0 for any number.
func (r request) maxTokens() int {
	if r.MaxCompletionTokens > 0 {
		return r.MaxCompletionTokens
	}
	return r.MaxTokens
}

// last is the newest message.
func (r request) last() message { return r.Messages[len(r.Messages)-1] }

// question is the text of the newest user message.
func (r request) question() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "user" {
			return r.Messages[i].text()
		}
	}
	return ""
}
