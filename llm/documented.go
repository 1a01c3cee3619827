package llm

import (
	"slices"
	"strings"
)

// DocumentedDate is when the table of what models take was last compared with what their makers document.
const DocumentedDate = "November 2026"

// documented is what the makers of models document about what may be asked of them beside the messages, by how the
// names of the models begin; the longest match counts. A model that is not here is asked as if it took everything, and
// what it refuses is learned. Only what is certain belongs here: nothing else shows that a model has changed.
var documented = []struct {
	maker, prefix string
	quirks        []string
}{
	{"openai", "gpt-3.5", []string{noEffort}},
	{"openai", "gpt-4", []string{noEffort}}, // and gpt-4o, gpt-4.1
	{"openai", "chatgpt-4o", []string{noEffort}},
	{"openai", "o1", []string{noTemperature, noTopP, effortValues + "low,medium,high"}},
	{"openai", "o1-pro", []string{noTemperature, noTopP, effortValues + "low,medium,high", wantsResponses}},
	{"openai", "o1-mini", []string{noTemperature, noTopP, noEffort}},
	{"openai", "o1-preview", []string{noTemperature, noTopP, noEffort}},
	{"openai", "o3", []string{noTemperature, noTopP, effortValues + "low,medium,high"}},
	{"openai", "o3-pro", []string{noTemperature, noTopP, effortValues + "low,medium,high", wantsResponses}},
	{"openai", "o3-deep-research", []string{noTemperature, noTopP, wantsResponses}},
	{"openai", "o4-mini-deep-research", []string{noTemperature, noTopP, wantsResponses}},
	{"openai", "o4-mini", []string{noTemperature, noTopP, effortValues + "low,medium,high"}},
	{"openai", "gpt-5", []string{noTemperature, noTopP, effortValues + "minimal,low,medium,high"}},
	{"openai", "gpt-5-pro", []string{noTemperature, noTopP, effortValues + "high", wantsResponses}},
	{"openai", "gpt-5-codex", []string{noTemperature, noTopP, wantsResponses}},
	{"openai", "gpt-5-chat", nil},
	{"openai", "gpt-5.", nil}, // Each version takes other values.
	{"openai", "gpt-5.1", []string{samplingUnreasoned, effortValues + "none,low,medium,high"}},
	{"openai", "gpt-5.1-codex", []string{wantsResponses}},
	{"openai", "gpt-5.1-chat", nil},
	{"openai", "gpt-5.2", []string{samplingUnreasoned, effortValues + "none,low,medium,high,xhigh"}},
	{"openai", "gpt-5.2-pro", []string{wantsResponses}},
	{"openai", "gpt-5.2-codex", []string{wantsResponses}},
	{"openai", "gpt-5.2-chat", nil},
	{"openai", "gpt-5.6", []string{samplingUnreasoned, effortValues + "none,low,medium,high,xhigh,max"}},
	{"openai", "gpt-6-sol", []string{samplingUnreasoned, effortValues + "none,low,medium,high,xhigh,max"}},
	{"openai", "gpt-6-luna", []string{samplingUnreasoned, effortValues + "none,low,medium,high,xhigh,max"}},

	{"anthropic", "claude-sonnet-4-5", []string{oneOfTemperatureTopP}},
	{"anthropic", "claude-sonnet-4-6", []string{oneOfTemperatureTopP}},
	{"anthropic", "claude-haiku-4-5", []string{oneOfTemperatureTopP}},
	{"anthropic", "claude-opus-4-1", []string{oneOfTemperatureTopP}},
	{"anthropic", "claude-opus-4-5", []string{oneOfTemperatureTopP}},
	{"anthropic", "claude-opus-4-6", []string{oneOfTemperatureTopP}},
	{"anthropic", "claude-opus-4-7", []string{noTemperature, noTopP}},
	{"anthropic", "claude-opus-4-8", []string{noTemperature, noTopP}},
	{"anthropic", "claude-opus-5", []string{noTemperature, noTopP}},
	{"anthropic", "claude-sonnet-5", []string{noTemperature, noTopP}},
}

