package llm

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"winnow/llm/pricing"
)

// Prices are what the tokens of a model cost: as configured, else as the server's list of models said
// when it was read last, else the list prices of the model's maker, at the maker's own address. The server
// is not asked: its list is read when it is asked for its window.
func (c *Client) Prices(model string) pricing.Prices {
	e := c.endpoint
	set, _ := e.configured(model, func(s ModelSettings) bool { return s.Prices.Known() })
	c.mu.Lock()
	listed := c.prices[plainModel(model)]
	c.mu.Unlock()
	byMaker := pricing.Listed(e.BaseURL, plainModel(model), time.Now())
	return cmp.Or(e.Prices[model], set.Prices, e.Prices[pricing.AnyModel], listed, byMaker)
}

// Cost is what a request to a model cost, by what the server reported, the prices that are known and what
// winnow counts. Where nobody knows a price, it is Unpriced for a hosted server and says nothing for a
// server of the user's own.
func (c *Client) Cost(model string, reported, counted pricing.Usage) pricing.Cost {
	cost := c.Prices(model).Cost(reported, counted)
	if cost.From == pricing.Unpriced && c.endpoint.Own() {
		return pricing.Cost{}
	}
	return cost
}

// prices are what the entry says of the model's prices.
func (l listed) prices() pricing.Prices {
	in, known := dollars(l.Pricing.Prompt, pricing.Million)
	out, both := dollars(l.Pricing.Completion, pricing.Million)
	if !known || !both {
		return pricing.Prices{}
	}
	p := pricing.Prices{Rates: pricing.PlainRates(in, out), Source: "the server's list of models"}
	if cached, ok := dollars(l.Pricing.CacheRead, pricing.Million); ok {
		p.Cached = cached
	}
	if write, ok := dollars(l.Pricing.CacheWrite, pricing.Million); ok {
		p.CacheWrite = write
	}
	p.Request, _ = dollars(l.Pricing.Request, 1)
	return p
}

// dollars is the price of so many things, where a text has that of one. OpenRouter's -1, for a model that is
// chosen anew each time, is none.
func dollars(one string, things float64) (pricing.Money, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(one), 64)
	price, ok := pricing.Dollars(n * things)
	return price, ok && err == nil
}
