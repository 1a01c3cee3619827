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

// Wire is a format of requests and streamed answers.
type Wire = wire.Format

// The formats.
const (
	AutoWire      Wire = "auto"         // chosen by what the server accepts; "" is the same
	ChatWire           = wire.Chat      // Chat Completions
	ResponsesWire      = wire.Responses // OpenAI's Responses API
	OllamaWire         = wire.Ollama    // Ollama's native API
)

// Wire is the format in use for a model: the configured one, else Chat Completions until a refusal asks for another
// one. Ollama's native API is used once the server has turned out to be Ollama.
func (c *Client) Wire(model string) Wire {
	if w := c.endpoint.configuredWire(model); w != AutoWire {
		return w
	}
	switch known := c.AllLearned(model); {
	case known.Wire != "":
		return known.Wire
	case known.Native:
		return OllamaWire
	}
	return ChatWire
}

// configuredWire is the configured format of a model, AutoWire if none is set.
func (e Endpoint) configuredWire(model string) Wire {
	s := e.modelConfig(model, func(s ModelConfig) bool { return s.Wire != "" })
	return cmp.Or(s.Wire, e.Wire, AutoWire)
}

// requestURL is the URL that requests in a format are posted to, without the query.
func (e Endpoint) requestURL(w Wire) string {
	switch w {
	case ResponsesWire:
		return e.urlOf("/responses")
	case OllamaWire:
		return e.rootURL() + "/api/chat"
	}
	return e.urlOf("/chat/completions")
}

// Profile returns the requirements of a model on its history, from the endpoint, the configuration and what was
// learned. If Ollama reports that a model lacks images or tools, the profile excludes them: Ollama would silently drop
// an image.
func (c *Client) Profile(model string) history.Profile {
	p := c.AllLearned(model).mergedOver(Learned{Profile: c.endpoint.Profile}).Profile
	s := c.endpoint.modelConfig(model, func(s ModelConfig) bool { return s.Tools != nil })
	p.NoTools = p.NoTools || s.Tools != nil && !*s.Tools
	c.mu.Lock()
	defer c.mu.Unlock()
	if shown := c.facts[model].shown; shown.CapabilitiesKnown {
		p.NoImages = p.NoImages || !shown.Vision
		p.NoTools, p.ToolsAsText = p.NoTools || !shown.Tools, p.ToolsAsText || !shown.Tools
	}
	return p
}

// RequestBody returns exactly the bytes that Stream posts for a request. The JSON is canonical: it depends only on the
// request, on Wire and on AllLearned. It contains no secrets.
func (c *Client) RequestBody(r Request) ([]byte, error) {
	body, err := c.Wire(r.Model).RequestBody(c.wireRequest(r))
	if err != nil {
		return nil, fmt.Errorf("encode request to %s: %w", c.endpoint.Name, err)
	}
	return body, nil
}

// wireRequest applies everything that is known about the model to a request.
func (c *Client) wireRequest(r Request) wire.Request {
	w, l, host := c.Wire(r.Model), c.AllLearned(r.Model), c.endpoint.Host()
	a := wire.Request{
		Model:         r.Model,
		Messages:      r.Messages,
		EchoReasoning: c.Profile(r.Model).EchoReasoning,
		Tools:         functions(r.Tools),
		MaxTokens:     c.MaxReplyTokens(r.Model, r.MaxTokens),
		Temperature:   r.Temperature,
		TopP:          r.TopP,
		Effort:        r.Effort,
		CacheMarks:    r.CacheMarks,
		Window:        r.Window,
		KeepAlive:     c.endpoint.KeepAlive,

		NoStreamOptions:      w == ResponsesWire || w == OllamaWire,
		NoEncryptedReasoning: w != ResponsesWire,
	}
	// OpenAI's newer models refuse max_tokens; most other servers know nothing else.
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
	// Ollama refuses "think" for a model that cannot think, and most models that can accept only true and false.
	switch {
	case a.Effort == "" || !l.Thinks:
	case l.ThinkLevels && a.Effort != "none":
		a.Think = nearestEffort(a.Effort, []string{"low", "medium", "high"})
	default:
		a.Think = a.Effort != "none"
	}
	return a
}

// MaxReplyTokens is the reply limit that may be sent to a model, at most wanted tokens. 0 means that no limit is sent.
func (c *Client) MaxReplyTokens(model string, wanted int) int {
	switch l := c.AllLearned(model); {
	case slices.Contains(l.Without, replyLimit):
		return 0
	case l.ReplyLimit > 0:
		return min(wanted, l.ReplyLimit)
	}
	return wanted
}

// efforts are the values of reasoning_effort in ascending order.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// nearestEffort returns the one of values nearest to wanted; of two equally near, the first.
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

// functions converts tools to their wire type. A tool without a schema takes no arguments.
func functions(tools []tool.Tool) []openai.FunctionDefinition {
	var list []openai.FunctionDefinition
	for _, t := range tools {
		schema := t.Parameters
		if len(bytes.TrimSpace(schema)) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		list = append(list, openai.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: schema,
		})
	}
	return list
}

// ToolSchemas returns the JSON of tools as a request carries them, for counting tokens; "" for none.
func ToolSchemas(tools []tool.Tool) string {
	if len(tools) == 0 {
		return ""
	}
	body, err := wire.EncodeJSON(wire.ChatTools(functions(tools)))
	if err != nil {
		return "" // RequestBody reports a schema that is not JSON.
	}
	return string(body)
}

// CacheMarks returns the indexes of the messages after which the server should end a cached prefix. OpenRouter caches
// Anthropic's models only at such marks; for other models the result is nil. alike is how many leading messages the
// request shares with the previous one. stays is how many leading messages the next request will still share with this
// one, even if messages are dropped.
//
// There are at most four marks, as many as the server accepts: after the system prompt, which follows the tools; after
// the shared prefix; after the stable prefix; and at the end. A message without text cannot carry a mark, so the
// message before it does.
func (c *Client) CacheMarks(r Request, alike, stays int) (marks []int) {
	claude := strings.HasPrefix(strings.ToLower(r.Model), "anthropic/")
	if !claude || c.endpoint.Host() != "openrouter.ai" || c.Wire(r.Model) != ChatWire {
		return nil
	}
	for _, end := range []int{1, alike, stays, len(r.Messages)} {
		at := min(end, len(r.Messages)) - 1
		for at >= 0 && wire.IsBlankMessage(r.Messages[at]) {
			at--
		}
		if at >= 0 && !slices.Contains(marks, at) {
			marks = append(marks, at)
		}
	}
	slices.Sort(marks)
	return marks
}