// makerOf is the maker of a model, by the maker's own host or by a gateway that names it, and the model's name as
// the maker writes it. Behind any other address a name says nothing of what answers.
func makerOf(e Endpoint, model string) (maker, name string) {
	name = strings.ToLower(model)
	switch e.Host() {
	case "api.openai.com":
		maker = "openai"
	case "api.anthropic.com":
		maker = "anthropic"
	case "openrouter.ai":
		maker, name, _ = strings.Cut(name, "/")
	}
	if maker == "anthropic" {
		name = strings.ReplaceAll(name, ".", "-") // OpenRouter writes claude-opus-4.7
	}
	return maker, name
}

// documentedQuirks are the quirks of a model by the table. A gateway has its own ways to a model, so that what only
// the Responses API has at its maker may be there over Chat Completions.
func documentedQuirks(e Endpoint, model string) []string {
	maker, name := makerOf(e, model)
	var quirks []string
	longest := -1
	for _, d := range documented {
		if d.maker == maker && len(d.prefix) > longest && strings.HasPrefix(name, d.prefix) {
			longest, quirks = len(d.prefix), d.quirks
		}
	}
	if e.Host() != "api.openai.com" {
		quirks = slices.DeleteFunc(slices.Clone(quirks), func(q string) bool { return q == wantsResponses })
	}
	return quirks
}

// Assume takes what is documented of a model for known, as far as nothing else was learned of it. It is among the
// Quirks, but not among those that are Learned: a later version of the table may know better.
func (c *Client) Assume(model string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, quirk := range documentedQuirks(c.endpoint, model) {
		q := of(model, quirk)
		if !slices.ContainsFunc(c.quirks, func(known string) bool { return sameQuirk(known, q) }) {
			c.assumed = append(c.assumed, q)
			c.insert(q)
		}
	}
}

// Learned are the Quirks that the server itself taught.
func (c *Client) Learned() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.quirks), func(q string) bool { return slices.Contains(c.assumed, q) })
}

// isAssumed says that a quirk of a model is known from the table alone.
func (c *Client) isAssumed(model, quirk string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.assumed, func(q string) bool { return sameQuirk(q, of(model, quirk)) })
}

// sameQuirk says that two quirks differ in their value at most.
func sameQuirk(a, b string) bool {
	kind := func(q string) (string, string) {
		q, model, _ := strings.Cut(q, " ")
		if name, _, valued := strings.Cut(q, "="); valued {
			return name + "=", model
		}
		return q, model
	}
	kindA, modelA := kind(a)
	kindB, modelB := kind(b)
	return kindA == kindB && modelA == modelB
}

// Unsent are sentences, without subject, about what of a request's sampling is not sent as it is set, because the
// table says that the model does not take it. What the server refused was announced when it did.
func (c *Client) Unsent(r Request) []string {
	var list []string
	sent := c.sampling(r)
	table := func(quirks ...string) bool {
		return slices.ContainsFunc(quirks, func(q string) bool { return c.isAssumed(r.Model, q) })
	}
	reasoned := ""
	if table(samplingUnreasoned) {
		reasoned = " with effort " + sent.effort
	}
	if r.Temperature != nil && sent.temperature == nil && table(noTemperature, samplingUnreasoned) {
		list = append(list, "does not support temperature"+reasoned)
	}
	switch {
	case r.TopP == nil || sent.topP != nil:
	case table(noTopP, samplingUnreasoned):
		list = append(list, "does not support top_p"+reasoned)
	case table(oneOfTemperatureTopP):
		list = append(list, "does not support top_p beside temperature")
	}
	switch {
	case r.Effort == sent.effort || !table(noEffort, effortValues):
	case sent.effort == "":
		list = append(list, "does not support reasoning effort")
	default:
		list = append(list, "does not support effort "+r.Effort+" ("+sent.effort+" is sent)")
	}
	return list
}
