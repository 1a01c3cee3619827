package config

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"winnow/llm"
	"winnow/llm/keys"
	"winnow/llm/pricing"
	"winnow/session/limits"
)

// ResolveEndpoints returns the endpoints: those with a base_url in the configuration, those for which the environment
// has a key, and the hosted services in keyed, whose keys are stored. A table without a base_url adds settings to one
// of the latter, or enables a hosted service by naming its key. Keys that must be fetched are missing; KeyOrigin says
// where they are.
func (c Config) ResolveEndpoints(lookup func(string) string, keyed ...string) []llm.Endpoint {
	keyed = slices.Clone(keyed)
	for name, e := range c.Endpoints {
		if e.BaseURL == "" && len(e.keySources()) > 0 {
			keyed = append(keyed, name)
		}
	}
	opened := llm.EndpointsFromEnv(lookup, keyed...)
	var all []llm.Endpoint
	for _, name := range slices.Sorted(maps.Keys(c.Endpoints)) {
		e := c.Endpoints[name].endpoint(name, lookup)
		if e.BaseURL != "" {
			all = append(all, e)
			continue
		}
		for i, o := range opened {
			if strings.EqualFold(o.Name, e.Name) {
				opened[i] = withMore(o, e)
			}
		}
	}
	return append(all, opened...)
}

// withMore returns an endpoint with the settings of a table.
func withMore(e, table llm.Endpoint) llm.Endpoint {
	more := table
	more.Name, more.BaseURL, more.BaseURLSet, more.Learned = e.Name, e.BaseURL, e.BaseURLSet, e.Learned
	more.Profile = e.Profile
	if table.KeyOrigin.Kind == keys.Nowhere {
		more.Key, more.KeyOrigin, more.StoredKey = e.Key, e.KeyOrigin, e.StoredKey
	}
	more.DefaultModel = cmp.Or(table.DefaultModel, e.DefaultModel)
	return more
}

// endpoint returns the endpoint of a table.
func (e Endpoint) endpoint(name string, lookup func(string) string) llm.Endpoint {
	key, from := e.key(lookup)
	return llm.Endpoint{
		Name: name, BaseURL: e.BaseURL, BaseURLSet: true, Key: key, KeyOrigin: from, Headers: e.Headers,
		DefaultModel: e.Model, Wire: llm.Wire(e.Wire), Window: e.Window, KeepAlive: e.KeepAlive, CountsTokens: e.Exact,
		FirstByteTimeout: time.Duration(e.FirstByteTimeout) * time.Second,
	}
}

// key returns the key of a table, unless it must be fetched, and where it comes from.
func (e Endpoint) key(lookup func(string) string) (keys.Secret, keys.Origin) {
	switch {
	case e.Key != "":
		return keys.Secret(e.Key), keys.Origin{Kind: keys.Config}
	case e.KeyEnv != "":
		return keys.Secret(lookup(e.KeyEnv)), keys.Origin{Kind: keys.Variable, Name: e.KeyEnv}
	case len(e.KeyCommand) > 0:
		return "", keys.Origin{Kind: keys.Command, Name: e.KeyCommand[0]}
	}
	return "", keys.Origin{}
}

// prices converts the prices of a valid table.
func (p ModelPrice) prices() pricing.Prices {
	in, _ := pricing.Dollars(*p.In)
	out, _ := pricing.Dollars(*p.Out)
	rates := pricing.UncachedRates(in, out)
	if p.Cached != nil {
		rates.Cached, _ = pricing.Dollars(*p.Cached)
	}
	return pricing.Prices{Rates: rates, Source: "the configuration"}
}

// SpendLimits converts valid limits for package session.
func (l Limits) SpendLimits() limits.Limits {
	amount := func(tokens int, dollars float64) limits.Amount {
		cost, _ := pricing.Dollars(dollars)
		return limits.Amount{Tokens: tokens, Cost: cost}
	}
	return limits.Limits{
		Request: amount(l.RequestTokens, l.RequestCost), Session: amount(l.SessionTokens, l.SessionCost),
		Day: amount(l.DayTokens, l.DayCost), Month: amount(l.MonthTokens, l.MonthCost),
		AskUnknownPrice: l.UnknownPrice == "ask",
	}
}
