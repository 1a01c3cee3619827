package pricing

// Usage is what the server says the request took, in its own tokens. -1 is "not said".
type Usage struct {
	Prompt     int
	Cached     int // of Prompt, read from the server's cache
	CacheWrite int // of Prompt, written to the server's cache: some servers charge more for it
	Answer     int
	Reasoning  int   // of Answer
	Cost       Money // what is charged for all of it
}

// NoUsage is the usage of a server that says nothing.
func NoUsage() Usage {
	return Usage{Prompt: -1, Cached: -1, CacheWrite: -1, Answer: -1, Reasoning: -1, Cost: -1}
}

// Million is how many tokens a price is for.
const Million = 1_000_000

// Rates are what a million tokens of each kind cost.
type Rates struct {
	In         Money // of the request
	Cached     Money // of the request, read from the server's cache
	CacheWrite Money // of the request, written to the server's cache
	Out        Money // of the answer, the reasoning included
}

// PlainRates are rates where the cache of a server changes nothing.
func UncachedRates(in, out Money) Rates { return Rates{In: in, Cached: in, CacheWrite: in, Out: out} }

// Prices are what a model's tokens cost. The zero value is not known.
type Prices struct {
	Rates
	Above   int    // a request of more tokens costs the rates of Long, all of it; 0 is none
	Long    Rates  // of requests of more tokens than Above
	Request Money  // for each request, on top
	Source  string // where the prices are from, for people; "" where they are not known
}

// AnyModel stands in an endpoint's prices for every model that is not named there.
const AnyModel = "*"

// Known says that the prices are known. They may be nothing.
func (p Prices) Known() bool { return p.Source != "" }

// CostFrom says where a cost comes from.
type CostFrom string

// Where a cost comes from, from the surest on.
const (
	Charged   CostFrom = "server"   // the server said it
	Priced    CostFrom = "prices"   // the server's token counts at known prices
	Estimated CostFrom = "estimate" // winnow's own token counts at known prices
	Unpriced  CostFrom = "unknown"  // a hosted server of which nobody knows the prices
)

// Cost is what a request cost, or would. The zero value has nothing to say: a server of the user's own
// whose prices nobody named.
type Cost struct {
	Amount Money
	From   CostFrom
	Source string // whose prices it was computed from, for people: see Prices.Source
}

// Known says that the cost has an amount.
func (c Cost) Known() bool { return c.From != "" && c.From != Unpriced }

// String writes the cost for people: "$0.004", "~$0.004" for an estimate, "–" where it is not known and
// "" where there is nothing to say.
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

// Cost is what a request cost: what the server said, else its token counts at these prices. Counted is what
// winnow counts; it is taken for the tokens that the server did not report, and makes the cost an estimate,
// unless all is free. Where the prices are not known the cost is Unpriced.
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

// of is what a request with this usage costs, rounded once, to the nanodollar. What is not reported of Cached and
// CacheWrite is taken for none. The sum is a float64: its terms can exceed an int64, and it is off by less than half a
// nanodollar for every amount below maxDollars.
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
