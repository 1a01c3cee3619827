package guide

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"winnow/llm/strict"

	openai "github.com/sashabaranov/go-openai"
)

// request is a Chat Completions request, as far as the guide reads it.
type request struct {
	openai.ChatCompletionRequest
	Tools     []json.RawMessage `json:"tools"` // as they came, to be counted so
	MaxTokens int               `json:"max_tokens"`
}

// textOf is a message's text, sent as a string or as a list of parts.
func textOf(m openai.ChatCompletionMessage) string {
	if m.MultiContent == nil {
		return m.Content
	}
	var texts []string
	for _, p := range m.MultiContent {
		if p.Type == openai.ChatMessagePartTypeText {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// readRequest decodes and checks a request.
func readRequest(body []byte) (request, *openai.APIError) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return r, badRequest("", "We could not parse the JSON body of your request. (%v)", err)
	}
	if r.Model != "" && r.Model != Model {
		e := badRequest("", "The model '%s' does not exist or you do not have access to it.", r.Model)
		return r, coded(e, http.StatusNotFound, "model_not_found")
	}
	return r, unsound(body)
}

// unsound is what the strictest of the real servers would refuse in a body, in their words. A client
// that satisfies the guide satisfies them.
func unsound(body []byte) *openai.APIError {
	var wrong *strict.Refusal
	if !errors.As(strict.Check(strict.Strictest, body), &wrong) {
		return nil
	}
	param := ""
	if wrong.Index >= 0 {
		param = fmt.Sprintf("messages.[%d]", wrong.Index)
	}
	e := badRequest(param, "%s", wrong.Text)
	if wrong.Code != "" {
		coded(e, wrong.Status, wrong.Code)
	}
	return e
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
		n += perMessage + count(textOf(m)) + callTokens(m.ToolCalls, count)
	}
	if len(r.Tools) > 0 {
		tools, _ := json.Marshal(r.Tools) // raw JSON that was just decoded encodes again
		n += count(string(tools))
	}
	return n
}

func callTokens(calls []openai.ToolCall, count func(string) int) int {
	n := 0
	for _, c := range calls {
		n += perCall + count(c.Function.Name) + count(c.Function.Arguments)
	}
	return n
}

// maxTokens is the most tokens that the request wants of the reply, 0 for any number.
func (r request) maxTokens() int { return max(r.MaxTokens, r.MaxCompletionTokens) }

// last is the newest message.
func (r request) last() openai.ChatCompletionMessage { return r.Messages[len(r.Messages)-1] }

// question is the text of the newest user message.
func (r request) question() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == openai.ChatMessageRoleUser {
			return textOf(r.Messages[i])
		}
	}
	return ""
}
