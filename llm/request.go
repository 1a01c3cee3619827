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
	s := e.configured(model, func(s ModelSettings) bool { return s.Wire != "" })
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

// Profile is what the chat format of a model requires, by what is known of the endpoint and of the model. A model of
// Ollama lacks what its server says that it cannot do: an image that it cannot see would be dropped without a word.
func (c *Client) Profile(model string) history.EndpointProfile {
	p := c.Known(model).over(Learned{Profile: c.endpoint.Profile}).Profile
	s := c.endpoint.configured(model, func(s ModelSettings) bool { return s.Tools != nil })
	p.NoTools = p.NoTools || s.Tools != nil && !*s.Tools
	c.mu.Lock()
	defer c.mu.Unlock()
	if shown := c.facts[model].shown; shown.Known {
		p.NoImages = p.NoImages || !shown.Vision
		p.NoTools, p.ToolsAsText = p.NoTools || !shown.Tools, p.ToolsAsText || !shown.Tools
	}
	return p
}

// Body gives exactly the bytes that Stream posts for a request: canonical JSON, the same for the
// same request, the same Wire and the same of what is Known, without any secret.
func (c *Client) Body(r Request) ([]byte, error) {
	body, err := c.Wire(r.Model).Body(c.asked(r))
	if err != nil {
		return nil, fmt.Errorf("encode request to %s: %w", c.endpoint.Name, err)
	}
	return body, nil
}

// asked is a request as it is sent, after all that is known of its model.
func (c *Client) asked(r Request) wire.Request {
	w, l, host := c.Wire(r.Model), c.Known(r.Model), c.endpoint.Host()
	a := wire.Request{
		Model:         r.Model,
		Messages:      r.Messages,
		EchoReasoning: c.Profile(r.Model).EchoReasoning,
		Tools:         functions(r.Tools),
		MaxTokens:     c.MaxReply(r.Model, r.MaxTokens),
		Temperature:   r.Temperature,
		TopP:          r.TopP,
		Effort:        r.Effort,
		CacheMarks:    r.CacheMarks,
		Window:        r.Window,
		KeepAlive:     c.endpoint.KeepAlive,

		NoStreamOptions:      w == ResponsesWire || w == OllamaWire,
		NoEncryptedReasoning: w != ResponsesWire,
	}
	// OpenAI's newer models refuse max_tokens, most others know only that.
	a.CompletionTokens = l.CompletionTokens || host == "api.openai.com" || strings.HasSuffix(host, ".openai.azure.com")
	switch {
	case len(r.Tools) > 0 && l.NoToolEffort && w == ChatWire:
		a.Effort = "none"
	case len(l.Efforts) > 0 && r.Effort != "":
		a.Effort = nearestEffort(r.Effort, l.Efforts)
	}
	for _, p := range parameters {
		if slices.Contains(l.Without, p.name) {
			p.drop(&a)
		}
	}
	// A model of Ollama that cannot think refuses to be asked, and most of those that can know only on and off.
	switch {
	case a.Effort == "" || !l.Thinks:
	case l.ThinkLevels && a.Effort != "none":
		a.Think = nearestEffort(a.Effort, []string{"low", "medium", "high"})
	default:
		a.Think = a.Effort != "none"
	}
	return a
}

// MaxReply is how many tokens of a reply a model takes a limit for, at most wanted; 0 asks for no limit.
func (c *Client) MaxReply(model string, wanted int) int {
	switch l := c.Known(model); {
	case slices.Contains(l.Without, replyLimit):
		return 0
	case l.ReplyLimit > 0:
		return min(wanted, l.ReplyLimit)
	}
	return wanted
}

// efforts are the values of reasoning_effort, in rising order.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// nearestEffort is the one of values that asks for most like the wanted one; of two, the first.
func nearestEffort(wanted string, values []string) string {
	if !slices.Contains(efforts, wanted) {
		wanted = "medium"
	}
	distance := func(value string) int {
		d := slices.Index(efforts, value) - slices.Index(efforts, wanted)
		return max(d, -d)
	}
	return slices.MinFunc(values, func(a, b string) int { return cmp.Compare(distance(a), distance(b)) })
}

// functions are tools as they are sent. A tool without a schema takes no arguments.
func functions(tools []tool.Tool) []openai.FunctionDefinition {
	var list []openai.FunctionDefinition
	for _, t := range tools {
		schema := t.Parameters
		if len(bytes.TrimSpace(schema)) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		list = append(list, openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: schema})
	}
	return list
}

// Schemas is the JSON of tools as a request carries them, for counting. It is "" for none.
func Schemas(tools []tool.Tool) string {
	if len(tools) == 0 {
		return ""
	}
	body, err := wire.Encode(wire.Tools(functions(tools)))
	if err != nil {
		return "" // Body says what is wrong with a schema that is no JSON.
	}
	return string(body)
}

// CacheMarks are the messages, as indexes, behind which the server of a request should end what it caches: OpenRouter
// caches Anthropic's models where that is marked, and those of most other makers without being asked. Alike is how many
// messages it begins with as the request before it, and stays how many of its own the next one still begins with, even
// if something falls out.
//
// The ends are behind the system prompt, which the tools stand in front of; behind what was cached by the request
// before; behind what stays; and at the end, for the next request. These are the four that a server takes. A message
// without text cannot carry a mark: the one before it does.
func (c *Client) CacheMarks(r Request, alike, stays int) (marks []int) {
	claude := strings.HasPrefix(strings.ToLower(r.Model), "anthropic/")
	if !claude || c.endpoint.Host() != "openrouter.ai" || c.Wire(r.Model) != ChatWire {
		return nil
	}
	for _, end := range []int{1, alike, stays, len(r.Messages)} {
		at := min(end, len(r.Messages)) - 1
		for at >= 0 && wire.IsBlank(r.Messages[at]) {
			at--
		}
		if at >= 0 && !slices.Contains(marks, at) {
			marks = append(marks, at)
		}
	}
	slices.Sort(marks)
	return marks
}
