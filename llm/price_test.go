package llm

import (
	"fmt"
	"strings"
	"testing"

	"winnow/llm/pricing"
)

// TestPrices computes the cost of a request from the reported usage. The head of a fixture has the base URL and the
// model, then configured prices: a model or *, and dollars per million tokens of input, cached input and output, and
// per request. The body is the usage, followed by the server's list of models.
func TestPrices(t *testing.T) {
	counted := pricing.Usage{Prompt: 9000, Cached: -1, Answer: 4000, Reasoning: -1, Cost: -1}
	checkFixtures(t, "testdata/prices.txtar", func(t *testing.T, head, body string) string {
		first, configured, _ := strings.Cut(head, "\n")
		base, model, _ := strings.Cut(first, " ")
		e := Endpoint{Name: "e", BaseURL: base, Prices: map[string]pricing.Prices{}}
		if e.Host() == "guide.invalid" {
			e.Name = GuideEndpoint
		}
		for line := range strings.Lines(configured) {
			words := strings.Fields(line)
			p := pricing.Prices{Source: "the configuration"}
			for i, to := range []*pricing.Money{&p.In, &p.Cached, &p.Out, &p.Request} {
				var dollars float64
				_, _ = fmt.Sscan(words[i+1], &dollars)
				*to, _ = pricing.Dollars(dollars)
			}
			e.Prices[words[0]] = p
		}
		reported, list, listed := strings.Cut(body, "\n")
		e.Doer = machine{e.urlOf("/models"): list}
		c := NewClient(e)
		if _, err := c.Models(t.Context()); err != nil && listed {
			t.Fatal(err)
		}
		usage, _ := pricing.ReadUsage([]byte(reported))
		cost := c.Cost(model, usage, counted)
		if known := cost.String() != "" && cost.String() != "–"; cost.Known() != known {
			t.Errorf("%q is known: %t", cost, cost.Known())
		}
		p, price := c.Prices(model), "no price"
		if p.Known() {
			price = fmt.Sprintf("input %s, cached %s, cache write %s, output %s by %s", p.In, p.Cached, p.CacheWrite, p.Out, p.Source)
		}
		return fmt.Sprintf("prompt %d, cached %d, written %d, answer %d, reasoning %d, cost %s\n%s\ncosts %q, %s\n",
			usage.Prompt, usage.Cached, usage.CacheWrite, usage.Answer, usage.Reasoning, usage.Cost, price, cost, cost.Amount.Decimal())
	})
}

// More cached tokens than prompt tokens, twice in a row, show that the server counts them separately.
func TestCachedTokensBesideThePromptAreAdded(t *testing.T) {
	c := NewClient(Endpoint{Name: "x"})
	for _, s := range []struct{ prompt, cached, want int }{
		{900, 500, 900},
		{300, 3000, 300},
		{900, 500, 900},
		{300, 3000, 300},
		{900, 0, 900},
		{300, 3000, 3300},
		{900, 500, 1400},
		{-1, 500, -1},
		{900, -1, 900},
	} {
		u := pricing.NoUsage()
		u.Prompt, u.Cached = s.prompt, s.cached
		if got := c.withCached("m", u).Prompt; got != s.want {
			t.Errorf("%d tokens, %d cached: got %d, want %d", s.prompt, s.cached, got, s.want)
		}
	}
}
