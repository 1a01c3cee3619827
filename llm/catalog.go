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

// Catalog holds the endpoints that models are asked of, and decides which of them a name stands for.
// It keeps one client for each, so that what a client learned about its server stays known. It is safe
// for concurrent use, and its zero value holds none. No lookup adds an endpoint: Add, With, Use and Choose do.
type Catalog struct {
	ModelConfigs []ModelConfig    // what is configured of models of any endpoint, the most specific first
	Doer         Doer             // does the HTTP of the endpoints that are added without a Doer; nil is the network
	Redactor     *redact.Redactor // knows the secrets that no answer may repeat; nil leaves each endpoint to its own

	// Stored adds the stored key of an endpoint that is not configured: a server of this machine that is
	// found or named. nil adds none.
	WithStoredKey func(Endpoint) Endpoint

	// Probes says that servers of this machine that are not configured may be asked for their models, at the default
	// ports: see Offers.
	ProbeLocal bool

	mu      sync.Mutex
	clients []*Client
}

// With adds endpoints, where there is none of their name yet, and returns the catalog.
func (c *Catalog) With(endpoints ...Endpoint) *Catalog {
	for _, e := range endpoints {
		c.keep(c.newClient(e))
	}
	return c
}

// Add puts an endpoint at the end, or in the place of the one of the same name.
func (c *Catalog) Add(e Endpoint) {
	client := c.newClient(e)
	if c.keep(client) == client {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clients[slices.IndexFunc(c.clients, named(e.Name))] = client
}

// keep adds a client, unless there is one of its name, and gives the one that is there then.
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

// newClient makes the client of an endpoint with what is configured for all endpoints.
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

// Endpoint is the endpoint of this name, the zero one for none.
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

// client is the client of the endpoint of this name, nil for none.
func (c *Catalog) client(name string) *Client {
	for _, client := range c.allClients() {
		if named(name)(client) {
			return client
		}
	}
	return nil
}

// split takes a reference apart. The servers of this machine are known by name without being configured: one that does
// not run says so when it is asked. The client is nil for an endpoint that is not known, the model "" for one that is
// neither named nor the endpoint's default.
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

// withStored is an endpoint with its stored key.
func (c *Catalog) withStored(e Endpoint) Endpoint {
	if c.WithStoredKey == nil {
		return e
	}
	return c.WithStoredKey(e)
}

// Resolve gives the client and the model that a full reference names: "endpoint/model", where the
// model may hold slashes and is taken as written, or "endpoint" for its default model. It asks no
// server, and a name that it does not know is never taken for a model of some endpoint: the error is
// then an UnknownError.
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

// Use is Resolve for a model that will be asked: if its endpoint is a server of this machine that is not configured,
// it is added, so that it is listed with the others and keeps what is learned of it.
func (c *Catalog) ResolveAndAdd(ref string) (*Client, string, error) {
	client, model, err := c.Resolve(ref)
	if err != nil {
		return nil, "", err
	}
	return c.keep(client), model, nil
}

// Find gives the full reference, "endpoint/model", of what a user named. What Resolve knows is taken as
// written. Any other name must be a model that one endpoint lists: the one called home, or the one that
// would be chosen if nothing were named. That endpoint is asked for its list, and nothing else is sent.
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

// preferred is the client of the endpoint that is chosen where nothing is named: the first one with a
// key, else the first one that is configured. It is nil where there is only the guide.
func (c *Catalog) preferred() *Client {
	all := slices.DeleteFunc(c.allClients(), named(GuideEndpoint))
	i := slices.IndexFunc(all, func(client *Client) bool { return client.endpoint.HasKey() })
	if len(all) == 0 {
		return nil
	}
	return all[max(0, i)]
}

// UnknownError says that a name stands for no endpoint and for no model that is known. Its text is a
// sentence for the user.
type UnknownModelError string

func (e UnknownModelError) Error() string { return string(e) }

// unknown is the error of a name that stands for nothing. Models are those of the endpoint that was asked for them.
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

// names are the endpoints that a reference may name now: those of the catalog, and the servers of this machine.
func (c *Catalog) names() []string {
	var names []string
	for _, e := range append(c.Endpoints(), c.unconfigured()...) {
		names = append(names, e.Name)
	}
	return names
}

// unconfigured are the servers that may run on this machine without being in the catalog. They have no keys: to fetch
// one could ask for a password.
func (c *Catalog) unconfigured() []Endpoint {
	var endpoints []Endpoint
	for _, s := range services {
		if s.local && c.client(s.name) == nil {
			endpoints = append(endpoints, s.endpoint())
		}
	}
	return endpoints
}

// Models lists the models of all endpoints, which are asked at once, in the order of the
// endpoints. The errors are by endpoint name.
func (c *Catalog) Models(ctx context.Context) ([]Model, map[string]error) {
	return listAll(c.allClients(), func(client *Client) ([]Model, error) { return client.Models(ctx) })
}

// listAll gets a list of each client, all at once, and the errors by the names of their endpoints.
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

// probeTime is how long a server of this machine may take to list its models.
const probeTime = 150 * time.Millisecond

// probe asks servers of this machine for the models to chat with, all at once.
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

// Offer is a provider that the catalog does not have yet: a hosted service without a key, or a server of this machine
// that does not run.
type UnconfiguredProvider struct {
	Name        string // of its endpoint: "openai"
	Title       string // as its maker writes it: "OpenAI"
	KeyVariable string // the environment variable that its key is read from, "" for a server of this machine
	Host        string // where its requests go: a host, with the port of a server of this machine
}

// Offers lists the providers that the catalog does not have, and the models of servers of this machine that are not in
// it but run. These servers are asked only if Probes is set, all at once and without a key; hosted services are not
// asked.
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

// Nearest is the known word that a mistyped one was probably meant to be, "" where none is near.
func NearestName(word string, known []string) string {
	best, distance := "", len([]rune(word))/2+1
	for _, k := range known {
		if d := edits(word, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// DidYouMean ends a sentence about an unknown word with the nearest known one; it is "" where none is near.
func DidYouMean(word string, known []string) string {
	if best := NearestName(word, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// edits counts the letters to insert, remove, replace or swap with a neighbour to get from a to b.
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

// Guide is the name of the built-in endpoint, which is chosen only when nothing else is
// there.
const GuideEndpoint = "guide"

// Choice is the model that a chat starts with: "openai/gpt-5.2", "OPENAI_API_KEY is set".
type ModelChoice struct {
	Ref    string // "endpoint/model"; only the endpoint where Closed is set
	Reason string

	FirstListed bool  // the model is the first one that the endpoint lists
	Unavailable error // why no model of the endpoint could be chosen, nil where one was
}

// Preference says what a model is chosen from.
type ModelPreference struct {
	Ref             string    // what the user named, "" for nothing
	Source          string    // where, such as "-m"; "" where it does not matter
	Last            LastModel // what the user chose last, which counts where nothing is named
	DefaultEndpoint string    // the endpoint at which a name without an endpoint is looked for; "" is the one that would be chosen

	// Local says that servers on this machine are looked for, and that the guide is taken where there is
	// none. It is for a person who reads the choice before anything is sent.
	AllowLocal bool
}

// Last is the model that the user chose last, with what tells whether its name still means the same place.
type LastModel struct {
	Ref    string `json:"model"`            // "endpoint/model"
	Server string `json:"server,omitempty"` // the address of the endpoint, without secrets
	Keyed  bool   `json:"keyed,omitempty"`  // the endpoint had a key
}

// ErrNoModel says that nothing names a model.
var ErrNoModel = errors.New("no model is named or configured, and no API key is set: " +
	"name one with -m ollama/MODEL or -m guide, set OPENAI_API_KEY or another provider's key, " +
	"or store one with winnow keys set NAME")

// Choose finds the model to start with, by the first of these that holds: it is named; it was used last; its endpoint
// is the one that is chosen where nothing is named, with its default model or the first one that it lists. An endpoint
// that the user configured or has a key for is never replaced by another place: where it does not answer and its model
// must be asked for, the choice is closed. Only where there is no such endpoint, and the preference allows it, it
// is the first model of a server on this machine, or the built-in guide. The endpoint that is chosen, and no other, is
// added to the catalog if it is not in it. The error is a sentence for the user.
//
// Where the model that was used last cannot be had any more, the reason of the choice says so.
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

// choosePreferred takes an endpoint that the user configured. Only where it has no default model is the
// server asked.
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

// chooseLocal takes the first model of a server on this machine, else the guide.
func (c *Catalog) chooseLocal(ctx context.Context) (ModelChoice, error) {
	here := c.unconfigured()
	for i, e := range here {
		here[i] = c.withStored(e)
	}
	models, failed := c.probe(ctx, here...)
	empty := "" // tells of a server that runs without a model
	for _, e := range here {
		if len(models) > 0 && e.Name == models[0].Endpoint {
			e.DefaultModel = models[0].ID
			c.Add(e)
			reason := "a server answers at " + e.rootURL() + empty
			return ModelChoice{Ref: models[0].Ref(), Reason: reason, FirstListed: true}, nil
		}
		if failed[e.Name] == nil { // That nothing runs at a default port is no news.
			empty = " (" + e.Name + " has no model to chat with yet)"
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

// listTime is how long a server may take to list its models where it has to be asked for one.
const listTime = 4 * time.Second

// firstModel asks an endpoint for its models and gives the first one to chat with.
func (c *Client) firstModel(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	models, err := c.listModels(ctx)
	if err != nil {
		return "", err
	}
	if models = chatModels(models); len(models) == 0 {
		return "", fmt.Errorf("%s has no model to chat with yet", c.endpoint.Name)
	}
	return models[0].ID, nil
}

// Last describes a model for the next start; its Ref is "" where the reference stands for no endpoint.
func (c *Catalog) LastModel(ref string) LastModel {
	client, model, err := c.Resolve(ref)
	if err != nil {
		return LastModel{}
	}
	e := client.endpoint
	return LastModel{Ref: e.Name + "/" + model, Server: e.DisplayURL(), Keyed: e.HasKey()}
}

// lost says that the model that was used last cannot be chosen again: its name must not come to mean another server,
// and a request without the key is refused. No server is asked.
func (c *Catalog) lastModelLost(last LastModel) bool {
	client, _, err := c.Resolve(last.Ref)
	if err != nil {
		return true
	}
	e := client.endpoint
	unset := e.KeyOrigin.Kind == keys.Variable && e.Key == ""
	return unset || last.Keyed && !e.HasKey() || last.Server != "" && e.DisplayURL() != last.Server
}

// AddService adds a hosted service to the catalog with a key, once the service has listed its models with it, and
// returns the reference of the model to begin with. A service that refuses the key is not added. One that cannot be
// reached is: its key may be right, and a request will tell.
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
