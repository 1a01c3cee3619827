// Package pricing is about what requests cost: amounts of money, the prices of tokens, the usage that a
// server reports and the cost that follows. It does not ask a server for prices.
package pricing

import (
	"fmt"
	"math"
	"strings"
)

// Money is an amount of US dollars in nanodollars. A price for a million tokens is exact in it down
// to a millionth of a nanodollar a token.
type Money int64

// Dollar is one US dollar.
const Dollar Money = 1_000_000_000

// maxDollars is the most that are taken for an amount.
const maxDollars = 1_000_000

// Dollars is an amount that is written as a number of dollars. It is false for what no server and no
// person means as an amount: a negative number, none at all, more than a million of them. What is more than
// nothing stays more than nothing.
func Dollars(n float64) (Money, bool) {
	if !(n >= 0 && n <= maxDollars) {
		return 0, false
	}
	m := Money(math.Round(n * float64(Dollar)))
	if m == 0 && n > 0 {
		m = 1
	}
	return m, true
}

// String writes the amount for people: to the cent, or with two digits that count where that says
// more, as in $12.30, $0.012 and $0.0041. Nothing is $0, and an amount that nobody said is –.
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
	m = (m + step/2) / step * step
	places := m.places()
	return fmt.Sprintf("$%d.%s%s", m/Dollar, places, strings.Repeat("0", max(0, 2-len(places))))
}

// Decimal writes the amount in dollars exactly, for programs: 0.004123.
func (m Money) Decimal() string {
	return strings.TrimSuffix(fmt.Sprintf("%d.%s", m/Dollar, m.places()), ".")
}

// places are the decimal places of the amount in dollars, without the noughts at their end.
func (m Money) places() string {
	return strings.TrimRight(fmt.Sprintf("%09d", m%Dollar), "0")
}
