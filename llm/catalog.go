package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"winnow/llm/keys"
	"winnow/llm/redact"
)

// Catalog holds the endpoints that can be asked, and resolves the names of models to them. It keeps one client for each
// endpoint, so that what a client has learned about its server is kept. It is safe for concurrent use, and its zero
// value is empty. Lookups do not add endpoints; Add, With, ResolveAndAdd, AddService and ChooseModel do.
type Catalog struct {
	ModelConfigs []ModelConfig    // for models of any endpoint, the most specific first
	Doer         Doer             // for endpoints that are added without a Doer; nil is the network
	Redactor     *redact.Redactor // shared by all clients; with nil, each client only knows its own secrets

	// WithStoredKey adds the stored key to the endpoint of an unconfigured local server. It may be nil.
	WithStoredKey func(Endpoint) Endpoint

	// ProbeLocal allows UnconfiguredProviders to ask for models at the default ports of unconfigured local servers.
	ProbeLocal bool

	mu      sync.Mutex
	clients []*Client
}

// With adds endpoints, except those whose names are already taken, and returns the catalog.
func (c *Catalog) With(endpoints ...Endpoint) *Catalog {
	for _, e := range endpoints {
		c.keep(c.newClient(e))
	}
	return c
}

// Add appends an endpoint, or replaces the one with the same name.
func (c *Catalog) Add(e Endpoint) {
	client := c.newClient(e)
	if c.keep(client) == client {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clients[slices.IndexFunc(c.clients, named(e.Name))] = client
}

// keep adds a client unless one with its name exists, and returns the one in the catalog.
func (c *Catalog) keep(client *Client) *Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(c.clients, named(client.endpoint.Name)); i >= 0 {
		return c.clients[i]
	}
	c.clients = append(c.clients, client)
	return client
}

func named(name string) func(*Client) bool {
	return func(client *Client) bool { return strings.EqualFold(client.endpoint.Name, name) }
}

// newClient returns a client for an endpoint with the settings that apply to all endpoints.
func (c *Catalog) newClient(e Endpoint) *Client {
	e.BaseURL, e.SharedModelConfigs = baseURL(e.BaseURL), c.ModelConfigs
	if e.Doer == nil {
		e.Doer = c.Doer
	}
	client := NewClient(e)
	if c.Redactor != nil {
		c.Redactor.AddSecrets(e.Secrets()...)
		client.redactor = c.Redactor
	}
	return client
}

// Endpoints lists the endpoints.
func (c *Catalog) Endpoints() []Endpoint {
	var endpoints []Endpoint
	for _, client := range c.allClients() {
		endpoints = append(endpoints, client.endpoint)
	}
	return endpoints
}

// EndpointNamed returns the endpoint with a name, zero if there is none.
func (c *Catalog) EndpointNamed(name string) Endpoint {
	if client := c.client(name); client != nil {
		return client.endpoint
	}
	return Endpoint{}
}

func (c *Catalog) allClients() []*Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.clients)
}

// client returns the client of the endpoint with a name, nil if there is none.
func (c *Catalog) client(name string) *Client {
	for _, client := range c.allClients() {
		if named(name)(client) {
			return client
		}
	}
	return nil
}

// split splits a reference into endpoint and model. Local servers can be named without being configured; one that does
// not run is noticed when it is asked. The client is nil if the endpoint is unknown. The model is "" if none is named
// and the endpoint has no default.
func (c *Catalog) split(ref string) (client *Client, model string) {
	name, model, _ := strings.Cut(strings.TrimSpace(ref), "/")
	client = c.client(name)
	if s := serviceNamed(name); client == nil && s.local {
		client = c.newClient(c.withStored(s.endpoint()))
	}
	if client != nil && model == "" {
		model = client.endpoint.DefaultModel
	}
	return client, model
}

// withStored returns an endpoint with its stored key.
func (c *Catalog) withStored(e Endpoint) Endpoint {
	if c.WithStoredKey == nil {
		return e
	}
	return c.WithStoredKey(e)
}

