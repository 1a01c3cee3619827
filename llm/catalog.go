package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"winnow/llm/redact"
)

// Catalog holds the endpoints that models are asked of, and decides which of them a name stands for.
// It keeps one client for each, so that what a client learned about its server stays known. It is safe
// for concurrent use, and its zero value holds none.
type Catalog struct {
	Patterns []ModelSettings  // what is configured of models of any endpoint, the most specific first
	Network  Doer             // does the HTTP of the endpoints that are added without a Doer; nil is the network
	Redactor *redact.Redactor // knows the secrets that no answer may repeat; nil leaves each endpoint to its own

	// Stored adds the stored key of an endpoint that is not configured: a server of this machine that is
	// found or named. nil adds none.
	Stored func(Endpoint) Endpoint

	// Probes says that servers of this machine that are not configured may be asked for their models, at the default
	// ports: see Offers.
	Probes bool

	mu      sync.Mutex
	clients []*Client
}

// With adds endpoints, where there is none of their name yet, and returns the catalog.
func (c *Catalog) With(endpoints ...Endpoint) *Catalog {
	for _, e := range endpoints {
		if c.client(e.Name) == nil {
			c.Add(e)
		}
	}
	return c
}

// Add puts an endpoint at the end, or in the place of the one of the same name.
func (c *Catalog) Add(e Endpoint) {
	client := c.newClient(e)
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.index(e.Name); i >= 0 {
		c.clients[i] = client
		return
	}
	c.clients = append(c.clients, client)
}

// index is the place of the endpoint of this name, -1 for none. The caller holds mu.
func (c *Catalog) index(name string) int {
	return slices.IndexFunc(c.clients, func(client *Client) bool { return strings.EqualFold(client.endpoint.Name, name) })
}

// newClient makes the client of an endpoint with what is configured for all endpoints.
func (c *Catalog) newClient(e Endpoint) *Client {
	e.BaseURL, e.Patterns = baseURL(e.BaseURL), c.Patterns
	if e.Doer == nil {
		e.Doer = c.Network
	}
	client := NewClient(e)
	if c.Redactor != nil {
		c.Redactor.Know(e.Secrets()...)
		client.redactor = c.Redactor
	}
	return client
}

// Endpoints lists the endpoints.
func (c *Catalog) Endpoints() []Endpoint {
	clients := c.all()
	endpoints := make([]Endpoint, len(clients))
	for i, client := range clients {
		endpoints[i] = client.endpoint
	}
	return endpoints
}

// Endpoint is the endpoint of this name, the zero one for none.
func (c *Catalog) Endpoint(name string) Endpoint {
	if client := c.client(name); client != nil {
		return client.endpoint
	}
	return Endpoint{}
}

func (c *Catalog) all() []*Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.clients)
}

// client is the client of the endpoint of this name, nil for none.
func (c *Catalog) client(name string) *Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.index(name); i >= 0 {
		return c.clients[i]
	}
	return nil
}

// known is the client of the endpoint of this name. The servers of this machine are known by name
// without being configured: one that does not run says so when it is asked. Their endpoints are not added.
func (c *Catalog) known(name string) *Client {
	if client := c.client(name); client != nil {
		return client
	}
	for _, s := range localServers {
		if strings.EqualFold(s.name, name) {
			return c.newClient(c.withStored(Endpoint{Name: s.name, BaseURL: s.base}))
		}
	}
	return nil
}

// withStored is an endpoint with its stored key.
func (c *Catalog) withStored(e Endpoint) Endpoint {
	if c.Stored == nil {
		return e
	}
	return c.Stored(e)
}

// UnknownError says that a name stands for no endpoint and for no model that is known. Its text is a
// sentence for the user.
type UnknownError struct {
	Ref  string // as it was given
	text string
}

func (e *UnknownError) Error() string { return e.text }

// NoModelError says that an endpoint is named without a model and has no default one.
type NoModelError struct{ Endpoint string }

func (e *NoModelError) Error() string {
	return fmt.Sprintf("%s has no default model: name one as %s/MODEL", e.Endpoint, e.Endpoint)
}

