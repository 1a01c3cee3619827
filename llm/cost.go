package llm

import (
	"cmp"
	"time"

	"winnow/llm/pricing"
)

// Prices returns the token prices of a model: as configured, else from the server's last list of models, else the list
// prices of the model's maker if the endpoint is at the maker's address. It makes no request: the list is read together
// with the window.
func (c *Client) Prices(model string) pricing.Prices {
	e := c.endpoint
	set := e.modelConfig(model, func(s ModelConfig) bool { return s.Prices.Known() })
	c.mu.Lock()
	listed := c.prices[plainModel(model)]
	c.mu.Unlock()
	byMaker := pricing.ListPrices(e.BaseURL, plainModel(model), time.Now())
	return cmp.Or(e.Prices[model], set.Prices, e.Prices[pricing.AnyModel], listed, byMaker)
}

// Prices returns the token prices of a model at an endpoint, unknown ones if there is no such endpoint.
func (c *Catalog) Prices(endpoint, model string) (prices pricing.Prices) {
	if client, name, err := c.Resolve(endpoint + "/" + model); err == nil {
		prices = client.Prices(name)
	}
	return prices
}

// Cost computes the cost of a request to a model from the usage that the server reported, the known prices and winnow's
// own counts. If no price is known, a hosted server's cost is Unpriced, and a self-hosted server's is zero.
func (c *Client) Cost(model string, reported, counted pricing.Usage) pricing.Cost {
	cost := c.Prices(model).Cost(reported, counted)
	if cost.From == pricing.Unpriced && c.endpoint.IsSelfHosted() {
		return pricing.Cost{}
	}
	return cost
}

// withCached includes the cached tokens in the prompt's. If a server reports more cached tokens than prompt tokens
// twice in a row, it counts them separately. A single such report proves nothing, and reports without cached tokens are
// ignored.
func (c *Client) withCached(model string, u pricing.Usage) pricing.Usage {
	if u.Prompt <= 0 || u.Cached <= 0 {
		return u
	}
	more := u.Cached > u.Prompt
	c.mu.Lock()
	again := more && c.cachedMore
	c.cachedMore = more
	c.mu.Unlock()
	if again {
		c.Learn(model, Learned{CachedApart: true})
	}
	if c.AllLearned(model).CachedApart {
		u.Prompt += u.Cached
	}
	return u
}
