package pricing

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMoneyIsWrittenForPeopleAndPrograms(t *testing.T) {
	for _, test := range []struct {
		dollars       float64
		want, decimal string
	}{
		{0, "$0", "0"},
		{0.00425, "$0.0043", "0.00425"},
		{0.00996, "$0.01", "0.00996"},
		{0.012, "$0.012", "0.012"},
		{0.0996, "$0.10", "0.0996"},
		{0.999, "$1.00", "0.999"},
		{12.3, "$12.30", "12.3"},
		{2000, "$2000.00", "2000"},
		{1e-15, "$0.000000001", "0.000000001"}, // a positive amount is never 0
	} {
		m, ok := Dollars(test.dollars)
		if !ok || m.String() != test.want || m.Decimal() != test.decimal {
			t.Errorf("%v dollars are %v, %s and %s; want %s and %s", test.dollars, ok, m, m.Decimal(), test.want, test.decimal)
		}
	}
	for _, n := range []float64{-1e-12, 1_000_001, math.NaN(), math.Inf(1)} {
		if m, ok := Dollars(n); ok {
			t.Errorf("%v dollars are taken as %s", n, m)
		}
	}
	if got := NoUsage().Cost.String(); got != "–" {
		t.Errorf("a cost that was not said is written %s", got)
	}
}

// The formatted amount has at least two decimal places and is off by at most half a cent, or half of its second
// significant digit if that is less.
func TestMoneyIsRoundedHonestly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Money(rapid.Int64Range(1, int64(maxDollars*Dollar)).Draw(t, "nanodollars"))
		_, places, _ := strings.Cut(m.String(), ".")
		shown, err := strconv.ParseFloat(strings.TrimPrefix(m.String(), "$"), 64)
		amount := float64(m) / float64(Dollar)
		if off := math.Abs(shown - amount); err != nil || len(places) < 2 || off > 0.005000001 || off > amount/19.9 {
			t.Fatalf("%d nanodollars are written %s", m, m)
		}
		back, err := strconv.ParseInt(strings.TrimLeft(strings.ReplaceAll(padded(m.Decimal()), ".", ""), "0"), 10, 64)
		if err != nil || Money(back) != m {
			t.Fatalf("%d nanodollars are %s as a decimal", m, m.Decimal())
		}
	})
}

// padded is a decimal with all nine places.
func padded(decimal string) string {
	whole, places, _ := strings.Cut(decimal, ".")
	return whole + "." + (places + "000000000")[:9]
}