// Resolve gives the client and the model that a full reference names: "endpoint/model", where the
// model may hold slashes and is taken as written, or "endpoint" for its default model. It asks no
// server, and a name that it does not know is never taken for a model of some endpoint: the error is
// then an *UnknownError.
func (c *Catalog) Resolve(ref string) (*Client, string, error) {
	ref = strings.TrimSpace(ref)
	if ref == "" {
		return nil, "", errors.New("no model is named")
	}
	name, model, _ := strings.Cut(ref, "/")
	client := c.known(name)
	if client == nil {
		return nil, "", c.unknown(ref, "", nil)
	}
	if model == "" {
		model = client.endpoint.Default
	}
	if model == "" {
		return nil, "", &NoModelError{client.endpoint.Name}
	}
	return client, model, nil
}

// Use is Resolve for a model that will be asked: if its endpoint is a server of this machine that is not configured,
// it is added, so that it is listed with the others and keeps what is learned of it. No other lookup adds anything.
func (c *Catalog) Use(ref string) (*Client, string, error) {
	client, model, err := c.Resolve(ref)
	if err != nil {
		return nil, "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.index(client.endpoint.Name); i >= 0 {
		return c.clients[i], model, nil
	}
	c.clients = append(c.clients, client)
	return client, model, nil
}

// Find gives the full reference, "endpoint/model", of what a user named. What Resolve knows is taken as
// written. Any other name must be a model that one endpoint lists: the one called home, or the one that
// would be chosen if nothing were named. That endpoint is asked for its list, and nothing else is sent. Where
// there is one endpoint alone, at an address that the user gave, it may have models that it does not list.
func (c *Catalog) Find(ctx context.Context, ref, home string) (string, error) {
	return c.find(ctx, ref, home, true)
}

// FindListed is Find, but a name without an endpoint must be listed, whatever endpoints there are.
func (c *Catalog) FindListed(ctx context.Context, ref, home string) (string, error) {
	return c.find(ctx, ref, home, false)
}

func (c *Catalog) find(ctx context.Context, ref, home string, unlisted bool) (string, error) {
	ref = strings.TrimSpace(ref)
	client, model, err := c.Resolve(ref)
	var none *NoModelError
	var unknown *UnknownError
	switch {
	case err == nil:
		return client.endpoint.Name + "/" + model, nil
	case errors.As(err, &none):
		return c.first(ctx, c.known(none.Endpoint))
	case !errors.As(err, &unknown):
		return "", err
	}
	at := c.client(home)
	if at == nil || at.endpoint.Name == Guide {
		at = c.preferred()
	}
	if at == nil {
		return "", err
	}
	if unlisted && c.only(at) && at.endpoint.BaseURLSet && !strings.Contains(ref, "/") && Nearest(ref, c.names()) == "" {
		return at.endpoint.Name + "/" + ref, nil // There is one place that it can be meant for, and the user named that.
	}
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	models, failed := at.Models(ctx)
	for _, m := range models {
		if SameModel(m.ID, ref) {
			return m.Ref(), nil
		}
	}
	if failed != nil {
		return "", fmt.Errorf("%w (write %s/%s if %s has that model; its list cannot be read: %w)",
			err, at.endpoint.Name, oneLine(ref, refMax), at.endpoint.Name, failed)
	}
	return "", c.unknown(ref, at.endpoint.Name, models)
}

// first is the full reference of the first model that an endpoint lists.
func (c *Catalog) first(ctx context.Context, client *Client) (string, error) {
	model, err := firstModel(ctx, client.endpoint, listTime)
	if err != nil {
		return "", fmt.Errorf("%w; %s/MODEL names a model without asking for the list", err, client.endpoint.Name)
	}
	return client.endpoint.Name + "/" + model, nil
}

// preferred is the client of the endpoint that is chosen where nothing is named: the first one with a
// key, else the first one that is configured. It is nil where there is only the guide.
func (c *Catalog) preferred() *Client {
	var first *Client
	for _, client := range c.all() {
		switch e := client.endpoint; {
		case e.Name == Guide:
		case e.Keyed():
			return client
		case first == nil:
			first = client
		}
	}
	return first
}

