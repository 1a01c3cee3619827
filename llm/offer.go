package llm

import (
	"context"
	"sync"
)

// Offer is a provider that the catalog does not have yet: a hosted service without a key, or a server of this machine
// that does not run.
type Offer struct {
	Name     string // of its endpoint: "openai"
	Title    string // as its maker writes it: "OpenAI"
	Variable string // the environment variable that its key is read from, "" for a server of this machine
	Host     string // where its requests go: a host, with the port of a server of this machine
}

// Offers lists the providers that the catalog does not have, and the models of servers of this machine that are not in
// it but run. These servers are asked only if Probes is set, all at once and without a key; hosted services are not
// asked.
func (c *Catalog) Offers(ctx context.Context) ([]Offer, []Model) {
	var offers []Offer
	for _, h := range hosted {
		if c.client(h.name) == nil {
			offers = append(offers, Offer{Name: h.name, Title: h.title, Variable: h.keys[0], Host: Endpoint{BaseURL: h.base}.Address()})
		}
	}
	if !c.Probes {
		return offers, nil
	}
	lists := make([][]string, len(localServers))
	var wait sync.WaitGroup
	for i, s := range localServers {
		if c.client(s.name) == nil {
			wait.Go(func() { lists[i] = Endpoint{Name: s.name, BaseURL: s.base, Doer: c.Network}.listed(ctx) })
		}
	}
	wait.Wait()
	var models []Model
	for i, s := range localServers {
		for _, id := range lists[i] {
			models = append(models, Model{Endpoint: s.name, ID: id})
		}
		if c.client(s.name) == nil && len(lists[i]) == 0 {
			offers = append(offers, Offer{Name: s.name, Title: s.title, Host: Endpoint{BaseURL: s.base}.Address()})
		}
	}
	return offers, models
}