// Resolve returns the client and the model of a full reference: "endpoint/model", where the model may contain slashes
// and is not checked, or "endpoint" for its default model. It asks no server. A name that is no endpoint is not looked
// for among the models of endpoints; the error is then an UnknownModelError.
func (c *Catalog) Resolve(ref string) (*Client, string, error) {
	client, model := c.split(ref)
	switch {
	case strings.TrimSpace(ref) == "":
		return nil, "", errors.New("no model is named")
	case client == nil:
		return nil, "", c.unknown(ref, nil)
	case model == "":
		return nil, "", fmt.Errorf("%[1]s has no default model: name one as %[1]s/MODEL", client.endpoint.Name)
	}
	return client, model, nil
}

// ResolveAndAdd is Resolve for a model that will be used: if the endpoint is an unconfigured local server, it is added
// to the catalog, so that it is listed and what is learned about it is kept.
func (c *Catalog) ResolveAndAdd(ref string) (*Client, string, error) {
	client, model, err := c.Resolve(ref)
	if err != nil {
		return nil, "", err
	}
	return c.keep(client), model, nil
}

// FindModel returns the full reference, "endpoint/model", for a name that the user gave. What Resolve accepts is used
// as it is. Any other name must be a model that one endpoint lists: the endpoint called home, or the one chosen by
// default. Only that endpoint is asked for its list.
func (c *Catalog) FindModel(ctx context.Context, ref, home string) (string, error) {
	ref = strings.TrimSpace(ref)
	client, model := c.split(ref)
	if client != nil && model == "" {
		first, err := client.firstModel(ctx)
		if err != nil {
			return "", fmt.Errorf("%w; %s/MODEL names a model without asking for the list", err, client.endpoint.Name)
		}
		model = first
	}
	if client != nil {
		return client.endpoint.Name + "/" + model, nil
	}
	at := c.client(home)
	if at == nil || at.endpoint.Name == GuideEndpoint {
		at = c.preferred()
	}
	if ref == "" || at == nil {
		_, _, err := c.Resolve(ref)
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	models, failed := at.listModels(ctx)
	if i := slices.IndexFunc(models, func(m Model) bool { return sameModel(m.ID, ref) }); i >= 0 {
		return models[i].Ref(), nil
	}
	if failed != nil {
		return "", fmt.Errorf("%w (write %s/%s if %[2]s has that model; its list cannot be read: %[4]w)",
			c.unknown(ref, nil), at.endpoint.Name, oneLine(ref, sentenceMax), failed)
	}
	return "", c.unknown(ref, models)
}

// preferred is the client of the endpoint that is chosen by default: the first one with a key, else the first one. It
// is nil if there is only the guide.
func (c *Catalog) preferred() *Client {
	all := slices.DeleteFunc(c.allClients(), named(GuideEndpoint))
	i := slices.IndexFunc(all, func(client *Client) bool { return client.endpoint.HasKey() })
	if len(all) == 0 {
		return nil
	}
	return all[max(0, i)]
}

// UnknownModelError reports a name that is neither an endpoint nor a known model. Its text is a sentence for the user.
type UnknownModelError string

func (e UnknownModelError) Error() string { return string(e) }

// unknown is the error of an unknown name. models are those of the endpoint that was asked, if any.
func (c *Catalog) unknown(ref string, models []Model) UnknownModelError {
	whole := oneLine(ref, sentenceMax)
	name, _, _ := strings.Cut(whole, "/")
	listed := make([]string, len(models))
	for i, m := range models {
		listed[i] = m.ID
	}
	text := fmt.Sprintf("there is no endpoint %q", name)
	if s := serviceNamed(name); s.hosted() {
		text += "; set " + s.keyVariable() + " or run winnow keys set " + s.name + " to use it"
		return UnknownModelError(text)
	}
	if len(models) > 0 {
		text += fmt.Sprintf(", and %s lists no model %q", models[0].Endpoint, whole)
	}
	hint := cmp.Or(DidYouMean(whole, listed), "; write a model as ENDPOINT/MODEL")
	if near := NearestName(name, append(c.names(), ServiceNames()...)); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near+strings.TrimPrefix(whole, name))
	}
	return UnknownModelError(text + hint)
}

