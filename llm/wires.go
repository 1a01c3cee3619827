package llm

import (
	"cmp"
	"fmt"
)

// Wire names the format in which an endpoint takes requests and streams its answers.
type Wire string

// The formats.
const (
	AutoWire      Wire = "auto"      // the one that the endpoint needs; "" is the same
	ChatWire      Wire = "openai"    // Chat Completions
	OllamaWire    Wire = "ollama"    // Ollama's own
	ResponsesWire Wire = "responses" // OpenAI's Responses API
)

// Wires are the names that an endpoint's configuration takes.
func Wires() []Wire { return []Wire{AutoWire, ChatWire, ResponsesWire, OllamaWire} }

// wire is what one format has of its own. All else is the same for all: who is asked how often, what is learned
// from a refusal, what is taken out of an answer.
type wire interface {
	// address is the URL that requests are posted to, without a query.
	address(e Endpoint) string

	// body is a request as a value that is encoded to JSON. ask is what of its sampling the model takes.
	// The same arguments and the same of what is Known give the same value.
	body(c *Client, r Request, ask sampled) (any, error)

	// reader begins the reading of one answer.
	reader() answerReader
}

// wireOf finds a format by its name.
func wireOf(name Wire) wire {
	switch name {
	case ResponsesWire:
		return responsesWire{}
	case OllamaWire:
		return ollamaWire{}
	}
	return chatWire{}
}

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

// namesResponses are refusals of a model, or of a model with tools, that the Responses API takes. One of the
// older texts names the wrong way out.
var namesResponses = lazyRegexp(`(?i)v1/responses\b|\bresponses api\b|this is not a chat model`)

// learnWire changes the format in which a model is asked, where a refusal asks for the Responses API or the server
// does not have the format. Each is learned once, so that two refusals cannot send a request back and forth.
func (c *Client) learnWire(e *Error, r Request) (how string, learned bool) {
	if c.endpoint.configuredWire(r.Model) != AutoWire || c.Learned(r.Model).Wire == ChatWire {
		return "", false
	}
	switch c.Wire(r.Model) {
	case ChatWire:
		if (e.Status == 400 || e.Status == 404) && namesResponses().MatchString(e.Message) {
			return c.teach(r.Model, func(l *Learned) { l.Wire = ResponsesWire })
		}
	case OllamaWire:
		if e.Status == 405 || e.Status == 404 && !modelUnknown().MatchString(e.Message) {
			return c.teach(r.Model, func(l *Learned) { l.Wire = ChatWire })
		}
	case ResponsesWire:
		missing := e.Status == 404 && !modelUnknown().MatchString(e.Message) && !refusesKept().MatchString(e.Message)
		if missing || e.Status == 405 || e.Status == 400 && namesResponses().MatchString(e.Message) {
			return c.teach(r.Model, func(l *Learned) { l.Wire = ChatWire })
		}
	}
	return "", false
}

// configuredWire is the format that the configuration names for a model.
func (e Endpoint) configuredWire(model string) Wire {
	s, _ := e.configured(model, func(s ModelSettings) bool { return s.Wire != "" })
	return cmp.Or(s.Wire, e.Wire, AutoWire)
}

// Body gives exactly the bytes that Stream posts for a request: canonical JSON, the same for the
// same request, the same Wire and the same of what is Known, without any secret.
func (c *Client) Body(r Request) ([]byte, error) {
	return c.encoded(wireOf(c.Wire(r.Model)), r)
}

// encoded is a request in a format.
func (c *Client) encoded(w wire, r Request) ([]byte, error) {
	value, err := w.body(c, r, c.sampling(r))
	if err != nil {
		return nil, fmt.Errorf("encode request to %s: %w", c.endpoint.Name, err)
	}
	body, err := encode(value)
	if err != nil {
		return nil, fmt.Errorf("encode request to %s: %w", c.endpoint.Name, err)
	}
	return body, nil
}
