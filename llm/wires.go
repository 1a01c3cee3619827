package llm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"winnow/history"
	"winnow/llm/tool"
	"winnow/llm/wire"
)

// Wire names the format in which an endpoint takes requests and streams its answers.
type Wire = wire.Format

// The formats.
const (
	AutoWire      Wire = "auto"         // the one that the endpoint needs; "" is the same
	ChatWire           = wire.Chat      // Chat Completions
	ResponsesWire      = wire.Responses // OpenAI's Responses API
	OllamaWire         = wire.Ollama    // Ollama's own
)

// Wires are the names that an endpoint's configuration takes.
func Wires() []Wire { return []Wire{AutoWire, ChatWire, ResponsesWire, OllamaWire} }

// Wire is the format in which a model is asked: the one that is configured, else Chat Completions until a
// refusal asks for another.
func (c *Client) Wire(model string) Wire {
	if w := c.endpoint.configuredWire(model); w != AutoWire {
		return w
	}
	switch known := c.Known(model); {
	case known.Wire != "":
		return known.Wire
	case known.Native:
		return OllamaWire
	}
	return ChatWire
}

// configuredWire is the format that the configuration names for a model.
func (e Endpoint) configuredWire(model string) Wire {
	s, _ := e.configured(model, func(s ModelSettings) bool { return s.Wire != "" })
	return cmp.Or(s.Wire, e.Wire, AutoWire)
}

// addressOf is the URL that requests in a format are posted to, without a query.
func (e Endpoint) addressOf(w Wire) string {
	switch w {
	case ResponsesWire:
		return e.at("/responses")
	case OllamaWire:
		return e.root() + "/api/chat"
	}
	return e.at("/chat/completions")
}

// namesResponses are refusals of a model, or of a model with tools, that the Responses API takes. One of the
// older texts names the wrong way out.
var namesResponses = lazyRegexp(`(?i)v1/responses\b|\bresponses api\b|this is not a chat model`)

// refusesKept are refusals of the reasoning that an earlier answer of the same model held. It may have been
// written for another key, or the server lost track of it.
var refusesKept = lazyRegexp(`(?i)invalid_encrypted_content|encrypted content [^\n]{0,200}(?:verified|decrypted)|` +
	`item with id '[^']*' not found|of type 'reasoning'|'reasoning' item|` +
	`\binput\[\d+\]\.(?:encrypted_content|summary|phase|id)\b`)

// learnWire changes the format in which a model is asked if a refusal asks for the Responses API or the server does
// not have the format. Each is learned once, so that two refusals cannot send a request back and forth.
func (c *Client) learnWire(e *Error, r Request) (how string, learned bool) {
	if c.endpoint.configuredWire(r.Model) != AutoWire || c.Learned(r.Model).Wire == ChatWire {
		return "", false
	}
	namesOther := namesResponses().MatchString(e.Message)
	missing := e.Status == 405 || e.Status == 404 && !modelUnknown().MatchString(e.Message)
	other := ChatWire
	switch c.Wire(r.Model) {
	case ChatWire:
		other, learned = ResponsesWire, namesOther && (e.Status == 400 || e.Status == 404)
	case OllamaWire:
		learned = missing
	case ResponsesWire:
		learned = missing && !refusesKept().MatchString(e.Message) || e.Status == 400 && namesOther
	}
	if !learned {
		return "", false
	}
	return c.teach(r.Model, func(l *Learned) { l.Wire = other })
}

// Body gives exactly the bytes that Stream posts for a request: canonical JSON, the same for the
// same request, the same Wire and the same of what is Known, without any secret.
func (c *Client) Body(r Request) ([]byte, error) { return c.encoded(c.Wire(r.Model), r) }

// encoded is a request in a format.
func (c *Client) encoded(w Wire, r Request) ([]byte, error) {
	ask, say, known := c.sampling(r), c.caching(r), c.Known(r.Model)
	body, err := w.Body(wire.Request{
		Model:                r.Model,
		Messages:             c.returned(r),
		EchoReasoning:        c.Profile(r.Model).EchoReasoning,
		Tools:                functions(r.Tools),
		MaxTokens:            ask.maxTokens,
		Temperature:          ask.temperature,
		TopP:                 ask.topP,
		Effort:               ask.effort,
		CacheKey:             say.Key,
		CacheMarks:           say.Marks,
		Diagnose:             say.Diagnose,
		Before:               say.Before,
		NoStreamOptions:      known.NoStreamOptions,
		CompletionTokens:     c.completionTokens(r.Model),
		NoEncryptedReasoning: known.NoEncryptedReasoning,
		Window:               r.Window,
		Think:                known.think(ask.effort),
		KeepAlive:            c.endpoint.KeepAlive,
	})
	if err != nil {
		return nil, fmt.Errorf("encode request to %s: %w", c.endpoint.Name, err)
	}
	return body, nil
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

// returned are the messages of a request as they are sent. What a server sent with an answer goes back to the model
// that answered, and to no other, whatever the plan holds.
func (c *Client) returned(r Request) []history.Message {
	origin, replays := c.Origin(r.Model), !c.Profile(r.Model).NoReplay
	messages := slices.Clone(r.Messages)
	for i := range messages {
		m := &messages[i]
		own := m.Origin == origin
		if !own {
			m.Reasoning = ""
		}
		if !own || !replays {
			m.Replay = ""
		}
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for k := range m.ToolCalls {
			call := &m.ToolCalls[k]
			call.Arguments = argumentObject(call.Arguments)
			if !own || !replays {
				call.Replay = ""
			}
		}
	}
	return messages
}

// argumentObject is a call's arguments if they are a JSON object, and an empty object if they are not: servers answer
// anything else with a failure that ends the conversation. History has repaired them and shown the repair before.
func argumentObject(arguments string) string {
	trimmed := strings.TrimSpace(arguments)
	if strings.HasPrefix(trimmed, "{") && json.Valid([]byte(trimmed)) {
		return arguments
	}
	return "{}"
}

// functions are tools as they are sent.
func functions(tools []tool.Tool) []openai.FunctionDefinition {
	var list []openai.FunctionDefinition
	for _, t := range tools {
		f := openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: schemaOf(t)}
		list = append(list, f)
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
