package llm

import (
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

// The quirks of one model about the format of its requests: see Client.Wire. Its name follows the word after a
// space.
const (
	wantsResponses       = "responses"              // Chat Completions refuses it, or its tools, and names the Responses API
	noResponses          = "no-responses"           // there is no Responses API after all
	noEncryptedReasoning = "no-encrypted-reasoning" // refuses to be asked for its reasoning in an encrypted form
)

// The quirks of one model, whose name follows the word after a space. They change what a request
// holds and not only how it is written, so that it has to be planned again.
const (
	echoReasoning = "echo-reasoning"  // requires the reasoning of earlier answers
	noReplay      = "no-replay"       // refuses the unknown keys of its own answers
	noTools       = "no-tools"        // takes no tools
	toolsAsText   = "tools-as-text"   // refuses tool calls in a request
	noImages      = "no-images"       // refuses images
	alternate     = "alternate"       // wants user and assistant in turn
	noToolToUser  = "no-tool-to-user" // wants an answer between a result and the user
	shortIDs      = "short-ids"       // wants ids of nine letters and digits
)

func of(model, quirk string) string { return quirk + " " + model }

// Profile gives what the chat format of a model requires: what is known of the endpoint, and what
// it refused since.
func (c *Client) Profile(model string) history.Profile {
	p := c.endpoint.Profile
	for _, f := range formats {
		if c.has(of(model, f.quirk)) {
			f.set(&p)
		}
	}
	p.NoTools = p.NoTools || c.endpoint.takesNoTools(model)
	c.lacks(model, &p)
	return p
}

// Origin gives the name under which the answers of a model are kept: what they carried goes back to
// it alone.
func (c *Client) Origin(model string) history.Origin {
	return history.Origin{Endpoint: c.endpoint.Name, Model: model}
}

// Quirks gives what is known about the server, sorted: what it started with in Endpoint.Quirks, what it
// refused since, and what Assume took for known. With the same ones, the same request has the same bytes.
// Those that are Learned are worth keeping per base URL.
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
		if q == "" {
			continue
		}
		c.quirks = slices.DeleteFunc(c.quirks, func(known string) bool { return sameQuirk(known, q) && slices.Contains(c.assumed, known) })
		c.assumed = slices.DeleteFunc(c.assumed, func(known string) bool { return sameQuirk(known, q) })
		c.insert(q)
	}
}

// insert adds a quirk in its place. The caller holds the lock.
func (c *Client) insert(q string) {
	if at, found := slices.BinarySearch(c.quirks, q); !found {
		c.quirks = slices.Insert(c.quirks, at, q)
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

// learn finds the quirk that a refusal teaches and that was not known yet, and says how the request goes out
// again at once.
func (c *Client) learn(e *Error, r Request) (how string, learned bool) {
	if e.Status != 400 && e.Status != 422 || e.Kind == Overflow {
		return "", false
	}
	if how, learned := c.learnCaching(e.Body, r); learned {
		return how, true
	}
	switch {
	case c.Wire(r.Model) == ResponsesWire:
		if refusesInclude().MatchString(e.Message) {
			return "without asking for encrypted reasoning", c.news(of(r.Model, noEncryptedReasoning))
		}
	case strings.Contains(e.Body, "stream_options"):
		return "without stream_options", c.news(noStreamOptions)
	case refuses(e.Body, "max_tokens") && strings.Contains(e.Body, "max_completion_tokens") && !c.completionTokens():
		return "with max_completion_tokens in the place of max_tokens", c.news(maxCompletionTokens)
	case refuses(e.Body, "max_completion_tokens") && c.completionTokens() && !tooLarge().MatchString(e.Body):
		return "with max_tokens in the place of max_completion_tokens", c.news(maxTokens)
	}
	return c.learnSampling(e, r)
}

// tooLarge tells a refusal of a number from one of its key.
var tooLarge = lazyRegexp(`(?i)too large|at most|exceed|less than|greater than|range`)

// news learns a quirk and says whether it was unknown.
func (c *Client) news(quirk string) bool {
	if c.has(quirk) {
		return false
	}
	c.Learn(quirk)
	return true
}

var refused = lazyRegexp(`(?i:unsupported|unrecognized|unknown)|not supported|extra_forbidden|not permitted|unexpected`)

// refuses says that a text calls a field unknown or unsupported.
func refuses(text, field string) bool {
	return strings.Contains(text, field) && refused().MatchString(text)
}
