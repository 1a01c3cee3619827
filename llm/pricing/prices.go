package pricing

import "math/big"

// Rates are what a million tokens of each kind cost.
type Rates struct {
	In             Money // of the request
	Cached         Money // of the request, read from the server's cache
	CacheWrite     Money // of the request, written to the server's cache
	CacheWriteHour Money // of the request, written to the server's cache for an hour
	Out            Money // of the answer, the reasoning included
}

// PlainRates are rates where the cache of a server changes nothing.
func PlainRates(in, out Money) Rates {
	return Rates{In: in, Cached: in, CacheWrite: in, CacheWriteHour: in, Out: out}
}

// Prices are what a model's tokens cost. The zero value is not known.
type Prices struct {
	Rates
	Above   int    // a request of more tokens costs the rates of Long, all of it; 0 is none
	Long    Rates  // of requests of more tokens than Above
	Request Money  // for each request, on top
	Source  string // where the prices are from, for people; "" where they are not known
}

// Known says that the prices are known. They may be nothing.
func (p Prices) Known() bool { return p.Source != "" }

// free says that the prices are known to be nothing.
func (p Prices) free() bool { return p.Known() && p == Prices{Source: p.Source} }

// Million is how many tokens a price is for.
const Million = 1_000_000

// rates are those of a request of so many tokens.
func (p Prices) rates(prompt int) Rates {
	if p.Above > 0 && prompt > p.Above {
		return p.Long
	}
	return p.Rates
}

// of is what a request with this usage costs, rounded once, to the nanodollar, and never to nothing. What is
// not reported of Cached and CacheWrite is taken for none.
func (p Prices) of(u Usage) Money {
	r := p.rates(u.Prompt)
	cached := min(max(0, u.Cached), u.Prompt)
	written := min(max(0, u.CacheWrite), u.Prompt-cached)
	hour := min(max(0, u.CacheWriteHour), written)
	sum := new(big.Int)
	add := func(tokens int, price Money) {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(int64(tokens)), big.NewInt(int64(price))))
	}
	add(u.Prompt-cached-written, r.In)
	add(cached, r.Cached)
	add(written-hour, r.CacheWrite)
	add(hour, r.CacheWriteHour)
	add(u.Answer, r.Out)
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
