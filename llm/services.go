package llm

import (
	"cmp"
	"net"
	"net/url"
	"slices"
	"strings"

	"winnow/history"
	"winnow/llm/keys"
)

// service is a provider that winnow knows by name: a hosted service that requires a key, or a server that people run on
// their own machine.
type service struct {
	name    string
	title   string // the product name
	base    string
	model   string          // the default model, "" for the first one listed
	oldKey  string          // an environment variable that is read if NAME_API_KEY is not set
	profile history.Profile // what it requires of the history
	known   Learned
	local   bool // on this machine, at its default port
}

// services lists the hosted services in order of preference, then the local servers. The default model of a hosted
// service is its current general-purpose model, by an alias that follows new versions if there is one. Local servers
// are only looked for at the loopback address, never on the network.
var services = []service{
	{name: "openai", title: "OpenAI", base: "https://api.openai.com/v1", model: "gpt-5.2"},
	{name: "openrouter", title: "OpenRouter", base: "https://openrouter.ai/api/v1", model: "openrouter/auto"},
	{
		name: "mistral", title: "Mistral", base: "https://api.mistral.ai/v1", model: "mistral-medium-latest",
		profile: history.Profile{NoToolToUser: true, ToolIDLength: 9},
		known:   Learned{Without: []string{"stream_options"}},
	},
	{name: "deepseek", title: "DeepSeek", base: "https://api.deepseek.com/v1", model: "deepseek-chat"},
	{name: "groq", title: "Groq", base: "https://api.groq.com/openai/v1", model: "llama-3.3-70b-versatile"},
	{
		name: "gemini", title: "Google Gemini", base: "https://generativelanguage.googleapis.com/v1beta/openai",
		model: "gemini-flash-latest", oldKey: "GOOGLE_API_KEY",
		profile: history.Profile{MergeSameRole: true}, // A call must directly follow a user message or a result.
	},
	{name: "anthropic", title: "Anthropic", base: "https://api.anthropic.com/v1", model: "claude-sonnet-4-5"},
	{name: "xai", title: "xAI", base: "https://api.x.ai/v1", model: "grok-4"},
	{name: "together", title: "Together AI", base: "https://api.together.xyz/v1", model: "openai/gpt-oss-120b"},
	{name: "cerebras", title: "Cerebras", base: "https://api.cerebras.ai/v1", model: "gpt-oss-120b"},

	{name: "ollama", title: "Ollama", base: "http://127.0.0.1:11434/v1", local: true},
	{name: "llama.cpp", title: "llama.cpp", base: "http://127.0.0.1:8080/v1", local: true},
	{name: "lmstudio", title: "LM Studio", base: "http://127.0.0.1:1234/v1", local: true},
	{name: "vllm", title: "vLLM", base: "http://127.0.0.1:8000/v1", local: true},
}

// serviceNamed returns the service with a name, ignoring case; zero if there is none.
func serviceNamed(name string) service {
	for _, s := range services {
		if strings.EqualFold(s.name, name) {
			return s
		}
	}
	return service{}
}

// hosted reports whether the service requires a key.
func (s service) hosted() bool { return s.name != "" && !s.local }

// endpoint returns the endpoint of the service, without a key.
func (s service) endpoint() Endpoint {
	return Endpoint{
		Name: s.name, BaseURL: s.base, DefaultModel: s.model, Profile: s.profile, Learned: s.known,
	}
}

// keyVariable is the preferred environment variable of the service's key, "" for a local server.
func (s service) keyVariable() string {
	if s.local {
		return ""
	}
	return strings.ToUpper(s.name) + "_API_KEY"
}

// EndpointsFromEnv returns the endpoints that the environment configures: each hosted service whose key is set,
// OpenAI's at OPENAI_BASE_URL if that is set, with or without a key, and Ollama's at OLLAMA_HOST. Services listed in
// keyed are included too; their keys are stored elsewhere. env is os.Getenv or a replacement.
func EndpointsFromEnv(env func(string) string, keyed ...string) []Endpoint {
	var found []Endpoint
	addresses := map[string]string{
		"openai": baseURL(env("OPENAI_BASE_URL")), "ollama": ollamaURL(env("OLLAMA_HOST")),
	}
	for _, s := range services {
		e := s.endpoint()
		for _, name := range []string{s.oldKey, s.keyVariable()} { // The last one set wins.
			if key := strings.TrimSpace(env(name)); name != "" && key != "" {
				e.Key, e.KeyOrigin = keys.Secret(key), keys.Origin{
					Kind: keys.Variable, Name: name,
				}
			}
		}
		address := addresses[s.name]
		if address != "" && (address != s.base || s.local) {
			// Which models are there is unknown until the server lists them.
			e.BaseURL, e.DefaultModel, e.BaseURLSet = address, "", true
		}
		stored := slices.ContainsFunc(keyed, func(name string) bool { return strings.EqualFold(name, s.name) })
		if e.Key != "" || e.BaseURLSet || stored && s.hosted() {
			found = append(found, e)
		}
	}
	return found
}

// KeyVariables lists the environment variables that may hold keys of hosted services.
func KeyVariables() []string {
	var names []string
	for _, s := range services {
		names = append(names, s.keyVariable(), s.oldKey)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// IsHostedService reports whether name is that of a hosted service, which requires a key.
func IsHostedService(name string) bool { return serviceNamed(name).hosted() }

// ServiceNames lists the names of all known services, which need no configuration: hosted services and local servers.
func ServiceNames() []string {
	var names []string
	for _, s := range services {
		names = append(names, s.name)
	}
	return names
}

// TakesStoredKey reports whether a key stored under the name of the endpoint may be sent to its address. The key of a
// hosted service is sent to that service only, whatever OPENAI_BASE_URL says.
func (e Endpoint) TakesStoredKey() bool {
	s := serviceNamed(e.Name)
	return e.Name != GuideEndpoint && (!s.hosted() || baseURL(e.BaseURL) == s.base)
}

// baseURL completes a base URL as people write it: without scheme or path, with a final slash, or with the full path of
// the API. A query is kept. It returns "" for "".
func baseURL(written string) string {
	written = strings.TrimSpace(written)
	if written == "" {
		return ""
	}
	if !strings.Contains(written, "://") {
		scheme := "https://"
		if (Endpoint{BaseURL: "http://" + written}).IsSelfHosted() {
			scheme = "http://"
		}
		written = scheme + written
	}
	u, err := url.Parse(written)
	if err != nil {
		return written
	}
	for _, end := range []string{"/", "/chat/completions", "/responses", "/"} {
		u.Path = strings.TrimSuffix(u.Path, end)
	}
	u.Path = cmp.Or(u.Path, "/v1")
	return u.String()
}

// ollamaURL interprets OLLAMA_HOST as Ollama does: a host, a port, both, or a URL. The listen address 0.0.0.0 becomes
// the loopback address. It returns "" if the value is empty or invalid.
func ollamaURL(written string) string {
	written = strings.Trim(strings.TrimSpace(written), `"'`)
	port := "80"
	switch {
	case written == "":
		return ""
	case !strings.Contains(written, "://"):
		written, port = "http://"+written, "11434"
	case strings.HasPrefix(written, "https:"):
		port = "443"
	}
	u, err := url.Parse(written)
	if err != nil {
		return ""
	}
	host := u.Hostname()
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	return u.Scheme + "://" + net.JoinHostPort(host, cmp.Or(u.Port(), port)) + "/v1"
}
