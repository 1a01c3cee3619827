package pricing

import (
	"net/url"
	"strings"
	"testing"
	"time"
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
			p := ListPrices(m.BaseURL+"/", l.Names[0], m.Date.AsTime(time.UTC))
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
		c := ListPrices(test.base, test.model, time.Now()).Cost(test.usage, NoUsage())
		if got := c.Amount.Decimal(); got != test.want || c.From != Priced || !strings.Contains(c.Source, "list prices") {
			t.Errorf("%s: %+v costs %s from %s, want %s", test.model, test.usage, got, c.Source, test.want)
		}
	}
}