// names lists the endpoints that a reference can name: those of the catalog, and local servers.
func (c *Catalog) names() []string {
	var names []string
	for _, e := range append(c.Endpoints(), c.unconfigured()...) {
		names = append(names, e.Name)
	}
	return names
}

// unconfigured lists the local servers that are not in the catalog. They have no keys, because fetching one could
// prompt for a password.
func (c *Catalog) unconfigured() []Endpoint {
	var endpoints []Endpoint
	for _, s := range services {
		if s.local && c.client(s.name) == nil {
			endpoints = append(endpoints, s.endpoint())
		}
	}
	return endpoints
}

// Models lists the models of all endpoints in the order of the endpoints, which are asked concurrently. The errors are
// by endpoint name.
func (c *Catalog) Models(ctx context.Context) ([]Model, map[string]error) {
	return listAll(c.allClients(), func(client *Client) ([]Model, error) { return client.Models(ctx) })
}

// listAll calls list for each client concurrently, and returns the errors by endpoint name.
func listAll(clients []*Client, list func(*Client) ([]Model, error)) ([]Model, map[string]error) {
	lists, errs := make([][]Model, len(clients)), make([]error, len(clients))
	var wait sync.WaitGroup
	for i, client := range clients {
		wait.Go(func() { lists[i], errs[i] = list(client) })
	}
	wait.Wait()
	failed := make(map[string]error)
	for i, err := range errs {
		if err != nil {
			failed[clients[i].endpoint.Name] = err
		}
	}
	return slices.Concat(lists...), failed
}

// probeTime is how long a local server may take to list its models.
const probeTime = 150 * time.Millisecond

// probe asks local servers concurrently for their chat models.
func (c *Catalog) probe(ctx context.Context, endpoints ...Endpoint) ([]Model, map[string]error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var clients []*Client
	for _, e := range endpoints {
		clients = append(clients, c.newClient(e))
	}
	return listAll(clients, func(client *Client) ([]Model, error) {
		list, err := client.listModels(ctx)
		return chatModels(list), err
	})
}

// UnconfiguredProvider is a provider that is not in the catalog: a hosted service without a key, or a local server that
// does not run.
type UnconfiguredProvider struct {
	Name        string // the name of its endpoint: "openai"
	Title       string // the product name: "OpenAI"
	KeyVariable string // the environment variable of its key, "" for a local server
	Host        string // where requests go: a host, with a port for a local server
}

// UnconfiguredProviders lists the providers that are not in the catalog, and the models of unconfigured local servers
// that run. Local servers are asked concurrently and without keys, and only if ProbeLocal is set. Hosted services are
// not asked.
func (c *Catalog) UnconfiguredProviders(ctx context.Context) (offers []UnconfiguredProvider, found []Model) {
	if c.ProbeLocal {
		found, _ = c.probe(ctx, c.unconfigured()...)
	}
	for _, s := range services {
		runs := slices.ContainsFunc(found, func(m Model) bool { return m.Endpoint == s.name })
		if c.client(s.name) == nil && !runs && (s.hosted() || c.ProbeLocal) {
			offers = append(offers, UnconfiguredProvider{s.name, s.title, s.keyVariable(), s.endpoint().HostPort()})
		}
	}
	return offers, found
}

// NearestName returns the known name that a mistyped one was probably meant to be, "" if none is similar.
func NearestName(word string, known []string) string {
	best, distance := "", len([]rune(word))/2+1
	for _, k := range known {
		if d := edits(word, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// DidYouMean ends a sentence about an unknown word with the nearest known one: `; did you mean "x"?`. It returns "" if
// none is similar.
func DidYouMean(word string, known []string) string {
	if best := NearestName(word, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// edits is the edit distance of two words: the number of letters to insert, delete, replace, or swap with a neighbor.
func edits(a, b string) int {
	s, t := []rune(a), []rune(b)
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
			case s[i-1] == t[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j], rows[i][j-1], rows[i-1][j-1])
			}
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
			}
		}
	}
	return rows[len(s)][len(t)]
}

