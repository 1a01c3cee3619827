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

// Caching is what a request says to the cache of its server. It is recorded with the request, so that the same bytes
// can be made again whatever is known of servers then. The zero value says nothing.
type Caching struct {
	Key   string `json:"key,omitempty"`   // prompt_cache_key
	Marks []int  `json:"marks,omitempty"` // messages that end a part to be cached, as indexes, rising
}

// CacheHint is what a conversation knows of a request that a cache could use.
type CacheHint struct {
	Conversation string // all requests with the same one have much in common; only a hash of it is sent
	Tokens       int    // of the request, about
	Alike        int    // so many messages it begins with as the request before it
	Stays        int    // so many of its messages stay at the beginning of the next one, even if something falls out
}

// leastCached is the size of a request in tokens below which no server is known to keep it.
const leastCached = 1024

// markedModels are the models that cache only what is marked, by how OpenRouter's names of them begin. Those of other
// makers are cached without being asked.
var markedModels = []string{
	"anthropic/", "~anthropic/", "qwen/qwen3-max", "qwen/qwen-plus", "qwen/qwen3.6-plus",
	"qwen/qwen3-coder-plus", "qwen/qwen3-coder-flash",
}

// Caching is what a request should say to the cache of its server. Anthropic's own endpoint for Chat Completions
// ignores marks and caches nothing.
func (c *Client) Caching(r Request, h CacheHint) (say Caching) {
	marked := slices.ContainsFunc(markedModels, func(prefix string) bool {
		return strings.HasPrefix(strings.ToLower(r.Model), prefix)
	})
	switch host := c.endpoint.Host(); {
	case c.endpoint.Cache == CacheOff:
	case host == "api.openai.com" && h.Conversation != "":
		sum := sha256.Sum256([]byte("winnow conversation " + h.Conversation))
		say.Key = hex.EncodeToString(sum[:16])
	case host == "openrouter.ai" && marked && h.Tokens >= leastCached && c.Wire(r.Model) == ChatWire:
		say.Marks = marks(r.Messages, h)
	}
	return say
}

// marks are where a server should end what it caches: behind the system prompt, which the tools stand in front of,
// behind what is as in the request before, where it was cached then; behind what stays when the next message falls
// out; and at the end, for the next request. These are the four that a server takes. A message without text cannot
// carry a mark: the one before it does.
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
	return list
}
