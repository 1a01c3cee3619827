package pricing

import "math/big"

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

// Million is how many tokens a price is for.
const Million = 1_000_000

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
	add(Million, p.Request)
	if sum.Sign() > 0 && sum.Cmp(big.NewInt(Million)) < 0 {
		return 1
	}
	sum.Add(sum, big.NewInt(Million/2))
	sum.Quo(sum, big.NewInt(Million))
	if !sum.IsInt64() || sum.Int64() > int64(maxDollars*Dollar) {
		return maxDollars * Dollar // No answer costs as much: the server's counts cannot be true.
	}
	return Money(sum.Int64())
}

// AnyModel stands in an endpoint's prices for every model that is not named there.
const AnyModel = "*"
