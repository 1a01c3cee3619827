package pricing

// Cost is what a request cost, or would. The zero value has nothing to say: a server of the user's own
// whose prices nobody named.
type Cost struct {
	Amount Money
	From   CostFrom
	Source string // whose prices it was computed from, for people: see Prices.Source
}

// CostFrom says where a cost comes from.
type CostFrom string

// Where a cost comes from, from the surest on.
const (
	Charged   CostFrom = "server"   // the server said it
	Priced    CostFrom = "prices"   // the server's token counts at known prices
	Estimated CostFrom = "estimate" // winnow's own token counts at known prices
	Unpriced  CostFrom = "unknown"  // a hosted server of which nobody knows the prices
)

// Known says that the cost has an amount.
func (c Cost) Known() bool { return c.From != "" && c.From != Unpriced }

// String writes the cost for people: "$0.004", "~$0.004" for an estimate, "–" where it is not known and
// "" where there is nothing to say.
func (c Cost) String() string {
	switch {
	case c.From == "":
		return ""
	case c.From == Unpriced:
		return "–"
	case c.From == Estimated:
		return "~" + c.Amount.String()
	}
	return c.Amount.String()
}

// Cost is what a request cost: what the server said, else its token counts at these prices. Counted is what
// winnow counts; it is taken for the tokens that the server did not report, and makes the cost an estimate.
// Where the prices are not known the cost is Unpriced.
func (p Prices) Cost(reported, counted Usage) Cost {
	if reported.Cost >= 0 {
		return Cost{Amount: reported.Cost, From: Charged}
	}
	if !p.Known() {
		return Cost{From: Unpriced}
	}
	from := Priced
	if reported.Prompt < 0 {
		reported.Prompt, from = max(0, counted.Prompt), Estimated
	}
	if reported.Answer < 0 {
		reported.Answer, from = max(0, counted.Answer), Estimated
	}
	if p.free() {
		from = Priced // Whatever the tokens are.
	}
	return Cost{p.of(reported), from, p.Source}
}
