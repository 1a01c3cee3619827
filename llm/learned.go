package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"winnow/history"
	"winnow/llm/wire"
)

// Learned is how a model of an endpoint has to be asked, as far as that is not the usual way: its server refused that,
// or said so. The zero value is the usual way.
type Learned struct {
	Since time.Time `json:"since,omitzero"` // when the first of it was learned

	Wire     Wire   `json:"wire,omitempty"`      // the format of requests; "" is Chat Completions
	LimitKey string `json:"limit_key,omitempty"` // maxTokens or maxCompletionTokens; "" is that of the host

	ReplyLimit   int      `json:"reply_limit,omitempty"` // the longest reply in tokens that may be asked for; 0 is any
	Efforts      []string `json:"efforts,omitempty"`     // the values of reasoning_effort; nil is any
	NoToolEffort bool     `json:"no_tool_effort,omitempty"`
	Without      []string `json:"without,omitempty"` // the names of parameters that are not sent

	Profile     history.Profile `json:"profile,omitzero"`       // the format of the history
	CachedApart bool            `json:"cached_apart,omitempty"` // usage has the cached tokens beside the prompt's
	AnyName     bool            `json:"any_name,omitempty"`     // the server's list lacks the model, and it answers

	// What Ollama says of the model. It is not forgotten with what was refused.
	Native      bool `json:"native,omitempty"`       // Ollama has it: its own format is used unless Wire is set
	Thinks      bool `json:"thinks,omitempty"`       // it can think
	ThinkLevels bool `json:"think_levels,omitempty"` // and takes levels of that
}

// The keys of the limit for the reply in Chat Completions.
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
)

// Ways are the differences from the usual way in words that follow "is asked", such as "without temperature".
func (l Learned) Ways() []string {
	p := l.Profile
	var ways []string
	for _, name := range l.Without {
		ways = append(ways, "without "+name)
	}
	for _, way := range []struct {
		holds bool
		words string
	}{
		{l.Wire == ResponsesWire, "over the Responses API"},
		{l.Wire == ChatWire, "over Chat Completions"},
		{l.LimitKey != "", "with " + l.LimitKey + " as the limit for the reply"},
		{l.ReplyLimit > 0, "for a reply of at most " + comma(l.ReplyLimit) + " tokens"},
		{len(l.Efforts) > 0, "with reasoning_effort " + strings.Join(l.Efforts, ", ") + " alone"},
		{l.NoToolEffort, "with reasoning_effort none if tools are offered"},
		{l.CachedApart, "with cached tokens counted beside the prompt"},
		{p.MergeSameRole, "with adjacent messages of a role joined"},
		{p.NoToolToUser, "with an answer between a tool result and your message"},
		{p.ToolIDLength > 0, fmt.Sprintf("with tool call ids of %d characters", p.ToolIDLength)},
		{p.EchoReasoning, "with its reasoning returned to it"},
		{p.NoReplay, "without data of its own answers"},
		{p.NoTools, "without tools"},
		{p.ToolsAsText, "with tool calls as text"},
		{p.NoImages, "without images"},
	} {
		if way.holds {
			ways = append(ways, way.words)
		}
	}
	return ways
}

// over is l, and base where l says nothing.
func (l Learned) over(base Learned) Learned {
	without := slices.Sorted(slices.Values(slices.Concat(base.Without, l.Without)))
	if l.Efforts != nil {
		base.Efforts = nil // Unmarshal would write into the list of somebody else.
	}
	base.Without = nil
	raw, _ := json.Marshal(l) // It holds nothing that cannot be encoded.
	_ = json.Unmarshal(raw, &base)
	base.Without = slices.Compact(without)
	return base
}

// facts are what is known of one model.
type facts struct {
	learned Learned // by what its server refused and said
	shown   wire.OllamaModel
}

// Known is how a model is asked: by what its server taught, else by what is known of the endpoint. With the same of
// it, the same request has the same bytes. It has no date.
func (c *Client) Known(model string) Learned {
	l := c.Learned(model).over(c.endpoint.Known)
	l.Since = time.Time{}
	return l
}

// Learned is what the server of a model taught, which is worth keeping for its base URL and the model.
func (c *Client) Learned(model string) Learned {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.facts[model].learned
}

// Learn adds what was learned of a model.
func (c *Client) Learn(model string, more Learned) {
	c.change(model, func(f *facts) { f.learned = more.over(f.learned) })
}

// Forget forgets what the server of a model refused: it may be sent again.
func (c *Client) Forget(model string) {
	c.change(model, func(f *facts) {
		f.learned = Learned{Native: f.learned.Native, Thinks: f.learned.Thinks, ThinkLevels: f.learned.ThinkLevels}
	})
}

// change changes what is known of a model.
func (c *Client) change(model string, change func(*facts)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.facts[model]
	change(&f)
	c.facts[model] = f
}

// teach changes what was learned of a model, and says how it is asked from now on, as Ways does; "" is as before.
func (c *Client) teach(model string, change func(*Learned)) (news string) {
	before := c.Known(model).Ways()
	c.change(model, func(f *facts) { change(&f.learned) })
	ways := slices.DeleteFunc(c.Known(model).Ways(), func(way string) bool { return slices.Contains(before, way) })
	return strings.Join(ways, " and ")
}

// Origin gives the name under which the answers of a model are kept: what they carried goes back to it alone.
func (c *Client) Origin(model string) history.Origin {
	return history.Origin{Endpoint: c.endpoint.Name, Model: model}
}