// GuideEndpoint is the name of the built-in endpoint, which is chosen only if there is no other.
const GuideEndpoint = "guide"

// ModelChoice is the model that a chat starts with, and why: "openai/gpt-5.2", "OPENAI_API_KEY is set".
type ModelChoice struct {
	Ref    string // "endpoint/model"; only the endpoint if Unavailable is set
	Reason string

	FirstListed bool  // the model is the first one of the endpoint's list
	Unavailable error // why no model of the endpoint could be chosen; nil if one was
}

// ModelPreference is the input of ChooseModel.
type ModelPreference struct {
	Ref             string    // the model that the user named; may be ""
	Source          string    // where it was named, such as "-m"; may be ""
	Last            LastModel // the model used last; it counts if none is named
	DefaultEndpoint string    // where a name without an endpoint is looked for; "" is the endpoint chosen by default

	// AllowLocal allows looking for local servers, and using the guide if there is none. It is for interactive use,
	// where a person sees the choice before anything is sent.
	AllowLocal bool
}

// LastModel is the model that was used last, with the data to detect whether its name still means the same server.
type LastModel struct {
	Ref    string `json:"model"`            // "endpoint/model"
	Server string `json:"server,omitempty"` // the base URL of the endpoint, without secrets
	Keyed  bool   `json:"keyed,omitempty"`  // the endpoint had a key
}

// ErrNoModel reports that no model is named or configured.
var ErrNoModel = errors.New("no model is named or configured, and no API key is set: " +
	"name one with -m ollama/MODEL or -m guide, set OPENAI_API_KEY or another provider's key, " +
	"or store one with winnow keys set NAME")

// ChooseModel decides which model a chat starts with: the one that is named, else the one used last, else the default
// or the first listed model of the endpoint that is chosen by default. An endpoint that the user configured or has a
// key for is never replaced by another: if it has to be asked for its models and does not answer, the choice is
// Unavailable. Only without such an endpoint, and with AllowLocal, the choice is the first model of a local server, or
// the guide. The chosen endpoint is added to the catalog. The error is a sentence for the user.
//
// If the model used last is no longer available, Reason mentions it.
func ChooseModel(ctx context.Context, c *Catalog, w ModelPreference) (choice ModelChoice, err error) {
	if w.Ref = strings.TrimSpace(w.Ref); w.Ref != "" {
		return c.chooseNamed(ctx, w)
	}
	lost := ""
	if w.Last.Ref != "" {
		if !c.lastModelLost(w.Last) {
			client, model, err := c.ResolveAndAdd(w.Last.Ref)
			return ModelChoice{Ref: client.endpoint.Name + "/" + model, Reason: "you used it last"}, err
		}
		lost = "; " + w.Last.Ref + ", which you used last, no longer has its address or its key"
	}
	client := c.preferred()
	switch {
	case client != nil:
		choice = choosePreferred(ctx, client)
	case w.AllowLocal:
		choice, err = c.chooseLocal(ctx)
	default:
		err = ErrNoModel
	}
	choice.Reason += lost
	return choice, err
}

func (c *Catalog) chooseNamed(ctx context.Context, w ModelPreference) (choice ModelChoice, err error) {
	choice.Reason = "you named it"
	if w.Source != "" {
		choice.Reason = "set with " + w.Source
	}
	if choice.Ref, err = c.FindModel(ctx, w.Ref, w.DefaultEndpoint); err == nil {
		_, _, err = c.ResolveAndAdd(choice.Ref)
	}
	return choice, err
}

