package pricing

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMoneyIsWrittenForPeopleAndPrograms(t *testing.T) {
	tests := []struct {
		dollars       float64
		want, decimal string
	}{
		{0, "$0", "0"},
		{0.004, "$0.004", "0.004"},
		{0.0042, "$0.0042", "0.0042"},
		{0.00425, "$0.0043", "0.00425"},
		{0.00996, "$0.01", "0.00996"},
		{0.01, "$0.01", "0.01"},
		{0.012, "$0.012", "0.012"},
		{0.0996, "$0.10", "0.0996"},
		{0.1, "$0.10", "0.1"},
		{0.999, "$1.00", "0.999"},
		{1.234, "$1.23", "1.234"},
		{12.3, "$12.30", "12.3"},
		{2000, "$2000.00", "2000"},
		{0.00000196, "$0.000002", "0.00000196"},
		{1e-9, "$0.000000001", "0.000000001"},
		{1e-15, "$0.000000001", "0.000000001"}, // more than nothing
		{0.95, "$0.95", "0.95"},
		{0.0232856, "$0.023", "0.0232856"},
	}
	for _, test := range tests {
		m, ok := Dollars(test.dollars)
		if !ok || m.String() != test.want || m.Decimal() != test.decimal {
			t.Errorf("%v dollars are %v, %s and %s; want %s and %s", test.dollars, ok, m, m.Decimal(), test.want, test.decimal)
		}
	}
}

func TestWhatIsNoAmountIsNotTaken(t *testing.T) {
	for _, n := range []float64{-1, -1e-12, 1_000_001, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if m, ok := Dollars(n); ok {
			t.Errorf("%v dollars are taken as %s", n, m)
		}
	}
}

func TestAnUnknownAmountIsNotZero(t *testing.T) {
	if got := NoUsage().Cost.String(); got != "–" {
		t.Errorf("a cost that was not said is written %s", got)
	}
}

// What is written is within half a cent of the amount, or half of its second digit where that is less,
// and shows at least two decimal places.
func TestMoneyIsRoundedHonestly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Money(rapid.Int64Range(1, int64(maxDollars*Dollar)).Draw(t, "nanodollars"))
		written, ok := strings.CutPrefix(m.String(), "$")
		_, places, dot := strings.Cut(written, ".")
		if !ok || !dot || len(places) < 2 {
			t.Fatalf("%d nanodollars are written %s", m, m)
		}
		shown, err := strconv.ParseFloat(written, 64)
		if err != nil {
			t.Fatal(err)
		}
		amount := float64(m) / float64(Dollar)
		if off := math.Abs(shown - amount); off > 0.005000001 || off > amount/19.9 {
			t.Fatalf("%d nanodollars are written %s", m, m)
		}
		exact, ok := new(big.Rat).SetString(m.Decimal())
		if want := big.NewRat(int64(m), int64(Dollar)); !ok || exact.Cmp(want) != 0 {
			t.Fatalf("%d nanodollars are %s as a decimal", m, m.Decimal())
		}
	})
}
