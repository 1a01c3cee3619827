package llm

import (
	"slices"
	"strings"
)

// The quirks of servers: what a server refused once and is not sent again. They are the words
// that are stored, so they stay as they are.
const (
	noStreamOptions     = "no-stream-options"     // refuses stream_options; usage comes unasked or not at all
	maxCompletionTokens = "max-completion-tokens" // refuses max_tokens
	maxTokens           = "max-tokens"            // refuses max_completion_tokens
	echoReasoning       = "echo-reasoning"        // wants the reasoning of earlier answers back
)

// Quirks gives what was learned about the server, sorted: what it started with in
// Endpoint.Quirks and what it refused since. They are worth keeping per base URL.
func (c *Client) Quirks() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.quirks)
}

// Learn adds quirks that were learned earlier. Unknown ones are kept and do nothing.
func (c *Client) Learn(quirks ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, q := range quirks {
		if at, found := slices.BinarySearch(c.quirks, q); !found && q != "" {
			c.quirks = slices.Insert(c.quirks, at, q)
		}
	}
}

func (c *Client) has(quirk string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, found := slices.BinarySearch(c.quirks, quirk)
	return found
}

// learn finds the quirk that a refusal tells and that was not known yet. The request may then go
// out again at once in its other form.
func (c *Client) learn(e *Error) bool {
	if e.Status != 400 && e.Status != 422 {
		return false
	}
	text := e.Body
	var quirk string
	switch {
	case strings.Contains(text, "stream_options"):
		quirk = noStreamOptions
	case strings.Contains(text, "reasoning_content") && strings.Contains(text, "passed back"):
		quirk = echoReasoning
	case refuses(text, "max_tokens") && strings.Contains(text, "max_completion_tokens") && !c.completionTokens():
		quirk = maxCompletionTokens
	case refuses(text, "max_completion_tokens") && c.completionTokens():
		quirk = maxTokens
	default:
		return false
	}
	if c.has(quirk) {
		return false
	}
	c.Learn(quirk)
	return true
}

// refuses says that a text calls a field unknown or unsupported.
func refuses(text, field string) bool {
	if !strings.Contains(text, field) {
		return false
	}
	for _, word := range []string{"nsupported", "not supported", "extra_forbidden", "nrecognized", "nknown", "not permitted", "unexpected"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
