package record

import (
	"strings"

	"github.com/dustin/go-humanize/english"

	"winnow/llm/pricing"
	"winnow/session/store"
)

// CostOf is what a recorded request cost.
func CostOf(r store.Request) pricing.Cost {
	return pricing.Cost{Amount: pricing.Money(r.Cost), From: pricing.CostFrom(r.CostFrom), Source: r.PriceSource}
}

// Spent is what several requests cost together.
type CostSum struct {
	Amount    pricing.Money
	Estimated bool // a part of it is an estimate
	Priced    int  // requests of which the cost is known
	Unpriced  int  // requests to hosted servers of which it is not
	Requests  int  // all of them
}

// Add adds the cost of so many requests to the sum.
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

// String writes the sum for people: "$1.20", "~$1.20" where a part of it is an estimate and "–" where no
// cost is known.
func (s CostSum) String() string {
	switch {
	case s.Priced == 0:
		return "–"
	case s.Estimated:
		return "~" + s.Amount.String()
	}
	return s.Amount.String()
}

// Sentence writes the sum with what is missing in it: "$1.20 + 3 requests of unknown price". It is "" where there
// is nothing to say: all requests went to servers of the user's own, or came to nothing.
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
