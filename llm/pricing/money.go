// Package pricing computes what requests cost: amounts of money, prices of tokens, and the usage that servers report.
// It does not ask servers for prices.
package pricing

import (
	"fmt"
	"math"
	"strings"
)

// Money is an amount in nanodollars (10⁻⁹ US dollars). Integers add up exactly over any number of requests, and are
// precise enough for a price of one cent per million tokens: 10 nanodollars per token.
type Money int64

// Dollar is one US dollar.
const Dollar Money = 1_000_000_000

// maxDollars is the largest plausible amount. No answer costs as much.
const maxDollars = 1_000_000

// Dollars converts a number of dollars. It returns false for an implausible amount: a negative number, NaN, or more
// than a million. A positive amount never becomes 0.
func Dollars(n float64) (Money, bool) {
	if !(n >= 0 && n <= maxDollars) { // also for NaN
		return 0, false
	}
	return rounded(n * float64(Dollar)), true
}

// rounded converts a non-negative number of nanodollars. A positive amount never becomes 0.
func rounded(nano float64) Money {
	if nano > 0 {
		nano = max(1, nano)
	}
	return Money(math.Round(min(nano, maxDollars*float64(Dollar))))
}

// String formats the amount for people: to the cent, or with two significant digits below ten cents, as in $12.30,
// $0.012 and $0.0041. Zero is "$0". A negative amount means unknown and is "–".
func (m Money) String() string {
	switch {
	case m < 0:
		return "–"
	case m == 0:
		return "$0"
	}
	step := Dollar / 100
	for step > 1 && m/step < 10 {
		step /= 10
	}
	whole, places, _ := strings.Cut(((m + step/2) / step * step).Decimal(), ".")
	return "$" + whole + "." + places + strings.Repeat("0", max(0, 2-len(places)))
}

// Decimal formats the exact amount in dollars for programs: 0.004123.
func (m Money) Decimal() string {
	return strings.TrimRight(
		strings.TrimRight(fmt.Sprintf("%d.%09d", m/Dollar, m%Dollar), "0"), ".",
	)
}
