package pricing

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The table is what its comments say: each name once at an address, prices that are more than nothing, and
// nothing that costs more out of the cache than beside it.
func TestTheTableOfListPricesIsSound(t *testing.T) {
	if len(makers()) < 5 {
		t.Fatalf("the table has %d makers", len(makers()))
	}
	for _, m := range makers() {
		base, err := url.Parse(m.BaseURL)
		source, bad := url.Parse(m.Source)
		if err != nil || bad != nil || base.Scheme != "https" || source.Scheme != "https" || m.Name == "" || m.Date.Year < 2026 {
			t.Errorf("%s: base %q, source %q, date %s", m.Name, m.BaseURL, m.Source, m.Date)
		}
		seen := map[string]bool{}
		for _, l := range m.Models {
			for _, name := range l.Names {
				if seen[name] || name == "" || name != strings.ToLower(name) {
					t.Errorf("%s: the name %q is there twice, or is none", m.Name, name)
				}
				seen[name] = true
			}
			p := Listed(m.BaseURL+"/", l.Names[0], m.Date.AsTime(time.UTC))
			rates := []Rates{p.Rates}
			if p.Above > 0 {
				rates = append(rates, p.Long)
			}
			for _, r := range rates {
				if r.In < p.In || r.In <= 0 || r.Out < r.In || r.Cached <= 0 || r.Cached > r.In || r.CacheWrite < r.In {
					t.Errorf("%s: %v: %+v", m.Name, l.Names, r)
				}
			}
			if m.Name == "Anthropic" && 4*p.CacheWrite != 5*p.In {
				t.Errorf("%v: a cache write costs %s; Anthropic asks 1.25 times %s", l.Names, p.CacheWrite, p.In)
			}
		}
	}
}

func TestTheSourceOfListPricesHasItsDate(t *testing.T) {
	date := time.Date(2026, 9, 23, 0, 0, 0, 0, time.UTC)
	for days, want := range map[int]string{
		180: "OpenAI's list prices of 2026-09-23",
		181: "OpenAI's list prices of 2026-09-23, which may have changed",
	} {
		now := date.AddDate(0, 0, days)
		if got := Listed("https://api.openai.com/v1", "gpt-5.2", now).Source; got != want {
			t.Errorf("on %s the prices are %q, want %q", now.Format(time.DateOnly), got, want)
		}
	}
}

// A name that is not in the table is unknown, however near it is to one that is.
func TestNearNamesHaveNoListPrices(t *testing.T) {
	var names []string
	for _, m := range makers() {
		for _, l := range m.Models {
			names = append(names, l.Names...)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(makers()).Draw(t, "maker")
		name := rapid.SampledFrom(names).Draw(t, "name")
		more := rapid.StringMatching(`[a-z0-9.-]{1,12}`).Draw(t, "more")
		near := rapid.SampledFrom([]string{name + more, more + name, name[1:], name[:len(name)-1]}).Draw(t, "near")
		if p := Listed(m.BaseURL, near, time.Now()); p.Known() && !slices.Contains(names, near) {
			t.Fatalf("%s has the prices %+v", near, p)
		}
	})
}

// Above its threshold all of a request costs the rates of long ones, and cache writes cost what they cost.
func TestCostsFollowTheTable(t *testing.T) {
	const google, anthropic, openai = "https://generativelanguage.googleapis.com/v1beta/openai", "https://api.anthropic.com/v1", "https://api.openai.com/v1"
	for _, test := range []struct {
		base, model string
		usage       Usage
		want        string
	}{
		{google, "gemini-2.5-pro", Usage{Prompt: 200_000, Cached: 100_000, Answer: 1000}, "0.1475"},
		{google, "gemini-2.5-pro", Usage{Prompt: 200_001, Cached: 100_001, Answer: 1000}, "0.29000025"},
		{anthropic, "claude-opus-4-5", Usage{Prompt: 10_000, Cached: 2000, CacheWrite: 3000, Answer: 100}, "0.04725"},
		{openai, "gpt-5.2", Usage{Prompt: 1000, Cached: -1, CacheWrite: -1, Answer: 100}, "0.00315"},
		{openai, "gpt-5.2", Usage{Prompt: 1000, Cached: 900, CacheWrite: 900, Answer: 0}, "0.0003325"},
	} {
		test.usage.Cost = -1
		c := Listed(test.base, test.model, time.Now()).Cost(test.usage, NoUsage())
		if got := c.Amount.Decimal(); got != test.want || c.From != Priced || !strings.Contains(c.Source, "list prices") {
			t.Errorf("%s: %+v costs %s from %s, want %s", test.model, test.usage, got, c.Source, test.want)
		}
	}
}

// A request never costs more than all of it written to the cache, and never less than all of it read from there.
func TestCostsOfTheCacheLieBetweenItsRates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(makers()).Draw(t, "maker")
		p := Listed(m.BaseURL, rapid.SampledFrom(m.Models).Draw(t, "model").Names[0], time.Now())
		prompt := rapid.IntRange(0, 400_000).Draw(t, "prompt")
		n := rapid.IntRange(-1, 500_000)
		got := p.of(Usage{Prompt: prompt, Cached: n.Draw(t, "cached"), CacheWrite: n.Draw(t, "written")})
		most, least := p.of(Usage{Prompt: prompt, CacheWrite: prompt}), p.of(Usage{Prompt: prompt, Cached: prompt})
		if got > most || got < least {
			t.Fatalf("%s, not between %s and %s", got.Decimal(), least.Decimal(), most.Decimal())
		}
	})
}
