package llm

import (
	"winnow/history"
	"winnow/llm/responses"

	openai "github.com/sashabaranov/go-openai"
)

// responsesWire is OpenAI's Responses API.
type responsesWire struct{}

func (responsesWire) address(e Endpoint) string { return e.at("/responses") }

func (responsesWire) reader() answerReader { return new(responsesReader) }

func (responsesWire) body(c *Client, r Request, ask sampled) (any, error) {
	body := responses.Request{Model: r.Model, Temperature: ask.temperature, TopP: ask.topP, Stream: true}
	if ask.maxTokens > 0 {
		body.MaxOutputTokens = max(ask.maxTokens, leastLimit)
	}
	if ask.effort != "" {
		body.Reasoning = &openai.ResponseReasoning{Effort: ask.effort}
	}
	if !c.Known(r.Model).NoEncryptedReasoning {
		body.Include = []openai.ResponseInclude{openai.ResponseIncludeReasoningEncryptedContent}
	}
	for _, t := range r.Tools {
		body.Tools = append(body.Tools, responses.Function(t.Name, t.Description, schemaOf(t)))
	}
	carried := returned{to: c.Origin(r.Model), profile: c.Profile(r.Model)}
	messages := make([]history.Message, len(r.Messages))
	for i, m := range r.Messages {
		messages[i] = carried.own(m)
	}
	body.Say(messages)
	say := c.caching(r)
	if body.PromptCacheKey = say.Key; say.Diagnose && say.Before != "" {
		body.PromptCacheOptions = &responses.CacheOptions{ComparisonResponseID: say.Before}
	}
	return body, nil
}

// leastLimit is the smallest limit of a reply, in tokens, that the Responses API takes.
const leastLimit = 16

// refusesKept are refusals of the reasoning that an earlier answer of the same model held. It may have been
// written for another key, or the server lost track of it.
var refusesKept = lazyRegexp(`(?i)invalid_encrypted_content|encrypted content [^\n]{0,200}(?:verified|decrypted)|` +
	`item with id '[^']*' not found|of type 'reasoning'|'reasoning' item|` +
	`\binput\[\d+\]\.(?:encrypted_content|summary|phase|id)\b`)
