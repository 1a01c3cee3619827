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

// Doer does an HTTP request: http.Client, or a server in the same process.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Endpoint is a server that speaks one of the Wires, and how to talk to it.
type Endpoint struct {
	Name       string                    // the first half of a model reference such as openai/gpt-5.2
	BaseURL    string                    // with /v1, or what the server has in its place
	Key        keys.Secret               // sent as a bearer token; "" sends none
	KeyFrom    keys.Origin               // where the key comes from
	Stored     *keys.Later               // fetches a stored key where there is no Key; nil fetches none
	Headers    map[string]string         // extra request headers; their values may be secret
	Wire       Wire                      // the format of its requests and answers; "" is AutoWire
	Profile    history.EndpointProfile   // what its chat format requires
	Window     int                       // the configured window in tokens; 0 is to be found out
	KeepAlive  string                    // how long Ollama keeps a model loaded: "5m", or seconds; "" is its own
	Exact      bool                      // it counts requests, as llama.cpp does: see CountRequest
	Default    string                    // the model to use where a reference names none; "" is the first one listed
	BaseURLSet bool                      // the user named BaseURL
	Doer       Doer                      // who does the HTTP; nil is the network
	Tools      *tool.Toolbox             // the tools that its models may call; nil is none
	Known      Learned                   // how its models are asked, beside what is learned of each
	Prices     map[string]pricing.Prices // the configured prices by model; AnyModel is every other one
	Models     []ModelSettings           // what is configured of its models; the first that says something counts
	Patterns   []ModelSettings           // behind Models, what is configured of models of any endpoint

	Tries int           // the most tries of a request before its first token; 0 is 3, 1 never tries again
	Idle  time.Duration // the silence that ends a stream once it began; 0 is 90 s. Comments count as life
	Begin time.Duration // the silence before the first byte; 0 is 2 min, and 10 min for an endpoint of the user's own
}

// String names the endpoint without its secrets.
func (e Endpoint) String() string { return e.Name + " at " + e.ShownURL() }

// ShownURL is the base URL for people: without user, password and query.
func (e Endpoint) ShownURL() string {
	u, err := url.Parse(e.BaseURL)
	if err != nil {
		return "an address that is not a URL"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return strings.TrimRight(u.String(), "/")
}

// base is the base URL, the zero one where it is none.
func (e Endpoint) base() *url.URL {
	if u, err := url.Parse(e.BaseURL); err == nil {
		return u
	}
	return new(url.URL)
}

// Host is the endpoint's host name without port, in lower case.
func (e Endpoint) Host() string { return strings.ToLower(e.base().Hostname()) }

// Address is the endpoint's host name, with the port that its base URL names.
func (e Endpoint) Address() string { return e.base().Host }

// AtMaker says that the endpoint is the service of a company that makes models, at its own address.
func (e Endpoint) AtMaker() bool { return len(pricing.Names(e.BaseURL)) > 0 }

// root is the endpoint's address without its path: where servers keep what is not part of the
// Chat Completions format.
func (e Endpoint) root() string { return e.base().Scheme + "://" + e.base().Host }

// at is the address of a path below the base URL, such as /models. The query of the base URL is not
// part of it: Client.send adds that to every request.
func (e Endpoint) at(path string) string {
	base, _, _ := strings.Cut(e.BaseURL, "?")
	return strings.TrimRight(base, "/") + path
}

// loopback says that the endpoint is on this machine.
func (e Endpoint) loopback() bool {
	addr, err := netip.ParseAddr(e.Host())
	return e.Host() == "localhost" || err == nil && addr.IsLoopback()
}

// Own says that the endpoint is the user's own: on this machine, on its own network, or the built-in
// guide. Nobody is charged for its tokens unless its prices say so.
func (e Endpoint) Own() bool {
	host := e.Host()
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || addr.IsUnspecified()
	}
	named := strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".lan")
	return e.Name == Guide || named || !strings.Contains(host, ".")
}

// Keyed says that a key is there or stored, even if it was not fetched yet.
func (e Endpoint) Keyed() bool { return e.Key != "" || e.KeyFrom.Stored() }

// key is the endpoint's key as far as it was fetched.
func (e Endpoint) key() keys.Secret {
	if e.Key == "" && e.Stored != nil {
		return e.Stored.Known()
	}
	return e.Key
}

// shortestSecret is the length from which a value is taken out of foreign text: below it, taking
// it out would tear holes into ordinary words.
const shortestSecret = 6

// Secrets are the texts that must not come back out of this endpoint's answers.
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
	if password, ok := e.base().User.Password(); ok {
		add(e.base().User.Username() + ":" + password) // as it goes over the wire, encoded in one
		add(password)
	}
	values := e.base().Query()
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

// secretHeader says that a header or a parameter of this name carries a secret.
func secretHeader(name string) bool {
	words := []string{"auth", "key", "token", "secret", "cookie", "password"}
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(name), w) })
}

// SameModel compares names as Ollama does: without a tag, it is the latest.
func SameModel(a, b string) bool {
	return a != "" && plainModel(a) == plainModel(b)
}

// plainModel is a model's name without what servers may write or leave out.
func plainModel(name string) string {
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(name, "models/"), ":latest"))
}

// ModelSettings is what the configuration says of the models that a pattern names, over what it says of their
// endpoint. A field that is not set says nothing.
type ModelSettings struct {
	Match  string // see MatchModel
	Table  string // the table of the configuration, for people; "" where that goes without saying
	Wire   Wire
	Window int
	Prices pricing.Prices
	Tools  *bool // false offers the models no tools
}

// configured is the first of the settings of a model that says something, zero for none.
func (e Endpoint) configured(model string, says func(ModelSettings) bool) ModelSettings {
	for _, s := range slices.Concat(e.Models, e.Patterns) {
		if match, _ := MatchModel(s.Match, e.Name, model); match && says(s) {
			return s
		}
	}
	return ModelSettings{}
}

// MatchModel says whether a pattern names a model of an endpoint. In a pattern * stands for any text, slashes
// included, ? for one character and [a-z] for one of several; a backslash takes their meaning from them. The pattern
// is compared with "endpoint/model", with the model's name, and with what follows the last slash of that name.
// Upper and lower case are the same. The error is path.ErrBadPattern.
func MatchModel(pattern, endpoint, model string) (bool, error) {
	model = plainModel(model)
	for _, name := range []string{endpoint + "/" + model, model, path.Base(model)} {
		if match, err := path.Match(flat(pattern), flat(name)); match || err != nil {
			return match, err
		}
	}
	return false, nil
}

// flat is a name in lower case in which * of path.Match stands for slashes as well.
func flat(name string) string { return strings.ReplaceAll(strings.ToLower(name), "/", "\x1f") }

var wildcard = lazyRegexp(`[*?\\]|\[[^]]*\]?`)

// SpecificFirst orders patterns: one without * and its like goes before the others, then the one with more literal
// characters.
func SpecificFirst(a, b string) int {
	literalA, literalB := wildcard().ReplaceAllString(a, ""), wildcard().ReplaceAllString(b, "")
	if exactA, exactB := literalA == a, literalB == b; exactA != exactB {
		return cmp.Compare(len(a)-len(literalA), len(b)-len(literalB)) // Nothing is taken from the exact one.
	}
	return cmp.Or(cmp.Compare(len(literalB), len(literalA)), strings.Compare(a, b))
}
