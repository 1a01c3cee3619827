package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Catalog holds the endpoints that models are asked of. It keeps one client for each, so that
// what a client learned about its server stays known. It is safe for concurrent use.
type Catalog struct {
	mu      sync.Mutex
	clients []*Client
}

// NewCatalog makes a catalog. The first endpoint is the one a model without an endpoint belongs
// to; of two endpoints of one name the first counts.
func NewCatalog(endpoints ...Endpoint) *Catalog {
	c := new(Catalog)
	for _, e := range endpoints {
		if c.client(e.Name) == nil {
			c.Add(e)
		}
	}
	return c
}

// Add puts an endpoint at the end, or in the place of the one of the same name.
func (c *Catalog) Add(e Endpoint) {
	e.BaseURL = baseURL(e.BaseURL)
	client := NewClient(e)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, old := range c.clients {
		if strings.EqualFold(old.endpoint.Name, e.Name) {
			c.clients[i] = client
			return
		}
	}
	c.clients = append(c.clients, client)
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

func (c *Catalog) all() []*Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.clients)
}

// client is the client of the endpoint of this name, nil for none.
func (c *Catalog) client(name string) *Client {
	for _, client := range c.all() {
		if strings.EqualFold(client.endpoint.Name, name) {
			return client
		}
	}
	return nil
}

// known is the client of the endpoint of this name. The servers of this machine are known by name
// without being configured: one that does not run says so when it is asked.
func (c *Catalog) known(name string) *Client {
	if client := c.client(name); client != nil {
		return client
	}
	for _, s := range localServers {
		if strings.EqualFold(s.name, name) {
			c.Add(Endpoint{Name: s.name, BaseURL: s.base})
			return c.client(name)
		}
	}
	return nil
}

// Resolve gives the client and the model that a reference names: "endpoint/model", where the
// model may hold slashes, "endpoint" for its default model, or a model of the first endpoint that
// is not the guide, which has no other model than itself. The error is a sentence for the user.
func (c *Catalog) Resolve(ref string) (*Client, string, error) {
	ref = strings.TrimSpace(ref)
	clients := c.all()
	if len(clients) == 0 {
		return nil, "", errors.New("there is no server to ask: set a key such as OPENAI_API_KEY, or start a local server such as Ollama")
	}
	if ref == "" {
		return nil, "", errors.New("no model is named")
	}
	name, model, slash := strings.Cut(ref, "/")
	if client := c.known(name); client != nil {
		if model == "" {
			model = client.endpoint.Default
		}
		if model == "" {
			return nil, "", fmt.Errorf("%s has no default model: name one as %s/MODEL", client.endpoint.Name, client.endpoint.Name)
		}
		return client, model, nil
	}
	other := slices.IndexFunc(clients, func(c *Client) bool { return c.endpoint.Name != Guide })
	if other < 0 {
		return nil, "", fmt.Errorf("there is no server for the model %s: set a key such as OPENAI_API_KEY, start a local server such as Ollama, or name its endpoint in the config file", ref)
	}
	first := clients[other]
	if at := hostedAt(name); slash && at >= 0 && !takesMakers(first.endpoint) {
		return nil, "", fmt.Errorf("there is no endpoint %s: set %s, or choose from %s", name, hosted[at].keys[0], c.names())
	}
	return first, ref, nil
}

// takesMakers says that an endpoint's own models may be named maker/model.
func takesMakers(e Endpoint) bool {
	at := hostedAt(e.Name)
	return at < 0 || hosted[at].many || e.BaseURL != hosted[at].base
}

// hostedAt is the place of a hosted service in the table, -1 for none of this name.
func hostedAt(name string) int {
	for i, h := range hosted {
		if strings.EqualFold(h.name, name) {
			return i
		}
	}
	return -1
}

func (c *Catalog) names() string {
	var names []string
	for _, e := range c.Endpoints() {
		names = append(names, e.Name)
	}
	return strings.Join(names, ", ")
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
