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

// Catalog lists the endpoints: those of the configuration, those that the environment opens, and the hosted services in
// keyed, whose keys are stored. A table without an address says more of one of the latter two, or opens a hosted
// service by saying where its key is. Keys that have to be fetched are not there yet: KeyFrom says where they are.
func (c Config) Catalog(lookup func(string) string, keyed ...string) []llm.Endpoint {
	keyed = slices.Clone(keyed)
	for name, e := range c.Endpoints {
		if e.BaseURL == "" && len(e.keySources()) > 0 {
			keyed = append(keyed, name)
		}
	}
	opened := llm.FromEnv(lookup, keyed...)
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

// withMore is an endpoint with what a table says of it.
func withMore(e, table llm.Endpoint) llm.Endpoint {
	more := table
	more.Name, more.BaseURL, more.BaseURLSet, more.Known = e.Name, e.BaseURL, e.BaseURLSet, e.Known
	more.Profile = e.Profile
	if table.KeyFrom.Kind == keys.Nowhere {
		more.Key, more.KeyFrom, more.Stored = e.Key, e.KeyFrom, e.Stored
	}
	more.Default = cmp.Or(table.Default, e.Default)
	return more
}

// endpoint is the endpoint of a table.
func (e Endpoint) endpoint(name string, lookup func(string) string) llm.Endpoint {
	key, from := e.key(lookup)
	return llm.Endpoint{
		Name: name, BaseURL: e.BaseURL, BaseURLSet: true, Key: key, KeyFrom: from, Headers: e.Headers, Default: e.Model,
		Wire: llm.Wire(e.Wire), Window: e.Window, KeepAlive: e.KeepAlive, Exact: e.Exact,
		Begin: time.Duration(e.FirstByteTimeout) * time.Second,
	}
}

// key is the key that the table gives, as far as it needs not be fetched, and where it is.
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

// prices are those of a table that was checked.
func (p Price) prices() pricing.Prices {
	in, _ := pricing.Dollars(*p.In)
	out, _ := pricing.Dollars(*p.Out)
	rates := pricing.PlainRates(in, out)
	if p.Cached != nil {
		rates.Cached, _ = pricing.Dollars(*p.Cached)
	}
	return pricing.Prices{Rates: rates, Source: "the configuration"}
}

// Amounts are the limits, which were checked.
func (l Limits) Amounts() limits.Limits {
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
