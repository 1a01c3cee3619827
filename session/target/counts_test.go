package target

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm"
)

// Each step is a request of so many of our tokens, the server's count of it, and what is to be made of them. A request
// that is limited was planned below the limit after a cut.
func TestCountsAreJudged(t *testing.T) {
	for _, tt := range []struct {
		name, steps string
		ratio       float64 // afterwards; 0 is not known
		limit       int
	}{
		{"one count is not enough", "1000 as 1300 whole", 0, 0},
		{"two are", "1000 as 1300 whole, 2000 as 2200 whole", 1.2, 0},
		{"an outlier does not matter", "1000 as 1200 whole, 1000 as 1200 whole, 1000 as 4000 whole", 1.2, 0},
		{
			"five are kept",
			"1000 as 1000 whole, 1000 as 1000 whole, 1000 as 1000 whole, " +
				"1000 as 2000 whole, 1000 as 2000 whole, 1000 as 2000 whole",
			2, 0,
		},
		{"a ratio has bounds", "1000 as 40000 whole, 1000 as 40000 whole", 16, 0},
		{"the first counts are cut below a half", "8000 as 4096 whole, 9000 as 4096 cut", 0, 4096},
		{"no limit is lower than 2,048", "12025 as 22 cut", 0, 2048},
		{
			"later ones below seven tenths of what is expected",
			"1000 as 2000 whole, 2000 as 4000 whole, 2900 as 4096 whole, 3000 as 4096 cut",
			2, 4096,
		},
		{
			"a cut is not learned from, and the limit stays",
			"1000 as 1000 whole, 2000 as 2000 whole, 8000 as 4000 cut, 3900 as 3900 whole limited",
			1, 4000,
		},
		{
			"a small request is never cut",
			"1000 as 1000 whole, 1000 as 1000 whole, 400 as 100 whole, 401 as 100 cut",
			1, 2048,
		},
		{
			"the tokenizer was the cause",
			"1000 as 1000 whole, 1000 as 1000 whole, 6000 as 3300 cut, " +
				"3300 as 1900 withdrawn limited, 6000 as 3400 whole",
			3400.0 / 6000, 0,
		},
		{
			"it was not: the next request is short in another proportion",
			"1000 as 1000 whole, 1000 as 1000 whole, 6000 as 2400 cut, 2400 as 1200 cut limited",
			1, 2048,
		},
		{
			"it is not known by a request that was planned without the limit",
			"1000 as 1000 whole, 1000 as 1000 whole, 6000 as 2400 cut, 6000 as 2400 cut",
			1, 2400,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newModel(t, 100_000, 0)
			for i, step := range strings.Split(tt.steps, ", ") {
				var estimate, reported int
				var want, limited string
				fmt.Sscanf(step, "%d as %d %s %s", &estimate, &reported, &want, &limited)
				cut, withdrawn := m.JudgeCount(int64(i+1), reported, estimate, limited == "limited")
				if cut != (want == "cut") || withdrawn != map[string]int64{"withdrawn": int64(i)}[want] {
					t.Fatalf("%s: cut is %t, withdrawn is %d", step, cut, withdrawn)
				}
			}
			var o history.Options
			if m.FillOptions(&o); math.Abs(o.Ratio-tt.ratio) > 1e-9 || o.Limit != tt.limit || m.TokenLimit() != tt.limit {
				t.Errorf("planned with a ratio of %g below %d, want %g below %d", o.Ratio, o.Limit, tt.ratio, tt.limit)
			}
		})
	}
}

// A server that leaves cached tokens out of its counts proves nothing with a low one.
func TestCountsWithoutCachedTokensAreNoCut(t *testing.T) {
	m := newModel(t, 100_000, 0)
	m.Client.Learn(m.Name, llm.Learned{CachedApart: true})
	m.JudgeCount(1, 1000, 1000, false)
	m.JudgeCount(2, 1000, 1000, false)
	if cut, _ := m.JudgeCount(3, 50, 6000, false); cut || m.ExpectedTokens(1000) != 1000 {
		t.Errorf("cut: %t; 1,000 tokens are expected to be %d", cut, m.ExpectedTokens(1000))
	}
}

func TestWhatIsLearnedIsFoundAgain(t *testing.T) {
	m := newModel(t, 8192, 0)
	for n, want := range []int{1000, 2000} {
		m.JudgeCount(int64(n), 2000, 1000, false)
		if err := m.SaveLearned(t.Context()); err != nil {
			t.Fatal(err)
		}
		m = again(t, m) // as the next winnow run finds it
		if got := m.ExpectedTokens(1000); got != want {
			t.Errorf("after %d counts 1,000 tokens are expected to be %d, want %d", n+1, got, want)
		}
	}
}

func TestLimitIsTheSmallerOfTwo(t *testing.T) {
	m := newModel(t, 100_000, 0)
	m.JudgeCount(7, 10_000, 50_000, false)
	m.LimitRequests(20_000)
	var o history.Options
	if m.FillOptions(&o); o.Limit != 10_000 {
		t.Errorf("planned below %d tokens, want the 10,000 that were read", o.Limit)
	}
	m.LimitRequests(5000)
	if m.FillOptions(&o); o.Limit != 5000 {
		t.Errorf("planned below %d tokens, want 5,000", o.Limit)
	}
}
