// Package pricing is about what requests cost: amounts of money, the prices of tokens, the usage that a
// server reports and the cost that follows. It does not ask a server for prices.
package pricing

import (
	"fmt"
	"math"
	"strings"
)

// Money is an amount of US dollars in nanodollars. An integer adds up exactly over any number of requests, and
// is fine enough for a price of a cent for a million tokens: 10 nanodollars a token.
type Money int64

// Dollar is one US dollar.
const Dollar Money = 1_000_000_000

// maxDollars is the most that is taken for an amount. No answer costs as much.
const maxDollars = 1_000_000

// Dollars is an amount that is written as a number of dollars. It is false for what no server and no person means as an
// amount: a negative number, NaN, more than a million. An amount above 0 never becomes 0.
func Dollars(n float64) (Money, bool) {
	if !(n >= 0 && n <= maxDollars) { // NaN is neither.
		return 0, false
	}
	return rounded(n * float64(Dollar)), true
}

// rounded is an amount in nanodollars, which is not negative, as Money. An amount above 0 never becomes 0.
func rounded(nano float64) Money {
	if nano > 0 {
		nano = max(1, nano)
	}
	return Money(math.Round(min(nano, maxDollars*float64(Dollar))))
}

// String writes the amount for people: to the cent, or with two significant digits below ten cents, as in $12.30,
// $0.012 and $0.0041. Zero is $0, and an amount that is not known, which is negative, is –.
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

// Decimal writes the amount in dollars exactly, for programs: 0.004123.
func (m Money) Decimal() string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%d.%09d", m/Dollar, m%Dollar), "0"), ".")
}
