package strict

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

func number(n int) string { return strconv.Itoa(n) }

// findCall finds the first call that breaks a rule.
func findCall(broken func(i, k int, c call) *fault) finder {
	return func(c *chat, _ Profile) *fault {
		for i, m := range c.messages {
			for k, call := range m.calls {
				if wrong := broken(i, k, call); wrong != nil {
					return wrong
				}
			}
		}
		return nil
	}
}

// eachCall: what is asked of a call holds for all of them.
func eachCall(sound func(call) bool) finder {
	return findCall(func(i, k int, c call) *fault {
		if sound(c) {
			return nil
		}
		return wrong(i, "call", number(k), "id", c.id, "name", c.name, "long", number(len(c.id)))
	})
}

// named: a call names a function.
func (c call) named() bool { return c.name != "" }

// identified: a call has an id.
func (c call) identified() bool { return c.id != "" }

// argued: a call has arguments, whatever they are.
func (c call) argued() bool { return c.arguments != nil }

// namePattern: a function's name matches the server's pattern. A missing name is another rule's.
func namePattern(pattern string) func(call) bool {
	compiled := compile(pattern)
	return func(c call) bool { return c.name == "" || compiled().MatchString(c.name) }
}

// idPattern: the id of a call matches the server's pattern.
func idPattern(pattern string) func(call) bool {
	compiled := compile(pattern)
	return func(c call) bool { return compiled().MatchString(c.id) }
}

// compile compiles a pattern when it is first needed: the rules are there from the start of a program that may never
// check a request.
func compile(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// idShort: an id is no longer than the most.
func idShort(limit int) func(call) bool {
	return func(c call) bool { return len(c.id) <= limit }
}

// idUnique: no two calls of a request have one id.
func idUnique(c *chat, p Profile) *fault {
	seen := map[string]bool{}
	return findCall(func(i, _ int, c call) *fault {
		if seen[c.id] {
			return wrong(i, "id", c.id)
		}
		seen[c.id] = true
		return nil
	})(c, p)
}

// argumentsObject: the arguments of a call are the text of one JSON object. What is wrong with them
// is one of two texts.
func argumentsObject(noJSON, noObject string) finder {
	return findCall(func(i, k int, c call) *fault {
		var value any
		if c.arguments == nil || json.Unmarshal([]byte(*c.arguments), &value) != nil {
			return wrong(i, "call", number(k), "reason", noJSON)
		}
		if _, ok := value.(map[string]any); !ok {
			return wrong(i, "call", number(k), "reason", noObject)
		}
		return nil
	})
}

// group is a message with calls and the results right behind it.
type group struct {
	at      int // of the message
	results int // how many stand behind it
	open    []string
	strays  []int // the results that answer none of its calls
}

// groups reads the calls of a request with their results. Results behind anything but a message with
// calls are a group of their own, at the message in front of them.
func groups(c *chat) []group {
	var all []group
	for i, m := range c.messages {
		if m.role == "tool" {
			if len(all) == 0 {
				all = append(all, group{at: i - 1})
			}
			g := &all[len(all)-1]
			g.results++
			at := slices.Index(g.open, m.answers)
			if at < 0 {
				g.strays = append(g.strays, i)
				continue
			}
			g.open = slices.Delete(g.open, at, at+1)
			continue
		}
		g := group{at: i}
		for _, call := range m.calls {
			g.open = append(g.open, call.id)
		}
		all = append(all, g)
	}
	return all
}

// eachGroup looks for the first group that breaks a rule. The message of a group at -1 is an empty one.
func eachGroup(broken func(c *chat, g group, m message) *fault) finder {
	return func(c *chat, _ Profile) *fault {
		for _, g := range groups(c) {
			var m message
			if g.at >= 0 {
				m = c.messages[g.at]
			}
			if wrong := broken(c, g, m); wrong != nil {
				return wrong
			}
		}
		return nil
	}
}

// callAnswered: each call has its result right behind its message.
var callAnswered = eachGroup(func(_ *chat, g group, _ message) *fault {
	if len(g.open) == 0 {
		return nil
	}
	return wrong(g.at, "ids", strings.Join(g.open, ", "), "id", g.open[0])
})

// asManyResults: behind an assistant's message stand as many results as it has calls.
var asManyResults = eachGroup(func(_ *chat, g group, m message) *fault {
	if m.role != "assistant" || len(m.calls) == g.results {
		return nil
	}
	return wrong(g.at)
})

// resultOfCall: each result answers a call of the message that it stands behind.
var resultOfCall = eachGroup(func(c *chat, g group, _ message) *fault { return g.stray(c) })

// resultOfGroup is the same for servers that count: where the numbers of calls and results differ,
// that is what they name.
var resultOfGroup = eachGroup(func(c *chat, g group, m message) *fault {
	if len(m.calls) != g.results {
		return nil
	}
	return g.stray(c)
})

// resultAfterCall: a result stands behind a call or another result.
var resultAfterCall = eachGroup(func(c *chat, g group, m message) *fault {
	if m.role == "assistant" {
		return nil
	}
	return g.stray(c)
})

// stray is the fault of the first result that answers none of the calls.
func (g group) stray(c *chat) *fault {
	if len(g.strays) == 0 {
		return nil
	}
	return wrong(g.strays[0], "id", c.messages[g.strays[0]].answers)
}

// toolsOffered: a request with calls or results offers tools.
func toolsOffered(c *chat, p Profile) *fault {
	tools, _ := c.get("tools")
	if !p.Offered || len(tools) > len("[]") {
		return nil
	}
	return eachMessage(func(_ int, m message) bool { return len(m.calls) == 0 && m.role != "tool" })(c, p)
}

// callsSigned: in the running turn the first call of each message bears its signature.
func callsSigned(c *chat, p Profile) *fault {
	if !p.Signatures {
		return nil
	}
	asked := 0
	for i, m := range c.messages {
		if m.role == "user" {
			asked = i
		}
	}
	for i, m := range c.messages {
		if i > asked && len(m.calls) > 0 && !signed(m.calls[0]) {
			return wrong(i, "name", m.calls[0].name)
		}
	}
	return nil
}

func signed(c call) bool {
	var extra struct {
		Google struct {
			Signature string `json:"thought_signature"`
		} `json:"google"`
	}
	raw, ok := c.get("extra_content")
	return ok && json.Unmarshal(raw, &extra) == nil && extra.Google.Signature != ""
}
