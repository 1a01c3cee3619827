package llm

import (
	"context"
	"strconv"
	"strings"
	"time"

	"winnow/llm/pricing"
)

// Prices are what the tokens of a model cost: as configured, else as the server's list of models said
// when it was read last, else the list prices of the model's maker, at the maker's own address. The server
// is not asked.
func (c *Client) Prices(model string) pricing.Prices {
	if p, ok := c.endpoint.Prices[model]; ok {
		return p
	}
	if s, ok := c.endpoint.configured(model, func(s ModelSettings) bool { return s.Prices.Known() }); ok {
		return s.Prices
	}
	if p, ok := c.endpoint.Prices[pricing.AnyModel]; ok {
		return p
	}
	c.mu.Lock()
	p, ok := c.prices[plainModel(model)]
	c.mu.Unlock()
	if ok {
		return p
	}
	return pricing.Listed(c.endpoint.BaseURL, plainModel(model), time.Now())
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

// FindPrices reads the server's list of models, where nothing else says what the model costs and the
// list was not read yet: a maker whose list prices are known needs no request. It does so once: a server that
// does not answer is not waited for again. A server of the user's own is not asked. The error is the list's.
func (c *Client) FindPrices(ctx context.Context, model string) error {
	if c.endpoint.Own() || c.Prices(model).Known() {
		return nil
	}
	c.mu.Lock()
	known := c.prices != nil || c.sought
	c.sought = true
	c.mu.Unlock()
	if known {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, windowTime)
	defer cancel()
	_, err := c.list(ctx)
	return err
}

// keepPrices keeps what a list of models says of their prices.
func (c *Client) keepPrices(entries []listed) {
	prices := make(map[string]pricing.Prices)
	for _, l := range entries {
		if p := l.prices(); p.Known() {
			prices[plainModel(l.name())] = p
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prices = prices
}

// prices are what the entry says of the model's prices. Only texts are read, as OpenRouter writes
// them: they are dollars for a token. Other servers write numbers, each in its own measure.
func (l listed) prices() pricing.Prices {
	rates := object(l.Pricing)
	in, ok := perToken(rates["prompt"])
	out, also := perToken(rates["completion"])
	if !ok || !also {
		return pricing.Prices{}
	}
	p := pricing.Prices{Rates: pricing.PlainRates(in, out), Source: "the server's list of models"}
	if cached, ok := perToken(rates["input_cache_read"]); ok {
		p.Cached = cached
	}
	if write, ok := perToken(rates["input_cache_write"]); ok {
		p.CacheWrite, p.CacheWriteHour = write, write
	}
	if each, err := parsed(rates["request"]); err == nil {
		p.Request, _ = pricing.Dollars(each)
	}
	return p
}

// perToken reads a price for a token as one for a million. OpenRouter's -1, for a model that is chosen
// anew each time, is none.
func perToken(v any) (pricing.Money, bool) {
	n, err := parsed(v)
	if err != nil {
		return 0, false
	}
	return pricing.Dollars(n * pricing.Million)
}

func parsed(v any) (float64, error) {
	text, _ := v.(string)
	return strconv.ParseFloat(strings.TrimSpace(text), 64)
}
