package llm

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"winnow/history"
	"winnow/llm/keys"
)

// DefaultsDate is when the default models of hosted services were last compared with what their makers
// offer.
const DefaultsDate = "November 2026"

// service is a hosted service.
type service struct {
	name    string
	title   string   // as its maker writes it
	keys    []string // environment variables, the first one that is set counts
	base    string
	model   string
	profile history.Profile
	known   Learned
}

// hosted are the services that a key in the environment opens, in the order in which they are
// preferred. The default is the model that a chat starts with where none is named: the maker's
// current general one, by a name that the maker keeps alive where there is one.
var hosted = []service{
	{name: "openai", title: "OpenAI", keys: []string{"OPENAI_API_KEY"}, base: "https://api.openai.com/v1", model: "gpt-5.2"},
	{name: "openrouter", title: "OpenRouter", keys: []string{"OPENROUTER_API_KEY"}, base: "https://openrouter.ai/api/v1", model: "openrouter/auto"},
	{
		name: "mistral", title: "Mistral", keys: []string{"MISTRAL_API_KEY"}, base: "https://api.mistral.ai/v1", model: "mistral-medium-latest",
		profile: history.Profile{NoToolToUser: true, ToolIDLength: 9}, known: Learned{NoStreamOptions: true},
	},
	{name: "deepseek", title: "DeepSeek", keys: []string{"DEEPSEEK_API_KEY"}, base: "https://api.deepseek.com/v1", model: "deepseek-chat"},
	{name: "groq", title: "Groq", keys: []string{"GROQ_API_KEY"}, base: "https://api.groq.com/openai/v1", model: "llama-3.3-70b-versatile"},
	{
		name: "gemini", title: "Google Gemini", keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, base: "https://generativelanguage.googleapis.com/v1beta/openai", model: "gemini-flash-latest",
		profile: history.Profile{MergeSameRole: true}, // a call stands right behind the user or a result
	},
	{name: "anthropic", title: "Anthropic", keys: []string{"ANTHROPIC_API_KEY"}, base: "https://api.anthropic.com/v1", model: "claude-sonnet-4-5"},
	{name: "xai", title: "xAI", keys: []string{"XAI_API_KEY"}, base: "https://api.x.ai/v1", model: "grok-4"},
	{name: "together", title: "Together AI", keys: []string{"TOGETHER_API_KEY"}, base: "https://api.together.xyz/v1", model: "openai/gpt-oss-120b"},
	{name: "cerebras", title: "Cerebras", keys: []string{"CEREBRAS_API_KEY"}, base: "https://api.cerebras.ai/v1", model: "gpt-oss-120b"},
}

// FromEnv gives the endpoints that the environment names: one per hosted service whose key is
// set, OpenAI's at OPENAI_BASE_URL where that is set, with or without a key, and Ollama's at
// OLLAMA_HOST. The services in keyed are among them too: their keys are kept in another place. Env is
// os.Getenv or its like.
func FromEnv(env func(string) string, keyed ...string) []Endpoint {
	var found []Endpoint
	for _, h := range hosted {
		e := Endpoint{Name: h.name, BaseURL: h.base, Default: h.model, Dated: true, Profile: h.profile, Known: h.known}
		for _, name := range h.keys {
			if key := strings.TrimSpace(env(name)); key != "" {
				e.Key, e.KeyFrom = keys.Secret(key), keys.Origin{Kind: keys.Variable, Name: name}
				break
			}
		}
		ownAddress := false
		if h.name == "openai" {
			if base := baseURL(env("OPENAI_BASE_URL")); base != "" && base != h.base {
				// What is served there is not known: its own list says it.
				e.BaseURL, e.Default, e.Dated, e.BaseURLSet, ownAddress = base, "", false, true, true
			}
		}
		if e.Key != "" || ownAddress || slices.ContainsFunc(keyed, func(name string) bool { return strings.EqualFold(name, h.name) }) {
			found = append(found, e)
		}
	}
	if base := ollamaURL(env("OLLAMA_HOST")); base != "" {
		found = append(found, Endpoint{Name: "ollama", BaseURL: base, BaseURLSet: true})
	}
	return found
}

// KeyVariables are the names of the environment variables that hold the hosted services' keys.
func KeyVariables() []string {
	var names []string
	for _, h := range hosted {
		names = append(names, h.keys...)
	}
	return names
}

// EnvSecrets are the keys of hosted services that the environment holds, whether an endpoint uses them or
// not.
func EnvSecrets(env func(string) string) []string {
	var found []string
	for _, name := range KeyVariables() {
		found = append(found, Endpoint{Key: keys.Secret(strings.TrimSpace(env(name)))}.Secrets()...)
	}
	return found
}

// IsHosted says that a name is that of a service that a key in the environment opens.
func IsHosted(name string) bool { return hostedAt(name) >= 0 }

// KnownNames are the names of endpoints that need no configuration: the hosted services, and the servers of
// this machine.
func KnownNames() []string {
	var names []string
	for _, h := range hosted {
		names = append(names, h.name)
	}
	for _, s := range localServers {
		names = append(names, s.name)
	}
	return names
}

// TakesStoredKey says that a key stored under the endpoint's name is meant for its address: the key of a hosted
// service goes to that service's own address alone, whatever OPENAI_BASE_URL says.
func (e Endpoint) TakesStoredKey() bool {
	at := hostedAt(e.Name)
	return e.Name != Guide && (at < 0 || baseURL(e.BaseURL) == hosted[at].base)
}

// baseURL completes what people write as a base URL: no scheme, no path, a slash or the whole path
// of the API at the end. A query stays behind the path. It is "" for nothing.
func baseURL(written string) string {
	written, query, asks := strings.Cut(strings.TrimSpace(written), "?")
	written = strings.TrimRight(written, "/")
	if written == "" {
		return ""
	}
	if !strings.Contains(written, "://") {
		scheme := "https://"
		if (Endpoint{BaseURL: "http://" + written}).local() {
			scheme = "http://"
		}
		written = scheme + written
	}
	for _, path := range []string{"/chat/completions", "/responses"} {
		written = strings.TrimRight(strings.TrimSuffix(written, path), "/")
	}
	if u, err := url.Parse(written); err == nil && u.Path == "" {
		written += "/v1"
	}
	if asks {
		written += "?" + query
	}
	return written
}

// ollamaURL reads OLLAMA_HOST as Ollama does: a host, a port, both, or a URL. An address to
// listen on everywhere is reached on this machine.
func ollamaURL(written string) string {
	written = strings.Trim(strings.TrimSpace(written), `"'`)
	if written == "" {
		return ""
	}
	scheme, rest, found := strings.Cut(written, "://")
	if !found {
		scheme, rest = "http", written
	}
	rest, _, _ = strings.Cut(rest, "/")
	host, port, err := net.SplitHostPort(rest)
	if err != nil {
		host, port = strings.Trim(rest, "[]"), "11434"
		switch {
		case found && scheme == "http":
			port = "80"
		case found && scheme == "https":
			port = "443"
		}
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	return scheme + "://" + net.JoinHostPort(host, port) + "/v1"
}
