package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"winnow/history"
	"winnow/llm/wire"
)

// CacheMode says whether servers are helped to find the beginning of a request in their caches.
type CacheMode string

// The modes.
const (
	CacheAuto CacheMode = "auto" // where a server is known to want it; "" is the same
	CacheOff  CacheMode = "off"  // nowhere
)

// CacheModes are the names that an endpoint's configuration takes.
func CacheModes() []CacheMode { return []CacheMode{CacheAuto, CacheOff} }

// DiagnosisMode says whether a server is asked why it did not find the beginning of a request in its cache.
type DiagnosisMode string

// The modes.
const (
	DiagnosisAuto DiagnosisMode = "auto" // where the server is known to say it, at no cost; "" is the same
	DiagnosisOn   DiagnosisMode = "on"   // always
	DiagnosisOff  DiagnosisMode = "off"  // never
)

// DiagnosisModes are the names that an endpoint's configuration takes.
func DiagnosisModes() []DiagnosisMode {
	return []DiagnosisMode{DiagnosisAuto, DiagnosisOn, DiagnosisOff}
}

// Caching is what a request says to the cache of its server. It is recorded with the request, so that the same bytes
// can be made again whatever is known of servers then. The zero value says nothing.
type Caching struct {
	Key      string `json:"key,omitempty"`      // prompt_cache_key
	Marks    []int  `json:"marks,omitempty"`    // messages that end a part to be cached, as indexes, rising
	Diagnose bool   `json:"diagnose,omitempty"` // the server is asked why it missed
	Before   string `json:"before,omitempty"`   // the id of the answer that it compares with, "" for none
}

// CacheHint is what a conversation knows of a request that a cache could use.
type CacheHint struct {
	Conversation string // all requests with the same one have much in common; only a hash of it is sent
	Tokens       int    // of the request, about
	Alike        int    // so many messages it begins with as the request before it
	Stays        int    // so many of its messages stay at the beginning of the next one, even if something falls out
	Answer       string // the id of the newest answer of the same model, "" for none
}

const (
	// leastCached is the size of a request in tokens below which no server is known to keep it.
	leastCached = 1024

	// maxMarks is the most marks that a server takes.
	maxMarks = 4
)

// Caching is what a request should say to the cache of its server.
func (c *Client) Caching(r Request, h CacheHint) Caching {
	var say Caching
	wire, host := c.Wire(r.Model), c.endpoint.Host()
	if c.endpoint.Cache != CacheOff && h.Conversation != "" && host == "api.openai.com" {
		sum := sha256.Sum256([]byte("winnow conversation " + h.Conversation))
		say.Key = hex.EncodeToString(sum[:16])
	}
	if c.endpoint.Cache != CacheOff && wire == ChatWire && h.Tokens >= leastCached && wantsMarks(c.endpoint, r.Model) {
		say.Marks = marks(r.Messages, h)
	}
	if c.diagnoses(r.Model) { // Over the Responses API there has to be an answer to compare with.
		say.Diagnose, say.Before = h.Answer != "" || wire == ChatWire, h.Answer
	}
	return say
}

// markedModels are the models that cache only what is marked, by how OpenRouter's names of them begin. Those of other
// makers are cached without being asked.
var markedModels = []string{
	"anthropic/", "~anthropic/", "qwen/qwen3-max", "qwen/qwen-plus", "qwen/qwen3.6-plus",
	"qwen/qwen3-coder-plus", "qwen/qwen3-coder-flash",
}

// wantsMarks says that a model has to be told what to cache. Anthropic's own endpoint for Chat Completions ignores
// marks and caches nothing.
func wantsMarks(e Endpoint, model string) bool {
	return e.Host() == "openrouter.ai" && slices.ContainsFunc(markedModels, func(prefix string) bool {
		return strings.HasPrefix(strings.ToLower(model), prefix)
	})
}

// marks are where a server should end what it caches: behind the system prompt, which the tools stand in front of,
// behind what is as in the request before, where it was cached then; behind what stays when the next message falls
// out; and at the end, for the next request. A message without text cannot carry a mark: the one before it does.
func marks(messages []history.Message, h CacheHint) []int {
	var list []int
	system := 0
	for system < len(messages) && messages[system].Role == history.System {
		system++
	}
	for _, end := range []int{system, min(h.Alike, len(messages)), min(h.Stays, len(messages)), len(messages)} {
		at := end - 1
		for at >= 0 && wire.IsBlank(messages[at]) {
			at--
		}
		if at >= 0 && !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	return list[:min(len(list), maxMarks)]
}

// diagnosable are the models that OpenAI says it of: those from GPT-5.6 on.
var diagnosable = lazyRegexp(`(?i)^gpt-(?:5\.(?:[6-9]|\d\d)|[6-9]|\d\d)(?:[.-]|$)`)

// diagnoses says that a model's server is asked why it missed its cache. OpenAI says so over the Responses API.
// Anthropic says so over an API of its own; gateways to it may hand its field on.
func (c *Client) diagnoses(model string) bool {
	mode, openai := c.endpoint.Diagnosis, c.endpoint.Host() == "api.openai.com"
	switch c.Wire(model) {
	case ResponsesWire:
		return mode == DiagnosisOn || mode != DiagnosisOff && openai && diagnosable().MatchString(model)
	case ChatWire:
		return mode == DiagnosisOn && !openai
	}
	return false
}
