package llm

import (
	"encoding/json"
	"fmt"
	"reflect"
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

	ReplyLimit   int  `json:"reply_limit,omitempty"` // the longest reply in tokens that may be asked for; 0 is any
	NoReplyLimit bool `json:"no_reply_limit,omitempty"`

	NoTemperature      bool `json:"no_temperature,omitempty"`
	NoTopP             bool `json:"no_top_p,omitempty"`
	OneOfSampling      bool `json:"one_of_sampling,omitempty"`     // temperature or top_p, not both
	UnreasonedSampling bool `json:"unreasoned_sampling,omitempty"` // both only where it does not reason

	NoEffort     bool     `json:"no_effort,omitempty"`
	Efforts      []string `json:"efforts,omitempty"`        // the values of reasoning_effort; nil is any
	NoToolEffort bool     `json:"no_tool_effort,omitempty"` // tools over Chat Completions go with effort none alone

	NoStreamOptions      bool `json:"no_stream_options,omitempty"`
	NoEncryptedReasoning bool `json:"no_encrypted_reasoning,omitempty"`
	NoCacheKey           bool `json:"no_cache_key,omitempty"`
	NoCacheMarks         bool `json:"no_cache_marks,omitempty"`
	NoCacheDiagnosis     bool `json:"no_cache_diagnosis,omitempty"`

	Profile     history.Profile `json:"profile,omitzero"`       // the format of the history
	CachedApart bool            `json:"cached_apart,omitempty"` // usage has the cached tokens beside the prompt's
	AnyName     bool            `json:"any_name,omitempty"`     // the server's list lacks the model, and it answers

	// What Ollama says of the model. It is not forgotten with what was refused.
	Native      bool `json:"native,omitempty"`       // Ollama has it: its own format is used unless Wire is set
	Thinks      bool `json:"thinks,omitempty"`       // it can think
	ThinkLevels bool `json:"think_levels,omitempty"` // and takes levels of that
}

// Ways are the differences from the usual way in words that follow "is asked", such as "without temperature".
func (l Learned) Ways() []string {
	p := l.Profile
	var ways []string
	add := func(holds bool, way string) {
		if holds {
			ways = append(ways, way)
		}
	}
	add(l.Wire == ResponsesWire, "over the Responses API")
	add(l.Wire == ChatWire, "over Chat Completions")
	add(l.LimitKey == maxTokens, "with max_tokens in the place of max_completion_tokens")
	add(l.LimitKey == maxCompletionTokens, "with max_completion_tokens in the place of max_tokens")
	add(l.ReplyLimit > 0, "for a reply of at most "+comma(l.ReplyLimit)+" tokens")
	for _, refused := range parameters {
		add(*refused.fact(&l), refused.without)
	}
	add(l.OneOfSampling, "without top_p beside temperature")
	add(l.UnreasonedSampling, "without temperature and top_p while it reasons")
	add(len(l.Efforts) > 0, "with reasoning_effort "+strings.Join(l.Efforts, ", ")+" alone")
	add(l.NoToolEffort, "with reasoning_effort none if tools are offered")
	add(l.CachedApart, "with cached tokens counted beside the prompt")
	add(p.MergeSameRole, "with adjacent messages of a role joined")
	add(p.NoToolToUser, "with an answer between a tool result and your message")
	add(p.ToolIDLength > 0, fmt.Sprintf("with tool call ids of %d characters", p.ToolIDLength))
	add(p.EchoReasoning, "with its reasoning returned to it")
	add(p.NoReplay, "without data of its own answers")
	add(p.NoTools, "without tools")
	add(p.ToolsAsText, "with tool calls as text")
	add(p.NoImages, "without images")
	return ways
}

// over is l, and base where l says nothing.
func (l Learned) over(base Learned) Learned {
	if l.Efforts != nil {
		base.Efforts = nil // Unmarshal would write into the list of somebody else.
	}
	raw, _ := json.Marshal(l) // It holds nothing that cannot be encoded.
	_ = json.Unmarshal(raw, &base)
	return base
}

// facts are what is known of one model.
type facts struct {
	assumed Learned // by what its maker documents
	learned Learned // by what its server refused and said
	shown   wire.OllamaModel
}

// Known is how a model is asked: by what its server taught, else by what is known of the endpoint, else by what its
// maker documents. With the same of it, the same request has the same bytes. It has no date.
func (c *Client) Known(model string) Learned {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.facts[model]
	l := f.learned.over(c.endpoint.Known.over(f.assumed))
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

// Assume takes what is documented of a model for known. It is not among what is Learned: a later version of the table
// may know better.
func (c *Client) Assume(model string) {
	c.change(model, func(f *facts) { f.assumed = documentedOf(c.endpoint, model) })
}

// change changes what is known of a model.
func (c *Client) change(model string, change func(*facts)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.facts[model]
	change(&f)
	c.facts[model] = f
}

// teach changes what was learned of a model. news says how it is asked from now on, as Ways does; learned is false
// where it is asked as before.
func (c *Client) teach(model string, change func(*Learned)) (news string, learned bool) {
	before := c.Known(model)
	c.change(model, func(f *facts) { change(&f.learned) })
	now := c.Known(model)
	ways := slices.DeleteFunc(now.Ways(), func(way string) bool { return slices.Contains(before.Ways(), way) })
	return strings.Join(ways, " and "), !reflect.DeepEqual(before, now)
}

// Origin gives the name under which the answers of a model are kept: what they carried goes back to it alone.
func (c *Client) Origin(model string) history.Origin {
	return history.Origin{Endpoint: c.endpoint.Name, Model: model}
}