// choosePreferred chooses a model of a configured endpoint. It asks the server only if the endpoint has no default
// model.
func choosePreferred(ctx context.Context, client *Client) ModelChoice {
	e := client.endpoint
	choice := ModelChoice{Ref: e.Name + "/" + e.DefaultModel, Reason: e.Name + " is configured"}
	switch {
	case e.Key != "" && e.KeyOrigin.Kind == keys.Variable:
		choice.Reason = e.KeyOrigin.Name + " is set"
	case e.KeyOrigin.Stored() && !e.BaseURLSet:
		choice.Reason = "a key of " + e.Name + " is stored"
	}
	if e.DefaultModel != "" {
		return choice
	}
	model, err := client.firstModel(ctx)
	if err != nil {
		choice.Ref = e.Name
		choice.Unavailable = fmt.Errorf("no model of %s is chosen (name one as %s/MODEL): %w", e.Name, e.Name, err)
		return choice
	}
	choice.Ref, choice.FirstListed = e.Name+"/"+model, true
	return choice
}

// chooseLocal chooses the first model of a local server, else the guide.
func (c *Catalog) chooseLocal(ctx context.Context) (ModelChoice, error) {
	here := c.unconfigured()
	for i, e := range here {
		here[i] = c.withStored(e)
	}
	models, failed := c.probe(ctx, here...)
	empty := "" // mentions a server that runs without a model
	for _, e := range here {
		if len(models) > 0 && e.Name == models[0].Endpoint {
			e.DefaultModel = models[0].ID
			c.Add(e)
			reason := "a server answers at " + e.rootURL() + empty
			return ModelChoice{Ref: models[0].Ref(), Reason: reason, FirstListed: true}, nil
		}
		if failed[e.Name] == nil { // It runs, but has no model.
			empty = " (" + e.Name + " has no chat model yet)"
		}
	}
	guide := c.client(GuideEndpoint)
	if guide == nil {
		return ModelChoice{}, ErrNoModel
	}
	return ModelChoice{
		Ref:    GuideEndpoint + "/" + cmp.Or(guide.endpoint.DefaultModel, GuideEndpoint),
		Reason: "no API key is set and no local server answers" + empty,
	}, nil
}

// listTime is how long a server may take to list its models when one has to be chosen.
const listTime = 4 * time.Second

// firstModel asks the endpoint for its models and returns the first chat model.
func (c *Client) firstModel(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	models, err := c.listModels(ctx)
	if err != nil {
		return "", err
	}
	if models = chatModels(models); len(models) == 0 {
		return "", fmt.Errorf("%s has no chat model yet", c.endpoint.Name)
	}
	return models[0].ID, nil
}

// LastModel describes a model, to be remembered for the next start. Ref is "" if the reference cannot be resolved.
func (c *Catalog) LastModel(ref string) LastModel {
	client, model, err := c.Resolve(ref)
	if err != nil {
		return LastModel{}
	}
	e := client.endpoint
	return LastModel{Ref: e.Name + "/" + model, Server: e.DisplayURL(), Keyed: e.HasKey()}
}

// lastModelLost reports whether the model used last cannot be chosen again: its endpoint now has another address or has
// lost its key. It asks no server.
func (c *Catalog) lastModelLost(last LastModel) bool {
	client, _, err := c.Resolve(last.Ref)
	if err != nil {
		return true
	}
	e := client.endpoint
	unset := e.KeyOrigin.Kind == keys.Variable && e.Key == ""
	return unset || last.Keyed && !e.HasKey() || last.Server != "" && e.DisplayURL() != last.Server
}

// AddService adds a hosted service with a key to the catalog, and returns the reference of its default model. It checks
// the key by listing the models. A service that rejects the key is not added. One that cannot be reached is added,
// because the key may be right.
func (c *Catalog) AddService(ctx context.Context, name string, key keys.Secret, from keys.Origin) (string, error) {
	e := serviceNamed(name).endpoint()
	e.Key, e.KeyOrigin = key, from
	_, err := c.newClient(e).listModels(ctx)
	if errors.Is(err, ErrAuth) || ctx.Err() != nil {
		return "", err
	}
	c.Add(e)
	return e.Name + "/" + e.DefaultModel, nil
}
