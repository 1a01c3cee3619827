package watch

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"winnow/llm/pricing"
	"winnow/llm/watch"
)

// size counts the tokens of a text for tests: one for each four bytes.
func size(text string) int { return (len(text) + 3) / 4 }

// object is a JSON object.
type object = map[string]any

// chat is a conversation that can be sent in each form.
type chat struct {
	model, effort string
	tools         []string
	system        string
	said          []string // user and assistant in turn
	sysTTL, ttl   string   // of the system prompt, and of message end
	end           int
}

// example returns a conversation with four tools and some messages.
func example(messages int) chat {
	c := chat{model: "m-1", effort: "high", system: "You are a careful agent.", sysTTL: "5m", ttl: "5m"}
	c.tools = []string{"Bash", "Read", "Edit", "Grep"}
	c.grow(messages)
	return c
}

// grow appends messages, and moves the end of what is cached there.
func (c *chat) grow(n int) {
	c.said = slices.Clone(c.said)
	for range n {
		c.said = append(c.said, fmt.Sprintf("Message %d says what no other message says.", len(c.said)))
	}
	c.end = len(c.said) - 1
}

// request returns the conversation as a client of a wire sends it.
func (c chat) request(t *testing.T, w watch.Wire) *known {
	t.Helper()
	var tools, list []any
	for _, name := range c.tools {
		schema := object{"name": name[:4], "description": "Runs " + name + " and returns what it prints."}
		if w == watch.Chat {
			schema = object{"type": "function", "function": schema}
		}
		tools = append(tools, schema)
	}
	text := func(text, ttl string) []any {
		part := object{"type": "text", "text": text}
		if ttl != "" && w == watch.Messages {
			part["cache_control"] = object{"type": "ephemeral", "ttl": ttl}
		}
		return []any{part}
	}
	for i, said := range c.said {
		ttl := map[bool]string{true: c.ttl}[i == c.end]
		list = append(list, object{"role": []string{"user", "assistant"}[i%2], "content": text(said, ttl)})
	}
	body := object{"model": c.model, "tools": tools}
	switch w {
	case watch.Chat:
		body["messages"] = append([]any{object{"role": "system", "content": c.system}}, list...)
		body["reasoning_effort"] = c.effort
	case watch.Responses:
		body["instructions"], body["input"] = c.system, list
		body["reasoning"] = object{"effort": c.effort}
	case watch.Messages:
		body["system"], body["messages"] = text(c.system, c.sysTTL), list
		body["output_config"] = object{"effort": c.effort}
	}
	raw, _ := json.Marshal(body)
	return knownOf(t, w, string(raw))
}

// knownOf reads a body as the recorder does.
func knownOf(t *testing.T, w watch.Wire, body string) *known {
	t.Helper()
	r, err := watch.Read(w, []byte(body))
	ok(t, err)
	return &known{Request{
		Wire: w, Model: r.Model, Hash: body, Tokens: watch.PartsOf(r, size), Usage: pricing.NoUsage(),
	}, r, outlineOf(r)}
}

// sent sends requests one after the other.
type sent struct {
	all []*known
	now time.Duration
}

// send places a request that is sent some time after the last one, and gives it its answer's usage.
func (h *sent) send(k *known, after time.Duration, usage pricing.Usage) {
	h.now += after
	k.Row.At, k.Row.Usage = time.Unix(0, 0).Add(h.now), usage
	k.place(h.all)
	k.Row.ID = int64(len(h.all) + 1)
	h.all = append(h.all, k)
}

// used is the usage of a prompt that was read from the cache in part and written to it for the rest.
func used(prompt, cached int) pricing.Usage {
	return pricing.Usage{Prompt: prompt, Cached: cached, CacheWrite: prompt - cached, Cost: -1}
}

// priced has the prices of the tests' model: a hit costs a tenth, and a write a quarter more.
var priced = Options{Count: size, Prices: func(_, _ string) pricing.Prices {
	return pricing.Prices{Source: "test", Rates: pricing.Rates{In: 4e9, Cached: 4e8, CacheWrite: 5e9, Out: 2e10}}
}}

var wires = []watch.Wire{watch.Chat, watch.Responses, watch.Messages}

// placeOf returns how a wire names a message, or with -1 the system prompt.
func placeOf(w watch.Wire, message int) string {
	switch {
	case w == watch.Chat:
		message++
	case message < 0:
		return map[watch.Wire]string{watch.Responses: "instructions", watch.Messages: "system[0]"}[w]
	}
	list := map[watch.Wire]string{watch.Chat: "messages", watch.Responses: "input", watch.Messages: "messages"}
	return fmt.Sprintf("%s[%d]", list[w], message)
}

// whole returns the body of a request that was sent.
func (h *sent) whole(r Request) *watch.Request { return &h.all[r.ID-1].Body }

// breakOf returns the break of a request that follows after another one.
func breakOf(before, now *known, after time.Duration, first, second pricing.Usage) *Break {
	var h sent
	h.send(before, 0, first)
	h.send(now, after, second)
	return now.findBreak(h.all, h.whole, priced)
}

