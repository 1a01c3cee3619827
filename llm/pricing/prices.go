package pricing

// Usage is what a server reports about a request, in its own tokens. -1 means not reported.
type Usage struct {
	Prompt     int
	Cached     int // part of Prompt: read from the server's cache
	CacheWrite int // part of Prompt: written to the server's cache, for which some servers charge more
	Answer     int
	Reasoning  int   // part of Answer
	Cost       Money // the total charge
}

// NoUsage returns a usage without any report.
func NoUsage() Usage {
	return Usage{
		Prompt: -1, Cached: -1, CacheWrite: -1, Answer: -1, Reasoning: -1, Cost: -1,
	}
}

// Million is the number of tokens that prices refer to.
const Million = 1_000_000

// Rates are prices per million tokens.
type Rates struct {
	In         Money // of the prompt
	Cached     Money // of the prompt, read from the server's cache
	CacheWrite Money // of the prompt, written to the server's cache
	Out        Money // of the answer, including reasoning
}

// UncachedRates returns rates that do not depend on the server's cache.
func UncachedRates(in, out Money) Rates { return Rates{In: in, Cached: in, CacheWrite: in, Out: out} }

// Prices are the prices of a model. The zero value means unknown.
type Prices struct {
	Rates
	Above   int    // if Prompt exceeds it, the Long rates apply to the whole request; 0 for no limit
	Long    Rates  // for prompts of more than Above tokens
	Request Money  // in addition, per request
	Source  string // where the prices come from, to be shown; "" if unknown
}

// AnyModel is the key of an endpoint's prices for models without prices of their own.
const AnyModel = "*"

// Known reports whether the prices are known. They may be zero.
func (p Prices) Known() bool { return p.Source != "" }

// CostFrom is how a cost was determined.
type CostFrom string

// The ways to determine a cost, the most reliable first.
const (
	Charged   CostFrom = "server"   // reported by the server
	Priced    CostFrom = "prices"   // the server's token counts at known prices
	Estimated CostFrom = "estimate" // winnow's own token counts at known prices
	Unpriced  CostFrom = "unknown"  // a hosted server with unknown prices
)

// Cost is the actual or expected cost of a request. The zero value is shown as nothing: a self-hosted server without
// configured prices.
type Cost struct {
	Amount Money
	From   CostFrom
	Source string // where the prices come from: see Prices.Source
}

// Known reports whether the cost has an amount.
func (c Cost) Known() bool { return c.From != "" && c.From != Unpriced }

// String formats the cost for people: "$0.004", "~$0.004" for an estimate, "–" if it is unknown, and "" for the zero
// value.
func (c Cost) String() string {
	switch c.From {
	case "":
		return ""
	case Unpriced:
		return "–"
	case Estimated:
		return "~" + c.Amount.String()
	}
	return c.Amount.String()
}

// Cost computes the cost of a request: what the server reported, else its token counts at these prices. Token counts
// that the server did not report are taken from counted, winnow's own; the cost is then an estimate, unless everything
// is free. If the prices are unknown, the cost is Unpriced.
func (p Prices) Cost(reported, counted Usage) Cost {
	if reported.Cost >= 0 {
		return Cost{Amount: reported.Cost, From: Charged}
	}
	if !p.Known() {
		return Cost{From: Unpriced}
	}
	from := Priced
	if free := p == (Prices{Source: p.Source}); !free && min(reported.Prompt, reported.Answer) < 0 {
		from = Estimated
	}
	if reported.Prompt < 0 {
		reported.Prompt = max(0, counted.Prompt)
	}
	if reported.Answer < 0 {
		reported.Answer = max(0, counted.Answer)
	}
	return Cost{p.costOf(reported), from, p.Source}
}

// CostOfMiss returns how much less a request would have cost if the server had read this many more tokens from its
// cache, 0 if the prices are unknown.
func (p Prices) CostOfMiss(u Usage, tokens int) Money {
	hit := u
	hit.Cached += tokens
	hit.CacheWrite = max(0, u.CacheWrite-tokens)
	u.Cost, hit.Cost = -1, -1
	return p.Cost(u, u).Amount - p.Cost(hit, hit).Amount
}

// costOf multiplies usage by prices, rounded once to the nanodollar. Unreported cached tokens count as 0. The sum is a
// float64 because its terms can exceed an int64; its error is less than half a nanodollar for amounts below maxDollars.
func (p Prices) costOf(u Usage) Money {
	rates := p.Rates
	if p.Above > 0 && u.Prompt > p.Above {
		rates = p.Long
	}
	cached := min(max(0, u.Cached), u.Prompt)
	written := min(max(0, u.CacheWrite), u.Prompt-cached)
	sum := float64(p.Request) * Million
	sum += float64(u.Prompt-cached-written) * float64(rates.In)
	sum += float64(cached) * float64(rates.Cached)
	sum += float64(written) * float64(rates.CacheWrite)
	sum += float64(u.Answer) * float64(rates.Out)
	return rounded(sum / Million)
}