// only says that there is no other endpoint than this one and the guide.
func (c *Catalog) only(client *Client) bool {
	return !slices.ContainsFunc(c.all(), func(other *Client) bool { return other != client && other.endpoint.Name != Guide })
}

// refMax is how much of a name that stands for nothing is repeated in a sentence, in code points.
const refMax = 120

// unknown is the error of a name that stands for nothing. Asked is the endpoint whose models were read,
// "" for none.
func (c *Catalog) unknown(ref, asked string, models []Model) *UnknownError {
	name, rest, slash := strings.Cut(oneLine(ref, refMax), "/")
	e := &UnknownError{Ref: ref}
	var meant string
	switch {
	case slash:
		e.text = fmt.Sprintf("there is no endpoint %q", name)
		if meant = c.meant(name); meant != "" {
			meant += "/" + rest
		}
	case asked != "":
		e.text = fmt.Sprintf("there is no endpoint and no model %q", name)
	default:
		e.text = fmt.Sprintf("there is no endpoint %q", name)
		meant = c.meant(name)
	}
	if asked != "" {
		e.text += ", and " + asked + " lists no such model"
		if slash {
			e.text += " as " + oneLine(ref, refMax)
		}
	}
	if meant == "" && models != nil {
		listed := make([]string, len(models))
		for i, m := range models {
			listed[i] = m.ID
		}
		if near := Nearest(ref, listed); near != "" {
			meant = asked + "/" + near
		}
	}
	at := hostedAt(name)
	switch {
	case at >= 0:
		e.text += fmt.Sprintf("; set %s or run winnow keys set %s to use it", hosted[at].keys[0], hosted[at].name)
	case meant != "":
		e.text += fmt.Sprintf("; did you mean %q?", meant)
		near, _, _ := strings.Cut(meant, "/")
		if at := hostedAt(near); at >= 0 && c.client(near) == nil {
			e.text += fmt.Sprintf(" It needs a key: set %s or run winnow keys set %s", hosted[at].keys[0], hosted[at].name)
		}
	default:
		e.text += "; write a model as ENDPOINT/MODEL, where ENDPOINT is one of " + strings.Join(c.names(), ", ")
	}
	return e
}

// meant is the endpoint whose name was probably mistyped or abbreviated, "" for none. A hosted service that
// has no key yet can be meant too.
func (c *Catalog) meant(name string) string {
	name, known := strings.ToLower(name), c.names()
	for _, h := range hosted {
		if c.client(h.name) == nil {
			known = append(known, h.name)
		}
	}
	return cmp.Or(abbreviated(name, known), Nearest(name, known))
}

// hostedAt is the place of a hosted service in the table, -1 for none of this name.
func hostedAt(name string) int {
	return slices.IndexFunc(hosted, func(s service) bool { return strings.EqualFold(s.name, name) })
}

// names are the endpoints that a reference may name: those of the catalog, and the servers of this
// machine.
func (c *Catalog) names() []string {
	var names []string
	for _, e := range c.Endpoints() {
		names = append(names, e.Name)
	}
	for _, s := range localServers {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, s.name) }) {
			names = append(names, s.name)
		}
	}
	return names
}

// Models lists the models of all endpoints, which are asked at once, in the order of the
// endpoints. The errors are by endpoint name.
func (c *Catalog) Models(ctx context.Context) ([]Model, map[string]error) {
	clients := c.all()
	lists := make([][]Model, len(clients))
	failures := make([]error, len(clients))
	var wait sync.WaitGroup
	for i, client := range clients {
		wait.Go(func() { lists[i], failures[i] = client.Models(ctx) })
	}
	wait.Wait()
	failed := make(map[string]error)
	for i, err := range failures {
		if err != nil {
			failed[clients[i].endpoint.Name] = err
		}
	}
	return slices.Concat(lists...), failed
}