// Each of 88 changes that a client makes within what was cached is named as the client's, with its place.
func TestPlantedChangesAreNamed(t *testing.T) {
	t.Parallel()
	type change struct {
		place string // "" for that of a message
		at    int
		make  func(*chat)
		what  string
	}
	changes := []change{
		{"model", 0, func(c *chat) { c.model = "m-2" }, "m-1 → m-2"},
		{"effort", 0, func(c *chat) { c.effort = "low" }, "high → low"},
		{"", -1, func(c *chat) { c.system = "You are a careful Agent." }, "rewritten"},
		{"tools[", 0, func(c *chat) { slices.Reverse(c.tools) }, "moved"},
	}
	for i := range 4 {
		tool := fmt.Sprintf("tools[%d]", i)
		changes = append(changes,
			change{tool, 0, func(c *chat) { c.tools[i] += "!" }, "rewritten"},
			change{tool, 0, func(c *chat) { c.tools = slices.Delete(c.tools, i, i+1) }, "gone"},
			change{tool, 0, func(c *chat) { c.tools = slices.Insert(c.tools, i, "Write") }, "new"})
	}
	for i := range 6 {
		changes = append(changes,
			change{"", i, func(c *chat) { c.said[i] = strings.Replace(c.said[i], "no", "No", 1) }, "rewritten"},
			change{"", i, func(c *chat) { c.said[i] = "[Old content cleared]" }, "cut"})
	}
	ttl := []change{
		{"messages[5]", 0, func(c *chat) { c.ttl = "1h" }, "cache_control 5m → 1h"},
		{"system[0]", 0, func(c *chat) { c.sysTTL = "1h" }, "cache_control 5m → 1h"},
		{"messages[5]", 0, func(c *chat) { c.end = 2 }, "cache_control no longer reaches messages[5]"},
		{"messages[5]", 0, func(c *chat) { c.ttl, c.sysTTL = "", "" }, "cache_control no longer reaches"},
	}
	hold := strings.Contains
	for _, w := range wires {
		list := changes
		if w == watch.Messages {
			list = append(list, ttl...)
		}
		for _, one := range list {
			c := example(8)
			one.make(&c)
			b := breakOf(example(6).request(t, w), c.request(t, w), time.Minute, used(50_000, 0), used(51_000, 0))
			place := one.place
			if place == "" {
				place = placeOf(w, one.at)
			}
			if b == nil || b.Class != ByClient || !hold(b.Place, place) || !hold(b.What, one.what) {
				t.Errorf("%s: a change at %s (%s) is named %+v", w, place, one.what, b)
			}
		}
	}
}

// A request that only grows is never said to be changed, whatever the server reads from its cache.
func TestUnchangedRequestsAreNobodysFault(t *testing.T) {
	t.Parallel()
	extra := pricing.Money(50_000 * (5e9 - 4e8) / pricing.Million)
	for _, w := range wires {
		for n := 1; n <= 12; n++ {
			for pause, want := range map[time.Duration]Class{time.Minute: ByServer, 3 * time.Hour: ByTime} {
				before, now := example(n).request(t, w), example(n+n%3*2).request(t, w)
				b := breakOf(before, now, pause, used(50_000, 0), used(50_000+n, 0))
				if b == nil || b.Class != want || b.Missed != 50_000 || b.Place != "" || b.Extra != extra {
					t.Fatalf("%s, %d messages, after %s: %+v, want %s", w, n, pause, b, want)
				}
			}
		}
	}
}

func TestSmallOrUnknownMissesAreNoBreak(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		first, now pricing.Usage
	}{
		{"all was read", used(50_000, 0), used(50_200, 50_000)},
		{"less than 10 % is missing", used(50_000, 0), used(50_200, 46_000)},
		{"the prompt is too short to be cached", used(1000, 0), used(1100, 0)},
		{"the server says nothing of its cache", used(50_000, 0), pricing.Usage{Prompt: 50_200, Cached: -1}},
		{"there is no answer before", pricing.NoUsage(), used(50_200, 0)},
		{"the server had kept little", pricing.Usage{Prompt: 50_000, CacheWrite: 3000}, used(50_200, 3000)},
	} {
		before, now := example(3).request(t, watch.Messages), example(5).request(t, watch.Messages)
		if b := breakOf(before, now, time.Minute, c.first, c.now); b != nil {
			t.Errorf("%s: %+v", c.name, b)
		}
	}
}

// A change at the end does not explain why the beginning was not read either.
func TestALateChangeDoesNotHideThePause(t *testing.T) {
	t.Parallel()
	for _, p := range []struct {
		cached, minutes int
		want            Class
	}{{0, 20, ByTime}, {0, 1, ByServer}, {45_000, 20, ByClient}, {45_000, 1, ByClient}} {
		c := example(301)
		c.said[299] = "something else"
		before, now := example(300).request(t, watch.Chat), c.request(t, watch.Chat)
		b := breakOf(before, now, time.Duration(p.minutes)*time.Minute, used(60_000, 0), used(60_000, p.cached))
		if b == nil || b.Class != p.want {
			t.Errorf("%+v: %+v", p, b)
		}
	}
}

