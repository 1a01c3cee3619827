package llm

import (
	"cmp"
	"time"

	"winnow/llm/pricing"
)

// Prices are what the tokens of a model cost: as configured, else as the server's list of models said
// when it was read last, else the list prices of the model's maker, at the maker's own address. The server
// is not asked: its list is read when it is asked for its window.
func (c *Client) Prices(model string) pricing.Prices {
	e := c.endpoint
	set := e.configured(model, func(s ModelSettings) bool { return s.Prices.Known() })
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
