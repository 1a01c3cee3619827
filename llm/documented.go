package llm

import "strings"

// DocumentedDate is when the table of what models take was last compared with what their makers document.
const DocumentedDate = "November 2026"

// documented is what the makers of models document about what may be asked of them beside the messages, by how the
// names of the models begin; the longest match counts. A model that is not here is asked as if it took everything, and
// what it refuses is learned. Only what is certain belongs here: nothing else shows that a model has changed.
var documented = []struct {
	maker, prefixes string
	Learned
}{
	{"openai", "gpt-3.5 gpt-4 chatgpt-4o", Learned{NoEffort: true}}, // and gpt-4o, gpt-4.1
	{"openai", "o1 o3 o4-mini", Learned{NoTemperature: true, NoTopP: true, Efforts: efforts[2:5]}},
	{"openai", "o1-pro o3-pro", Learned{Wire: ResponsesWire, NoTemperature: true, NoTopP: true, Efforts: efforts[2:5]}},
	{"openai", "o1-mini o1-preview", Learned{NoTemperature: true, NoTopP: true, NoEffort: true}},
	{"openai", "o3-deep-research o4-mini-deep-research", Learned{Wire: ResponsesWire, NoTemperature: true, NoTopP: true}},
	{"openai", "gpt-5", Learned{NoTemperature: true, NoTopP: true, Efforts: efforts[1:5]}},
	{"openai", "gpt-5-pro", Learned{Wire: ResponsesWire, NoTemperature: true, NoTopP: true, Efforts: []string{"high"}}},
	{"openai", "gpt-5-codex", Learned{Wire: ResponsesWire, NoTemperature: true, NoTopP: true}},
	{"openai", "gpt-5-chat gpt-5.1-chat gpt-5.2-chat", Learned{}},
	{"openai", "gpt-5.", Learned{}}, // Each version takes other values.
	{"openai", "gpt-5.1", Learned{UnreasonedSampling: true, Efforts: unminimal[:4]}},
	{"openai", "gpt-5.2", Learned{UnreasonedSampling: true, Efforts: unminimal[:5]}},
	{"openai", "gpt-5.1-codex gpt-5.2-codex gpt-5.2-pro", Learned{Wire: ResponsesWire}},
	{"openai", "gpt-5.6 gpt-6-sol gpt-6-luna", Learned{UnreasonedSampling: true, Efforts: unminimal}},

	{"anthropic", "claude-sonnet-4-5 claude-sonnet-4-6 claude-haiku-4-5", Learned{OneOfSampling: true}},
	{"anthropic", "claude-opus-4-1 claude-opus-4-5 claude-opus-4-6", Learned{OneOfSampling: true}},
	{"anthropic", "claude-opus-4-7 claude-opus-4-8", Learned{NoTemperature: true, NoTopP: true}},
	{"anthropic", "claude-opus-5 claude-sonnet-5", Learned{NoTemperature: true, NoTopP: true}},
}

// unminimal are the efforts of the models without minimal.
var unminimal = []string{"none", "low", "medium", "high", "xhigh", "max"}

// documentedOf is what is documented of a model. A name says something at the maker's own host and at a gateway that
// names the maker. A gateway has its own ways to a model, so that what only the Responses API has at its maker may be
// there over Chat Completions.
func documentedOf(e Endpoint, model string) Learned {
	maker, name := "", strings.ToLower(model)
	switch e.Host() {
	case "api.openai.com":
		maker = "openai"
	case "api.anthropic.com":
		maker = "anthropic"
	case "openrouter.ai":
		maker, name, _ = strings.Cut(name, "/")
	}
	if maker == "anthropic" {
		name = strings.ReplaceAll(name, ".", "-") // OpenRouter writes claude-opus-4.7.
	}
	var found Learned
	longest := 0
	for _, d := range documented {
		for prefix := range strings.FieldsSeq(d.prefixes) {
			if d.maker == maker && len(prefix) > longest && strings.HasPrefix(name, prefix) {
				longest, found = len(prefix), d.Learned
			}
		}
	}
	if e.Host() != "api.openai.com" {
		found.Wire = ""
	}
	return found
}
