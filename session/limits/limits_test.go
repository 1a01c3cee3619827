package limits

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"winnow/llm/pricing"
)

func drawAmount(t *rapid.T, name string) Amount {
	n := rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 2000))
	return Amount{n.Draw(t, name+" tokens"), pricing.Money(n.Draw(t, name+" cost"))}
}

func drawLimits(t *rapid.T) Limits {
	return Limits{
		drawAmount(t, "request limit"), drawAmount(t, "session limit"), drawAmount(t, "day limit"),
		drawAmount(t, "month limit"),
		rapid.Bool().Draw(t, "ask where the price is unknown"),
	}
}

func drawSpent(t *rapid.T) SpentBefore {
	return SpentBefore{drawAmount(t, "session"), drawAmount(t, "day"), drawAmount(t, "month")}
}

func drawEstimate(t *rapid.T) Estimate {
	a := drawAmount(t, "estimate")
	from := rapid.SampledFrom([]pricing.CostFrom{pricing.Estimated, pricing.Priced, pricing.Unpriced, ""}).Draw(t,
		"source of the cost")
	if from == pricing.Unpriced || from == "" {
		a.Cost = 0
	}
	return Estimate{a.Tokens, pricing.Cost{Amount: a.Cost, From: from}}
}

// A request is held back exactly where one of the sums is above its limit, or where nobody knows its price and
// the user wants to be asked then. What costs nothing is never held back for money.
func TestOnlyWhatIsOverALimitIsHeldBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, s, e := drawLimits(t), drawSpent(t), drawEstimate(t)
		over := l.Check(s, e)
		costs := e.Cost.Amount > 0 || e.Cost.From == pricing.Unpriced
		want := map[string]bool{}
		for _, sum := range []struct {
			scope         Scope
			limit, before Amount
		}{
			{PerRequest, l.Request, Amount{}},
			{PerSession, l.Session, s.Session},
			{PerDay, l.Day, s.Day},
			{PerMonth, l.Month, s.Month},
		} {
			if sum.limit.Tokens != 0 && sum.before.Tokens+e.Tokens > sum.limit.Tokens {
				want[string(sum.scope)+"_tokens"] = true
			}
			if costs && sum.limit.Cost != 0 && sum.before.Cost+e.Cost.Amount > sum.limit.Cost {
				want[string(sum.scope)+"_cost"] = true
			}
		}
		limited := l.Request.Cost+l.Session.Cost+l.Day.Cost+l.Month.Cost > 0
		if l.AskUnknownPrice && limited && e.Cost.From == pricing.Unpriced {
			want["unknown_price"] = true
		}
		got := over.ConfigKeys()
		if len(got) != len(want) || slices.ContainsFunc(got, func(key string) bool { return !want[key] }) {
			t.Fatalf("held back for %v, want %v", got, want)
		}
		if over.Any() != (len(want) > 0) || (over.Clause() == "") == over.Any() || (over.Short() == "") == over.Any() {
			t.Fatalf("any %v, %q, %q; want a reason: %v", over.Any(), over.Clause(), over.Short(), len(want) > 0)
		}
	})
}

// Limits that were raised for a request let it pass; none falls, and none appears where there was none.
func TestRaisedLimitsHoldTheRequest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, s, e := drawLimits(t), drawSpent(t), drawEstimate(t)
		over := l.Check(s, e)
		raised := l.Raised(over)
		if again := raised.Check(s, e); again.Any() {
			t.Fatalf("%+v raised for %+v is %+v, and the request is held back for %v", l, over, raised, again.ConfigKeys())
		}
		for _, pair := range [][2]Amount{
			{l.Request, raised.Request},
			{l.Session, raised.Session},
			{l.Day, raised.Day},
			{l.Month, raised.Month},
		} {
			was, is := pair[0], pair[1]
			if is.Tokens < was.Tokens || is.Cost < was.Cost || (is.Tokens == 0) != (was.Tokens == 0) ||
				(is.Cost == 0) != (was.Cost == 0) {
				t.Fatalf("%+v became %+v", was, is)
			}
		}
		if !over.Any() && raised != l {
			t.Fatalf("limits that held the request were raised: %+v to %+v", l, raised)
		}
	})
}

func TestWhatIsOverALimitIsSaidInASentence(t *testing.T) {
	cent := pricing.Dollar / 100
	for _, test := range []struct {
		name   string
		limits Limits
		spent  SpentBefore
		cost   pricing.Cost
		want   string
		short  string
		raised string
	}{
		{
			"one request",
			Limits{Request: Amount{Cost: 25 * cent}},
			SpentBefore{},
			pricing.Cost{Amount: 42 * cent, From: pricing.Estimated},
			"This request is estimated at ~$0.42, above your limit of $0.25 per request.", "above $0.25 per request",
			"$1.00 per request",
		},
		{
			"a day and tokens",
			Limits{Request: Amount{Tokens: 4000}, Day: Amount{Cost: 500 * cent}},
			SpentBefore{Day: Amount{Cost: 470 * cent}},
			pricing.Cost{Amount: 42 * cent, From: pricing.Estimated},
			"This request is estimated at ~12,000 tokens, above your limit of 4,000 tokens per request; with this " +
				"request today comes to ~$5.12, above your limit of $5.00 per day.",
			"above 4,000 tokens per request", "32,000 tokens per request, $10.00 per day",
		},
		{
			"a price that nobody knows",
			Limits{Month: Amount{Cost: cent}, AskUnknownPrice: true},
			SpentBefore{},
			pricing.Cost{From: pricing.Unpriced},
			"The cost of this request cannot be estimated, because the price of the model is not known.",
			"price not known", "",
		},
		{"a price that nobody knows, allowed", Limits{
			Month: Amount{Cost: cent},
		}, SpentBefore{}, pricing.Cost{From: pricing.Unpriced}, "", "", ""},
		{"a server of the user's own", Limits{Session: Amount{Cost: cent}}, SpentBefore{
			Session: Amount{Cost: 3 * cent},
		}, pricing.Cost{}, "", "", ""},
	} {
		over := test.limits.Check(test.spent, Estimate{12_000, test.cost})
		if over.Sentence() != test.want || over.Short() != test.short || over.RaisedTo() != test.raised {
			t.Errorf("%s: got %q, %q, raised to %q; want %q, %q, %q", test.name, over.Sentence(), over.Short(),
				over.RaisedTo(), test.want, test.short, test.raised)
		}
	}
}
