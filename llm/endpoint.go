package llm

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"winnow/history"
	"winnow/llm/keys"
	"winnow/llm/pricing"
	"winnow/llm/tool"
)

// Doer does an HTTP request: an *http.Client, or a server in the same process.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Endpoint is a server that speaks one of the wire formats, and how to reach it.
type Endpoint struct {
	Name               string                    // the first half of a model reference such as openai/gpt-5.2
	BaseURL            string                    // including /v1 or the server's equivalent
	Key                keys.Secret               // sent as a bearer token; "" sends none
	KeyOrigin          keys.Origin               // where the key comes from, even if it was not fetched yet
	StoredKey          *keys.LazySecret          // fetches a stored key if Key is ""; may be nil
	Headers            map[string]string         // extra request headers; their values may be secret
	Wire               Wire                      // "" is AutoWire
	Profile            history.Profile           // what it requires of the history
	Window             int                       // the configured context window in tokens; 0 if it has to be found out
	KeepAlive          string                    // how long Ollama keeps a model loaded, "5m" or seconds
	CountsTokens       bool                      // the server supports Client.CountRequestTokens, as llama.cpp does
	DefaultModel       string                    // for references without a model; "" is the first model listed
	BaseURLSet         bool                      // the user set BaseURL
	Doer               Doer                      // nil is the network
	Tools              *tool.Toolbox             // tools of this endpoint alone; may be nil
	Learned            Learned                   // known in advance of all its models
	Prices             map[string]pricing.Prices // configured prices by model; AnyModel is for all others
	ModelConfigs       []ModelConfig             // for its models; for each setting, the first that has it counts
	SharedModelConfigs []ModelConfig             // for models of any endpoint; they follow ModelConfigs

	MaxAttempts      int           // attempts of a request before its first token; 0 is 3
	IdleTimeout      time.Duration // between two reads of a stream; 0 is 90 s. Comments count as data
	FirstByteTimeout time.Duration // before the first byte; 0 is 2 min, or 10 min for a self-hosted server
}

// String returns the name and the address of the endpoint, without secrets.
func (e Endpoint) String() string { return e.Name + " at " + e.DisplayURL() }

// DisplayURL is the base URL without user, password and query.
func (e Endpoint) DisplayURL() string {
	u, err := url.Parse(e.BaseURL)
	if err != nil {
		return "an address that is not a URL"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return strings.TrimRight(u.String(), "/")
}

// parsedURL is the parsed base URL, a zero URL if it is not valid.
func (e Endpoint) parsedURL() *url.URL {
	if u, err := url.Parse(e.BaseURL); err == nil {
		return u
	}
	return new(url.URL)
}

// Host is the host name of the endpoint without the port, in lower case.
func (e Endpoint) Host() string { return strings.ToLower(e.parsedURL().Hostname()) }

// HostPort is the host name of the endpoint, with the port if the base URL has one.
func (e Endpoint) HostPort() string { return e.parsedURL().Host }

// IsModelMaker reports whether the endpoint is the API of a company that makes models, at the company's own address.
func (e Endpoint) IsModelMaker() bool { return len(pricing.ListedModels(e.BaseURL)) > 0 }

// rootURL is the address without its path. Servers keep there what is not part of the Chat Completions API.
func (e Endpoint) rootURL() string { return e.parsedURL().Scheme + "://" + e.parsedURL().Host }

// urlOf is the URL of a path below the base URL, such as /models, without the query of the base URL: Client.send adds
// that to every request.
func (e Endpoint) urlOf(path string) string {
	base, _, _ := strings.Cut(e.BaseURL, "?")
	return strings.TrimRight(base, "/") + path
}

// loopback reports whether the endpoint is on this machine.
func (e Endpoint) loopback() bool {
	addr, err := netip.ParseAddr(e.Host())
	return e.Host() == "localhost" || err == nil && addr.IsLoopback()
}

// IsSelfHosted reports whether the endpoint is on this machine or its local network, or the built-in guide. Its tokens
// are free unless it has prices.
func (e Endpoint) IsSelfHosted() bool {
	host := e.Host()
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || addr.IsUnspecified()
	}
	named := strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".lan")
	return e.Name == GuideEndpoint || named || !strings.Contains(host, ".")
}

