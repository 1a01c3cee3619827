package llm

import (
	"cmp"
	"fmt"
)

// Wire names the format in which an endpoint takes requests and streams its answers.
type Wire string

// The formats.
const (
	AutoWire Wire = "auto"   // the one that the endpoint needs; "" is the same
	ChatWire Wire = "openai" // Chat Completions
)

// Wires are the names that an endpoint's configuration takes.
func Wires() []Wire { return []Wire{AutoWire, ChatWire} }

// wire is what one format has of its own. All else is the same for all: who is asked how often, what is learned
// from a refusal, what is taken out of an answer, how an answer is decoded.
type wire interface {
	// address is the URL that requests are posted to, without a query.
	address(e Endpoint) string

	// body is a request as a value that is encoded to JSON. ask is what of its sampling the model takes.
	// The same arguments and the same quirks give the same value.
	body(c *Client, r Request, ask sampled) (any, error)

	// translation begins the reading of one answer.
	translation() translation
}

// translation turns what a server streams into chunks of Chat Completions, which answer decodes.
type translation interface {
	// chunks takes the data of one event, or an answer that came in one piece. It is valid JSON, and is only valid
	// until the call returns. The chunks are JSON too. An error that the server sent stays an error in a form
	// that answer.add takes for one. done says that the answer is complete: nothing that follows counts.
	chunks(data []byte) (chunks [][]byte, done bool)
}

// wireOf finds a format by its name.
func wireOf(Wire) wire { return chatWire{} }

// Wire is the format in which a model is asked: the one that is configured, or the one that is known to work.
func (c *Client) Wire(model string) Wire {
	if w := c.endpoint.configuredWire(model); w != AutoWire {
		return w
	}
	return ChatWire
}

// configuredWire is the format that the configuration names for a model.
func (e Endpoint) configuredWire(model string) Wire {
	for name, w := range e.Wires {
		if SameModel(name, model) {
			return w
		}
	}
	return cmp.Or(e.Wire, AutoWire)
}

// Body gives exactly the bytes that Stream posts for a request: canonical JSON, the same for the
// same request, the same Wire and the same Quirks, without any secret.
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
