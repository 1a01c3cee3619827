package llm

import (
	"regexp"
	"slices"
	"strings"

	"winnow/history"
)

// The quirks of servers: what a server refused once and is not sent again. They are the words
// that are stored, so they stay as they are.
const (
	noStreamOptions     = "no-stream-options"     // refuses stream_options; usage comes unasked or not at all
	maxCompletionTokens = "max-completion-tokens" // refuses max_tokens
	maxTokens           = "max-tokens"            // refuses max_completion_tokens
	cachedApart         = "cached-apart"          // counts the tokens of its cache beside those of the prompt
)

// The quirks of one model, whose name follows the word after a space. They change what a request
// holds and not only how it is written, so that it has to be planned again.
const (
	echoReasoning = "echo-reasoning"  // wants the reasoning of earlier answers back
	noReplay      = "no-replay"       // refuses the unknown keys of its own answers
	noTools       = "no-tools"        // takes no tools
	toolsAsText   = "tools-as-text"   // refuses tool calls in a request
	noImages      = "no-images"       // refuses images
	alternate     = "alternate"       // wants user and assistant in turn
	noToolToUser  = "no-tool-to-user" // wants an answer between a result and the user
	shortIDs      = "short-ids"       // wants ids of nine letters and digits
)

func of(model, quirk string) string { return quirk + " " + model }

// Profile gives what the chat format of a model insists on: what is known of the endpoint, and what
// it refused since.
func (c *Client) Profile(model string) history.Profile {
	p := c.endpoint.Profile
	p.EchoReasoning = p.EchoReasoning || c.has(of(model, echoReasoning))
	p.NoReplay = p.NoReplay || c.has(of(model, noReplay))
	p.ToolsAsText = p.ToolsAsText || c.has(of(model, toolsAsText))
	for _, f := range forms {
		if c.has(of(model, f.quirk)) {
			f.set(&p)
		}
	}
	return p
}

// Origin gives the name under which the answers of a model are kept: what they carried goes back to
// it alone.
func (c *Client) Origin(model string) history.Origin {
	return history.Origin{Endpoint: c.endpoint.Name, Model: model}
}

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

// Forget takes quirks back: what was refused may be sent again.
func (c *Client) Forget(quirks ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.quirks = slices.DeleteFunc(slices.Clone(c.quirks), func(q string) bool { return slices.Contains(quirks, q) })
}

// ToolsAsText is the quirk of a model that refuses tool calls in a request.
func ToolsAsText(model string) string { return of(model, toolsAsText) }

func (c *Client) has(quirk string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, found := slices.BinarySearch(c.quirks, quirk)
	return found
}

// learn finds the quirk that a refusal tells and that was not known yet, and says how the request goes out
// again at once.
func (c *Client) learn(e *Error, r Request) (how string, learned bool) {
	if e.Status != 400 && e.Status != 422 || e.Kind == Overflow {
		return "", false
	}
	text := e.Body
	switch {
	case strings.Contains(text, "stream_options"):
		return "without stream_options", c.news(noStreamOptions)
	case refuses(text, "max_tokens") && strings.Contains(text, "max_completion_tokens") && !c.completionTokens():
		return "with max_completion_tokens in the place of max_tokens", c.news(maxCompletionTokens)
	case refuses(text, "max_completion_tokens") && c.completionTokens() && !tooLarge.MatchString(text):
		return "with max_tokens in the place of max_completion_tokens", c.news(maxTokens)
	}
	return c.learnSampling(e, r)
}

// tooLarge tells a refusal of a number from one of its key.
var tooLarge = regexp.MustCompile(`(?i)too large|at most|exceed|less than|greater than|range`)

// learnForm finds the quirk of a model in a refusal that asks for another plan, and was not known yet.
// The same request cannot go out again: what it holds was counted and shown.
func (c *Client) learnForm(e *Error, r Request) bool {
	switch {
	case c.formLearned(e.Body, r):
		return true
	case e.Status != 400 && e.Status != 422:
		return false
	case wantsReasoning(e.Body):
		return c.news(of(r.Model, echoReasoning))
	case c.refusesReplay(e.Body, r):
		return c.news(of(r.Model, noReplay))
	}
	return false
}

// news learns a quirk and says whether it was unknown.
func (c *Client) news(quirk string) bool {
	if c.has(quirk) {
		return false
	}
	c.Learn(quirk)
	return true
}

// wantsReasoning says that a refusal misses the reasoning of an earlier answer.
func wantsReasoning(text string) bool {
	if !strings.Contains(text, "reasoning_content") {
		return false
	}
	for _, words := range []string{"passed back", "missing", "Missing"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// refusesReplay says that a refusal names a key that the request only had because an answer had it.
func (c *Client) refusesReplay(text string, r Request) bool {
	names := func(raw string) bool {
		for key := range members([]byte(raw)) {
			if refuses(text, key) {
				return true
			}
		}
		return false
	}
	for _, m := range r.Messages {
		if m.Origin != c.Origin(r.Model) {
			continue
		}
		if names(m.Replay) || slices.ContainsFunc(m.ToolCalls, func(call history.ToolCall) bool { return names(call.Replay) }) {
			return true
		}
	}
	return false
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
