package config

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/keys"
	"winnow/llm/pricing"
)

// Catalog lists the endpoints: those of the configuration, those that the environment opens, and the hosted
// services in keyed, whose keys are stored. A table without an address says more of one of the latter two, or
// opens a hosted service by saying where its key is. Keys that have to be fetched are not there yet: KeyFrom says
// where they are.
func (c Config) Catalog(lookup func(string) string, keyed ...string) []llm.Endpoint {
	keyed = slices.Clone(keyed)
	for name, e := range c.Endpoints {
		if e.BaseURL == "" && len(keySources(e)) > 0 {
			keyed = append(keyed, name)
		}
	}
	opened := llm.FromEnv(lookup, keyed...)
	var all []llm.Endpoint
	for _, e := range c.configured(lookup) {
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
	e.Wire, e.Models, e.KeepAlive = table.Wire, table.Models, table.KeepAlive
	e.Headers, e.Window, e.Exact, e.Prices, e.Begin = table.Headers, table.Window, table.Exact, table.Prices,
		table.Begin
	if table.KeyFrom.Kind != keys.Nowhere {
		e.Key, e.KeyFrom = table.Key, table.KeyFrom
	}
	if table.Default != "" {
		e.Default, e.Dated = table.Default, false
	}
	e.Profile = cmp.Or(table.Profile, e.Profile)
	return e
}

// configured turns the [endpoints] tables into endpoints, by name.
func (c Config) configured(lookup func(string) string) []llm.Endpoint {
	var out []llm.Endpoint
	for _, name := range slices.Sorted(maps.Keys(c.Endpoints)) {
		e := c.Endpoints[name]
		made := llm.Endpoint{
			Name:       name,
			BaseURL:    e.BaseURL,
			Headers:    e.Headers,
			Wire:       llm.Wire(e.Wire),
			Models:     settingsOf(name, e.Models),
			Window:     e.Window,
			KeepAlive:  e.KeepAlive,
			Exact:      e.Exact,
			Default:    e.Model,
			Begin:      time.Duration(e.FirstByteTimeout) * time.Second,
			BaseURLSet: true,
			Prices:     configuredPrices(e),
			Profile: history.Profile{
				MergeSameRole: e.Profile.MergeSameRole,
				NoToolToUser:  e.Profile.NoToolToUser,
				ToolIDLength:  e.Profile.ToolIDLength,
			},
		}
		made.Key, made.KeyFrom = c.key(name, lookup)
		out = append(out, made)
	}
	return out
}

// key is the key that the table of an endpoint gives, as far as it needs not be fetched, and where it is.
func (c Config) key(name string, lookup func(string) string) (keys.Secret, keys.Origin) {
	switch e := c.Endpoints[name]; {
	case e.Key != "" && c.keyVariables[name] != "":
		return keys.Secret(e.Key), keys.Origin{Kind: keys.Variable, Name: c.keyVariables[name]}
	case e.Key != "":
		return keys.Secret(e.Key), keys.Origin{Kind: keys.Config}
	case e.KeyEnv != "":
		return keys.Secret(lookup(e.KeyEnv)), keys.Origin{Kind: keys.Variable, Name: e.KeyEnv}
	case len(e.KeyCommand) > 0:
		return "", keys.Origin{Kind: keys.Command, Name: e.KeyCommand[0]}
	case e.KeyKeyring:
		return "", keys.Origin{Kind: keys.Keyring}
	case e.KeyFile != "":
		return "", keys.Origin{Kind: keys.File, Name: e.KeyFile}
	}
	return "", keys.Origin{}
}

// configuredPrices are the prices that an endpoint's tables give its models. The tables were checked.
func configuredPrices(e Endpoint) map[string]pricing.Prices {
	prices := make(map[string]pricing.Prices, len(e.Prices))
	for model, t := range e.Prices {
		prices[model] = t.prices()
	}
	for model, m := range e.Models {
		if m.Prices != nil {
			prices[model] = m.Prices.prices()
		}
	}
	return prices
}

func (p Price) prices() pricing.Prices {
	in, _ := pricing.Dollars(*p.In)
	out, _ := pricing.Dollars(*p.Out)
	rates := pricing.PlainRates(in, out)
	if p.Cached != nil {
		rates.Cached, _ = pricing.Dollars(*p.Cached)
	}
	if p.CacheWrite != nil {
		rates.CacheWrite, _ = pricing.Dollars(*p.CacheWrite)
	}
	return pricing.Prices{Rates: rates, Source: "the configuration"}
}
