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

// service is a place that models are asked of and that winnow knows by name: a hosted service, which a key opens, or
// a server that people run on their own machine.
type service struct {
	name    string
	title   string // as its maker writes it
	base    string
	model   string                  // the one to start with, "" for the first one listed
	oldKey  string                  // an environment variable that counts where NAME_API_KEY is not set
	profile history.EndpointProfile // what its chat format requires
	known   Learned
	local   bool // it runs on this machine, at its default port
}

// services are the hosted ones, in the order in which they are preferred, then those of this machine. The model of a
// hosted service is the maker's current general one, by a name that the maker keeps alive where there is one. Only the
// loopback address of this machine is ever looked for a server, never the network.
var services = []service{
	{name: "openai", title: "OpenAI", base: "https://api.openai.com/v1", model: "gpt-5.2"},
	{name: "openrouter", title: "OpenRouter", base: "https://openrouter.ai/api/v1", model: "openrouter/auto"},
	{
		name: "mistral", title: "Mistral", base: "https://api.mistral.ai/v1", model: "mistral-medium-latest",
		profile: history.EndpointProfile{NoToolToUser: true, ToolIDLength: 9},
		known:   Learned{Without: []string{"stream_options"}},
	},
	{name: "deepseek", title: "DeepSeek", base: "https://api.deepseek.com/v1", model: "deepseek-chat"},
	{name: "groq", title: "Groq", base: "https://api.groq.com/openai/v1", model: "llama-3.3-70b-versatile"},
	{
		name: "gemini", title: "Google Gemini", base: "https://generativelanguage.googleapis.com/v1beta/openai",
		model: "gemini-flash-latest", oldKey: "GOOGLE_API_KEY",
		profile: history.EndpointProfile{MergeSameRole: true}, // a call stands right behind the user or a result
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

// serviceNamed is the service of a name, the zero one for none.
func serviceNamed(name string) service {
	for _, s := range services {
		if strings.EqualFold(s.name, name) {
			return s
		}
	}
	return service{}
}

// hosted says that the service is one that a key opens.
func (s service) hosted() bool { return s.name != "" && !s.local }

// endpoint is the service without a key.
func (s service) endpoint() Endpoint {
	return Endpoint{
		Name: s.name, BaseURL: s.base, Default: s.model, Profile: s.profile, Known: s.known,
	}
}

// keyVariable is the environment variable that the key of a hosted service is read from first, "" for a server of this
// machine.
func (s service) keyVariable() string {
	if s.local {
		return ""
	}
	return strings.ToUpper(s.name) + "_API_KEY"
}

// FromEnv gives the endpoints that the environment names: one per hosted service whose key is
// set, OpenAI's at OPENAI_BASE_URL where that is set, with or without a key, and Ollama's at
// OLLAMA_HOST. The services in keyed are among them too: their keys are kept in another place. Env is
// os.Getenv or its like.
func FromEnv(env func(string) string, keyed ...string) []Endpoint {
	var found []Endpoint
	addresses := map[string]string{
		"openai": baseURL(env("OPENAI_BASE_URL")), "ollama": ollamaURL(env("OLLAMA_HOST")),
	}
	for _, s := range services {
		e := s.endpoint()
		for _, name := range []string{s.oldKey, s.keyVariable()} { // The last one that is set counts.
			if key := strings.TrimSpace(env(name)); name != "" && key != "" {
				e.Key, e.KeyFrom = keys.Secret(key), keys.Origin{Kind: keys.Variable, Name: name}
			}
		}
		address := addresses[s.name]
		if address != "" && (address != s.base || s.local) {
			// What is served there is not known: its own list says it.
			e.BaseURL, e.Default, e.BaseURLSet = address, "", true
		}
		stored := slices.ContainsFunc(keyed, func(name string) bool { return strings.EqualFold(name, s.name) })
		if e.Key != "" || e.BaseURLSet || stored && s.hosted() {
			found = append(found, e)
		}
	}
	return found
}

// KeyVariables are the names of the environment variables that hold the hosted services' keys.
func KeyVariables() []string {
	var names []string
	for _, s := range services {
		names = append(names, s.keyVariable(), s.oldKey)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// IsHosted says that a name is that of a service that a key in the environment opens.
func IsHosted(name string) bool { return serviceNamed(name).hosted() }

// KnownNames are the names of endpoints that need no configuration: the hosted services, and the servers of
// this machine.
func KnownNames() []string {
	var names []string
	for _, s := range services {
		names = append(names, s.name)
	}
	return names
}

// TakesStoredKey says that a key stored under the endpoint's name is meant for its address: the key of a hosted
// service goes to that service's own address alone, whatever OPENAI_BASE_URL says.
func (e Endpoint) TakesStoredKey() bool {
	s := serviceNamed(e.Name)
	return e.Name != Guide && (!s.hosted() || baseURL(e.BaseURL) == s.base)
}

// baseURL completes what people write as a base URL: no scheme, no path, a slash or the whole path
// of the API at the end. A query stays behind the path. It is "" for nothing.
func baseURL(written string) string {
	written = strings.TrimSpace(written)
	if written == "" {
		return ""
	}
	if !strings.Contains(written, "://") {
		scheme := "https://"
		if (Endpoint{BaseURL: "http://" + written}).Own() {
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

// ollamaURL reads OLLAMA_HOST as Ollama does: a host, a port, both, or a URL. An address to
// listen on everywhere is reached on this machine. It is "" for nothing and for what is no address.
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
