package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"winnow/llm/pricing"
)

// Prices returns the token prices of a model: as configured, else from the server's last list of models, else the list
// prices of the model's maker if the endpoint is at the maker's address. It makes no request: the list is read together
// with the window.
func (c *Client) Prices(model string) pricing.Prices {
	e := c.endpoint
	set := e.modelConfig(model, func(s ModelConfig) bool { return s.Prices.Known() })
	c.mu.Lock()
	listed := c.prices[plainModel(model)]
	c.mu.Unlock()
	byMaker := pricing.ListPrices(e.BaseURL, plainModel(model), time.Now())
	return cmp.Or(e.Prices[model], set.Prices, e.Prices[pricing.AnyModel], listed, byMaker)
}

// Cost computes the cost of a request to a model from the usage that the server reported, the known prices and winnow's
// own counts. If no price is known, a hosted server's cost is Unpriced, and a self-hosted server's is zero.
func (c *Client) Cost(model string, reported, counted pricing.Usage) pricing.Cost {
	cost := c.Prices(model).Cost(reported, counted)
	if cost.From == pricing.Unpriced && c.endpoint.IsSelfHosted() {
		return pricing.Cost{}
	}
	return cost
}

// usageOf reads the token counts and the cost from the various keys that servers use. It returns false if there are
// none.
func usageOf(raw []byte) (pricing.Usage, bool) {
	var u map[string]any
	if json.Unmarshal(raw, &u) != nil {
		return pricing.Usage{}, false
	}
	in, out := object(u["prompt_tokens_details"]), object(u["completion_tokens_details"])
	if in == nil && out == nil {
		in, out = object(u["input_tokens_details"]), object(u["output_tokens_details"]) // the Responses API
	}
	usage := pricing.Usage{
		Prompt:     count(u["prompt_tokens"], u["input_tokens"]),
		Cached:     count(in["cached_tokens"], u["prompt_cache_hit_tokens"], u["cache_read_input_tokens"]),
		CacheWrite: count(in["cache_write_tokens"], u["cache_creation_input_tokens"]),
		Answer:     count(u["completion_tokens"], u["output_tokens"]),
		Reasoning:  count(out["reasoning_tokens"], u["reasoning_tokens"]),
		Cost:       costOf(u),
	}
	if usage.Prompt >= 0 && count(u["prompt_tokens"]) < 0 {
		// Anthropic's input_tokens exclude tokens read from or written to the cache.
		usage.Prompt += max(0, count(u["cache_read_input_tokens"])) + max(0, count(u["cache_creation_input_tokens"]))
	}
	addHidden(&usage, count(u["total_tokens"]))
	if usage.Prompt == 0 {
		usage.Prompt = -1 // Some servers report 0 for a prompt that was in their cache.
	}
	return usage, usage != pricing.NoUsage()
}

// addHidden includes the reasoning in the answer's tokens. xAI and Gemini count it separately, so that only their total
// shows it, but charge for it. Some totals count cached tokens twice; those are not part of the answer.
func addHidden(u *pricing.Usage, total int) {
	hidden := total - u.Prompt - u.Answer
	if u.Prompt < 0 || u.Answer < 0 || hidden <= 0 {
		return
	}
	read, written := max(0, u.Cached), max(0, u.CacheWrite)
	twice := []int{0, read, written, read + written}
	switch {
	case u.Reasoning > 0 && slices.Contains(twice, hidden-u.Reasoning):
		u.Answer += u.Reasoning
	case u.Reasoning <= 0 && !slices.Contains(twice, hidden) && hidden > written:
		u.Reasoning = hidden - written
		u.Answer += u.Reasoning
	}
}

// withCached includes the cached tokens in the prompt's. If a server reports more cached tokens than prompt tokens
// twice in a row, it counts them separately. A single such report proves nothing, and reports without cached tokens are
// ignored.
func (c *Client) withCached(model string, u pricing.Usage) pricing.Usage {
	if u.Prompt <= 0 || u.Cached <= 0 {
		return u
	}
	more := u.Cached > u.Prompt
	c.mu.Lock()
	again := more && c.cachedMore
	c.cachedMore = more
	c.mu.Unlock()
	if again {
		c.Learn(model, Learned{CachedApart: true})
	}
	if c.AllLearned(model).CachedApart {
		u.Prompt += u.Cached
	}
	return u
}

// costOf is the cost that the server reports, -1 if it reports none.
func costOf(u map[string]any) pricing.Money {
	cost, said := u["cost"].(float64)                      // OpenRouter
	if ticks, ok := u["cost_in_usd_ticks"].(float64); ok { // xAI
		cost, said = ticks/1e10, true
	}
	if u["is_byok"] == true {
		// This is only OpenRouter's fee; the maker charges the rest to the user's own key.
		upstream, ok := object(u["cost_details"])["upstream_inference_cost"].(float64)
		cost, said = cost+upstream, said && ok
	}
	if money, ok := pricing.Dollars(cost); ok && said {
		return money
	}
	return -1
}

// object returns v as a JSON object, nil if it is none.
func object(v any) map[string]any {
	members, _ := v.(map[string]any)
	return members
}

// count returns the first non-negative number, which may be a string, without its fraction; -1 if there is none.
func count(numbers ...any) int {
	for _, v := range numbers {
		n, err := strconv.ParseFloat(fmt.Sprint(v), 64)
		if err == nil && n >= 0 && n <= 1<<53 {
			return int(n)
		}
	}
	return -1
}
