package llm

import (
	"context"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// Prices are what a model's tokens cost. The zero value is not known.
type Prices struct {
	In      Money  // for a million tokens of the request
	Cached  Money  // for a million of them that the server had in its cache
	Out     Money  // for a million tokens of the answer, the reasoning included
	Request Money  // for each request, on top
	Source  string // who says so, for people; "" where nobody does
}

// Known says that the prices are known. They may be nothing.
func (p Prices) Known() bool { return p.Source != "" }

// free says that the prices are known to be nothing.
func (p Prices) free() bool { return p.Known() && p == Prices{Source: p.Source} }

// million is how many tokens a price is for.
const million = 1_000_000

// of is what so many tokens cost, rounded once, to the nanodollar, and never to nothing. Cached is
// a part of prompt.
func (p Prices) of(prompt, cached, answer int) Money {
	cached = min(max(0, cached), prompt)
	sum := new(big.Int)
	add := func(tokens int, price Money) {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(int64(tokens)), big.NewInt(int64(price))))
	}
	add(prompt-cached, p.In)
	add(cached, p.Cached)
	add(answer, p.Out)
	add(million, p.Request)
	if sum.Sign() > 0 && sum.Cmp(big.NewInt(million)) < 0 {
		return 1
	}
	sum.Add(sum, big.NewInt(million/2))
	sum.Quo(sum, big.NewInt(million))
	if !sum.IsInt64() || sum.Int64() > int64(mostDollars*Dollar) {
		return mostDollars * Dollar // No answer costs as much: the server's counts cannot be true.
	}
	return Money(sum.Int64())
}

// AnyModel stands in an endpoint's prices for every model that is not named there.
const AnyModel = "*"

// Prices are what the tokens of a model cost: as configured, else as the server's list of models said
// when it was read last. The server is not asked.
func (c *Client) Prices(model string) Prices {
	for _, name := range []string{model, AnyModel} {
		if p, ok := c.endpoint.Prices[name]; ok {
			return p
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.prices[plainModel(model)]
}

// FindPrices reads the server's list of models, where nothing else says what the model costs and the
// list was not read yet. It does so once: a server that does not answer is not waited for again. A server
// of the user's own is not asked. The error is the list's.
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
	prices := make(map[string]Prices)
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
func (l listed) prices() Prices {
	pricing := members(l.Pricing)
	in, ok := perToken(pricing["prompt"])
	out, also := perToken(pricing["completion"])
	if !ok || !also {
		return Prices{}
	}
	p := Prices{In: in, Cached: in, Out: out, Source: "the server's list of models"}
	if cached, ok := perToken(pricing["input_cache_read"]); ok {
		p.Cached = cached
	}
	if each, err := strconv.ParseFloat(text(pricing["request"]), 64); err == nil {
		p.Request, _ = Dollars(each)
	}
	return p
}

// perToken reads a price for a token as one for a million. OpenRouter's -1, for a model that is chosen
// anew each time, is none.
func perToken(raw json.RawMessage) (Money, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text(raw)), 64)
	if err != nil {
		return 0, false
	}
	return Dollars(n * million)
}
