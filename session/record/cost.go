package record

import (
	"strings"

	"github.com/dustin/go-humanize/english"

	"winnow/llm/pricing"
	"winnow/session/store"
)

// CostOf returns the cost of a recorded request.
func CostOf(r store.Request) pricing.Cost {
	return pricing.Cost{Amount: pricing.Money(r.Cost), From: pricing.CostFrom(r.CostFrom), Source: r.PriceSource}
}

// CostSum is the cost of several requests.
type CostSum struct {
	Amount    pricing.Money
	Estimated bool // some of the costs are estimates
	Priced    int  // number of requests with a known cost
	Unpriced  int  // number of requests to hosted servers with an unknown cost
	Requests  int  // number of requests
}

// Add adds the cost c of a number of requests.
func (s *CostSum) Add(requests int, c pricing.Cost) {
	s.Requests += requests
	if c.From == pricing.Unpriced {
		s.Unpriced += requests
	}
	if c.Known() {
		s.Amount += c.Amount
		s.Priced += requests
		s.Estimated = s.Estimated || c.From == pricing.Estimated
	}
}

// String formats the sum: "$1.20", "~$1.20" if some of it is estimated, or "–" if no cost is known.
func (s CostSum) String() string {
	switch {
	case s.Priced == 0:
		return "–"
	case s.Estimated:
		return "~" + s.Amount.String()
	}
	return s.Amount.String()
}

// Sentence formats the sum and what it lacks: "$1.20 + 3 requests of unknown price". It is "" if there is nothing to
// say, because all requests went to the user's own servers or were not charged.
func (s CostSum) Sentence() string {
	var parts []string
	if s.Priced > 0 {
		parts = append(parts, s.String())
	}
	if s.Unpriced > 0 {
		parts = append(parts, english.Plural(s.Unpriced, "request", "")+" of unknown price")
	}
	return strings.Join(parts, " + ")
}
