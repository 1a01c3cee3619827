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

// Profile is what the chat format of a model requires, by what is known of the endpoint and of the model.
func (c *Client) Profile(model string) history.Profile {
	p := c.Known(model).over(Learned{Profile: c.endpoint.Profile}).Profile
	if s, set := c.endpoint.configured(model, func(s ModelSettings) bool { return s.Tools != nil }); set && !*s.Tools {
		p.NoTools = true
	}
	return c.lacking(model, p)
}

// Body gives exactly the bytes that Stream posts for a request: canonical JSON, the same for the
// same request, the same Wire and the same of what is Known, without any secret.
func (c *Client) Body(r Request) ([]byte, error) { return c.encoded(c.Wire(r.Model), r) }

// encoded is a request in a format.
func (c *Client) encoded(w Wire, r Request) ([]byte, error) {
	body, err := w.Body(c.asked(r, w))
	if err != nil {
		return nil, fmt.Errorf("encode request to %s: %w", c.endpoint.Name, err)
	}
	return body, nil
}

// asked is a request as it is sent in a format, after all that is known of its model.
func (c *Client) asked(r Request, w Wire) wire.Request {
	known := c.Known(r.Model)
	asked := known.asked(r, w)
	asked.Messages = c.returned(r)
	asked.EchoReasoning = c.Profile(r.Model).EchoReasoning
	asked.Tools = functions(r.Tools)
	asked.Window, asked.KeepAlive = r.Window, c.endpoint.KeepAlive
	// OpenAI's newer models refuse max_tokens, most others know only that.
	host := c.endpoint.Host()
	asked.CompletionTokens = known.LimitKey == maxCompletionTokens ||
		known.LimitKey == "" && (host == "api.openai.com" || strings.HasSuffix(host, ".openai.azure.com"))
	return asked
}

// asked is what of a request's parameters is sent to a model of which this is known.
func (l Learned) asked(r Request, w Wire) wire.Request {
	a := wire.Request{
		Model:                r.Model,
		MaxTokens:            l.maxReply(r.MaxTokens),
		Temperature:          r.Temperature,
		TopP:                 r.TopP,
		Effort:               r.Effort,
		NoStreamOptions:      l.NoStreamOptions || w == ResponsesWire || w == OllamaWire,
		NoEncryptedReasoning: l.NoEncryptedReasoning || w != ResponsesWire,
	}
	if !l.NoCacheKey {
		a.CacheKey = r.Cache.Key
	}
	if !l.NoCacheMarks {
		a.CacheMarks = r.Cache.Marks
	}
	if !l.NoCacheDiagnosis {
		a.Diagnose, a.Before = r.Cache.Diagnose, r.Cache.Before
	}
	switch {
	case len(r.Tools) > 0 && l.NoToolEffort && w == ChatWire:
		a.Effort = "none"
	case l.NoEffort:
		a.Effort = ""
	case len(l.Efforts) > 0 && a.Effort != "":
		a.Effort = nearestEffort(a.Effort, l.Efforts)
	}
	reasons := l.UnreasonedSampling && a.Effort != "" && a.Effort != "none"
	if l.NoTemperature || reasons {
		a.Temperature = nil
	}
	if l.NoTopP || reasons || l.OneOfSampling && a.Temperature != nil {
		a.TopP = nil
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
func (c *Client) MaxReply(model string, wanted int) int { return c.Known(model).maxReply(wanted) }

func (l Learned) maxReply(wanted int) int {
	switch {
	case l.NoReplyLimit:
		return 0
	case l.ReplyLimit > 0:
		return min(wanted, l.ReplyLimit)
	}
	return wanted
}

// efforts are the values of reasoning_effort, in rising order.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// nearestEffort is the one of values that asks for most like the wanted one; of two, the lower.
func nearestEffort(wanted string, values []string) string {
	at := slices.Index(efforts, wanted)
	if at < 0 {
		at = slices.Index(efforts, "medium")
	}
	best, distance := "", len(efforts)+1
	for i, e := range efforts {
		if d := max(i-at, at-i); slices.Contains(values, e) && d < distance {
			best, distance = e, d
		}
	}
	return best
}

// changed says what of the sampling is sent otherwise than before, in words that follow "is asked"; "" for nothing.
func changed(now, before wire.Request) string {
	var list []string
	number := func(name string, now, before *float64) {
		switch {
		case now == before || now != nil && before != nil && *now == *before:
		case now == nil:
			list = append(list, "without "+name)
		default:
			list = append(list, fmt.Sprintf("with %s %g", name, *now))
		}
	}
	number("temperature", now.Temperature, before.Temperature)
	number("top_p", now.TopP, before.TopP)
	switch {
	case now.Effort == before.Effort:
	case now.Effort == "":
		list = append(list, "without reasoning_effort")
	default:
		list = append(list, "with reasoning_effort "+now.Effort)
	}
	switch {
	case now.MaxTokens == before.MaxTokens:
	case now.MaxTokens == 0:
		list = append(list, "without a limit for the reply")
	default:
		list = append(list, "for a reply of at most "+comma(now.MaxTokens)+" tokens")
	}
	return strings.Join(list, " and ")
}

// Unsent says what of a request's sampling is not sent as it is set, in words that follow "is asked", because the
// model's maker documents that it is not supported; "" for nothing. What the server refused was announced when it did.
func (c *Client) Unsent(r Request) string {
	w := c.Wire(r.Model)
	return changed(c.Known(r.Model).asked(r, w), c.Learned(r.Model).asked(r, w))
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
