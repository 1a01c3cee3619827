package llm

import "strings"

// DocumentedDate is when the table of what models take was last compared with what their makers document.
const DocumentedDate = "November 2026"

// documented is what the makers of models document about what may be asked of them beside the messages, by how the
// names of the models begin; the longest match counts. A model that is not here is asked as if it took everything, and
// what it refuses is learned. Only what is certain belongs here: nothing else shows that a model has changed.
var documented = map[string]map[string]Learned{
	"openai": {
		"gpt-3.5 gpt-4 chatgpt-4o": {NoEffort: true}, // and gpt-4o, gpt-4.1
		"o1 o3 o4-mini":            {NoTemperature: true, NoTopP: true, Efforts: efforts[2:5]},
		"o1-pro o3-pro": {
			Wire:          ResponsesWire,
			NoTemperature: true,
			NoTopP:        true,
			Efforts:       efforts[2:5],
		},
		"o1-mini o1-preview":                     {NoTemperature: true, NoTopP: true, NoEffort: true},
		"o3-deep-research o4-mini-deep-research": {Wire: ResponsesWire, NoTemperature: true, NoTopP: true},
		"gpt-5":                                  {NoTemperature: true, NoTopP: true, Efforts: efforts[1:5]},
		"gpt-5-pro": {
			Wire:          ResponsesWire,
			NoTemperature: true,
			NoTopP:        true,
			Efforts:       []string{"high"},
		},
		"gpt-5-codex":                          {Wire: ResponsesWire, NoTemperature: true, NoTopP: true},
		"gpt-5-chat gpt-5.1-chat gpt-5.2-chat": {},
		"gpt-5.":                               {}, // Each version takes other values.
		"gpt-5.1":                              {UnreasonedSampling: true, Efforts: unminimal[:4]},
		"gpt-5.2":                              {UnreasonedSampling: true, Efforts: unminimal[:5]},
		"gpt-5.1-codex gpt-5.2-codex gpt-5.2-pro": {Wire: ResponsesWire},
		"gpt-5.6 gpt-6-sol gpt-6-luna":            {UnreasonedSampling: true, Efforts: unminimal},
	},
	"anthropic": {
		"claude-sonnet-4-5 claude-sonnet-4-6 claude-haiku-4-5": {OneOfSampling: true},
		"claude-opus-4-1 claude-opus-4-5 claude-opus-4-6":      {OneOfSampling: true},
		"claude-opus-4-7 claude-opus-4-8":                      {NoTemperature: true, NoTopP: true},
		"claude-opus-5 claude-sonnet-5":                        {NoTemperature: true, NoTopP: true},
	},
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
	found := longestPrefix(name, documented[maker])
	if e.Host() != "api.openai.com" {
		found.Wire = ""
	}
	return found
}