// HasKey reports whether the endpoint has a key or a stored key, even if that was not fetched yet.
func (e Endpoint) HasKey() bool { return e.Key != "" || e.KeyOrigin.Stored() }

// key is the key of the endpoint, "" if it was not fetched yet.
func (e Endpoint) key() keys.Secret {
	if e.Key == "" && e.StoredKey != nil {
		return e.StoredKey.Fetched()
	}
	return e.Key
}

// shortestSecret is the length in bytes of the shortest secret that is redacted. Removing shorter ones would damage
// ordinary words.
const shortestSecret = 6

// Secrets returns the strings that must not appear in answers of this endpoint: key, password and secret headers, also
// in encoded form.
func (e Endpoint) Secrets() []string {
	var list []string
	add := func(s string) {
		if len(s) < shortestSecret {
			return
		}
		list = append(list, s, url.QueryEscape(s), base64.StdEncoding.EncodeToString([]byte(s)))
		if quoted, err := json.Marshal(s); err == nil {
			list = append(list, string(quoted[1:len(quoted)-1]))
		}
	}
	add(e.key().Reveal())
	if password, ok := e.parsedURL().User.Password(); ok {
		add(e.parsedURL().User.Username() + ":" + password) // basic authentication sends both, encoded together
		add(password)
	}
	values := e.parsedURL().Query()
	for name, value := range e.Headers {
		values.Add(name, value)
	}
	for name, list := range values {
		if secretHeader(name) {
			value := strings.Join(list, "")
			_, token, _ := strings.Cut(value, " ")
			add(value)
			add(token)
		}
	}
	return list
}

// secretHeader reports whether a header or query parameter of this name carries a secret.
func secretHeader(name string) bool {
	words := []string{"auth", "key", "token", "secret", "cookie", "password"}
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(name), w) })
}

// sameModel compares model names as Ollama does: a name without a tag means the latest version.
func sameModel(a, b string) bool {
	return a != "" && plainModel(a) == plainModel(b)
}

// plainModel is a model name in lower case, without the parts that servers may omit.
func plainModel(name string) string {
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(name, "models/"), ":latest"))
}

// ModelConfig is the configuration of the models that match a pattern. It takes precedence over the configuration of
// their endpoint. A zero field sets nothing.
type ModelConfig struct {
	Pattern string // see MatchModel
	Table   string // the table in the config file, to be shown; may be ""
	Wire    Wire
	Window  int
	Prices  pricing.Prices
	Tools   *bool // false offers no tools to the models; nil sets nothing
}

// modelConfig is the first configuration of a model that has a certain setting; zero if none has.
func (e Endpoint) modelConfig(model string, says func(ModelConfig) bool) ModelConfig {
	for _, s := range slices.Concat(e.ModelConfigs, e.SharedModelConfigs) {
		if match, _ := MatchModel(s.Pattern, e.Name, model); match && says(s) {
			return s
		}
	}
	return ModelConfig{}
}

// MatchModel reports whether a pattern matches a model of an endpoint. The pattern syntax is that of path.Match, except
// that * also matches slashes. The pattern is compared with "endpoint/model", with the model's name, and with the part
// of the name after the last slash, ignoring case. The error is path.ErrBadPattern.
func MatchModel(pattern, endpoint, model string) (bool, error) {
	model = plainModel(model)
	for _, name := range []string{endpoint + "/" + model, model, path.Base(model)} {
		if match, err := path.Match(foldSlashes(pattern), foldSlashes(name)); match || err != nil {
			return match, err
		}
	}
	return false, nil
}

// foldSlashes returns a name in lower case in which the * of path.Match also matches slashes.
func foldSlashes(name string) string { return strings.ReplaceAll(strings.ToLower(name), "/", "\x1f") }

var wildcard = lazyRegexp(`[*?\\]|\[[^]]*\]?`)

// ComparePatterns sorts patterns from the most specific to the least: first those without wildcards, then by the number
// of literal characters.
func ComparePatterns(a, b string) int {
	literalA, literalB := wildcard().ReplaceAllString(a, ""), wildcard().ReplaceAllString(b, "")
	if exactA, exactB := literalA == a, literalB == b; exactA != exactB {
		return cmp.Compare(len(a)-len(literalA), len(b)-len(literalB)) // An exact pattern has nothing to remove.
	}
	return cmp.Or(cmp.Compare(len(literalB), len(literalA)), strings.Compare(a, b))
}