// An answered retry counts as the request that it repeats, and a failed request does not count.
func TestBreaksAreMeasuredAgainstTheLastAnswer(t *testing.T) {
	t.Parallel()
	var h sent
	h.send(example(3).request(t, watch.Chat), 0, used(20_000, 0))
	h.send(example(5).request(t, watch.Chat), 8*time.Minute, pricing.NoUsage())
	h.send(example(5).request(t, watch.Chat), time.Minute, used(30_000, 20_000))
	k := example(7).request(t, watch.Chat)
	h.send(k, 8*time.Minute, used(31_000, 0))
	b := k.findBreak(h.all, h.whole, priced)
	if h.all[2].Row.Lane != Retry || b == nil || b.Missed != 30_000 || b.Class != ByServer {
		t.Errorf("after a retry (%q): %+v", h.all[2].Row.Lane, b)
	}
}

// A program that names its conversation: what it sends beside the conversation has lanes of its own.
func TestRequestsGetLanes(t *testing.T) {
	t.Parallel()
	child := func(task string, n int) chat {
		c := chat{system: "You search files.", tools: []string{"Grep"}, said: []string{"Read this first.", "", task}}
		for i := range n {
			c.said = append(c.said, fmt.Sprintf("%s %d", task, i))
		}
		return c
	}
	bare := func(system, text string) chat { return chat{system: system, said: []string{text}} }
	summary, fresh, asks := example(5), example(0), example(7)
	asks.said[6] = "Write a function that summarizes a session."
	summary.said[4] = "Create a detailed summary of the conversation so far."
	fresh.said = []string{"The conversation was about a bug. The summary below covers it."}
	copied := chat{model: "m-1", tools: []string{"Note"}, said: append(example(4).said, "", "Note it.")}
	other := chat{model: "m-2", system: "You are new.", tools: []string{"Shell"}, said: example(7).said}
	var h sent
	for _, step := range []struct {
		name   string
		chat   chat
		lane   Lane
		before int64
	}{
		{"a probe", bare("", "quota"), Main, 0},
		{"a title", bare("Generate a short title for the conversation.", "fix the bug"), Title, 0},
		{"the conversation", example(1), Main, 0},
		{"grows", example(3), Main, 3},
		{"again", example(3), Retry, 4},
		{"a subagent", child("Find the cause.", 0), Subagent, 0},
		{"another one", child("Find the author.", 0), Subagent, 0},
		{"the subagent again", child("Find the cause.", 2), Subagent, 6},
		{"the other one again", child("Find the author.", 2), Subagent, 7},
		{"a small question", bare("Is this command safe?", "rm -rf /"), Side, 0},
		{"the conversation asks for a summary of something else", asks, Main, 4},
		{"a summary", summary, Summary, 0},
		{"after the summary", fresh, Main, 11},
		{"the user went back", example(4), Main, 13},
		{"a subagent that is sent the whole conversation", copied, Subagent, 0},
		{"the conversation goes on", example(6), Main, 14},
		{"with another model, and so another prompt and other tools", other, Main, 16},
	} {
		k := step.chat.request(t, watch.Messages)
		k.Row.Thread = "session"
		h.send(k, time.Second, pricing.NoUsage())
		if k.Row.Lane != step.lane || k.Row.Before != step.before || k.Row.Thread != "session" {
			t.Errorf("%s: lane %q, compared with %d", step.name, k.Row.Lane, k.Row.Before)
		}
	}
}

// Programs that name no conversation: requests with most in common belong together.
func TestConversationsWithoutNames(t *testing.T) {
	t.Parallel()
	one, two, list := example(3), example(3), &known{}
	two.said = []string{"Something else.", "Well?", "Yes."}
	var h sent
	for range 3 {
		h.send(one.request(t, watch.Chat), time.Second, pricing.NoUsage())
		h.send(two.request(t, watch.Chat), time.Second, pricing.NoUsage())
		one.grow(2)
		two.grow(2)
	}
	for i, k := range h.all {
		if k.Row.Thread != h.all[i%2].Row.Thread || k.Row.Before != int64(max(0, i-1)) {
			t.Errorf("request %d is %+v", i+1, k.Row)
		}
	}
	if list.place(h.all); list.Row.Lane != Side || list.Row.Thread != "not read" {
		t.Errorf("a request that was not read is %+v", list.Row)
	}
	h.all[5].Row.AnswerID = "resp_1"
	next := knownOf(t, watch.Responses, `{"previous_response_id":"resp_1","input":"Go on."}`)
	h.send(next, time.Second, pricing.NoUsage())
	gone := tally(compare(&h.all[5].Body, &next.Body, perBlock))[Gone] // The server has the messages, but not the tools.
	if next.Row.Thread != h.all[5].Row.Thread || next.Row.Before != 6 || gone != 4 {
		t.Errorf("%d blocks are gone in the request that continues an answer: %+v", gone, next.Row)
	}
}
