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

// Prices are what the tokens of a model cost: as configured, else as the server's list of models said
// when it was read last, else the list prices of the model's maker, at the maker's own address. The server
// is not asked: its list is read when it is asked for its window.
func (c *Client) Prices(model string) pricing.Prices {
	e := c.endpoint
	set := e.modelConfig(model, func(s ModelConfig) bool { return s.Prices.Known() })
	c.mu.Lock()
	listed := c.prices[plainModel(model)]
	c.mu.Unlock()
	byMaker := pricing.ListPrices(e.BaseURL, plainModel(model), time.Now())
	return cmp.Or(e.Prices[model], set.Prices, e.Prices[pricing.AnyModel], listed, byMaker)
}

// Cost is what a request to a model cost, by what the server reported, the prices that are known and what
// winnow counts. Where nobody knows a price, it is Unpriced for a hosted server and says nothing for a
// server of the user's own.
func (c *Client) Cost(model string, reported, counted pricing.Usage) pricing.Cost {
	cost := c.Prices(model).Cost(reported, counted)
	if cost.From == pricing.Unpriced && c.endpoint.IsSelfHosted() {
		return pricing.Cost{}
	}
	return cost
}

// usageOf reads the token counts and the cost, from the places where servers put them.
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
		// Anthropic's input is only what no cache had a part in.
		usage.Prompt += max(0, count(u["cache_read_input_tokens"])) + max(0, count(u["cache_creation_input_tokens"]))
	}
	addHidden(&usage, count(u["total_tokens"]))
	if usage.Prompt == 0 {
		usage.Prompt = -1 // Some servers report 0 for a prompt that was in their cache.
	}
	return usage, usage != pricing.NoUsage()
}

// addHidden makes the reasoning a part of the answer. xAI and Gemini count it beside the answer, where only their
// total shows it, and charge for it all the same. Some totals count the tokens of the cache once more: these are no
// part of the answer.
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

// withCached makes the cached tokens a part of the prompt's. A server that reports more of them than the prompt has,
// twice in a row, counts them beside it. One such answer proves nothing, nor does one without cached tokens.
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

// costOf is what the server says it charges, -1 for nothing said.
func costOf(u map[string]any) pricing.Money {
	cost, said := u["cost"].(float64)                      // OpenRouter
	if ticks, ok := u["cost_in_usd_ticks"].(float64); ok { // xAI
		cost, said = ticks/1e10, true
	}
	if u["is_byok"] == true {
		// The cost is OpenRouter's fee alone: the maker charges the user's own key for the rest.
		upstream, ok := object(u["cost_details"])["upstream_inference_cost"].(float64)
		cost, said = cost+upstream, said && ok
	}
	if money, ok := pricing.Dollars(cost); ok && said {
		return money
	}
	return -1
}

// object is the members of a JSON object, nil for anything else.
func object(v any) map[string]any {
	members, _ := v.(map[string]any)
	return members
}

// count is the first number, or number in a string, that is not negative, without its fraction; -1 for none.
func count(numbers ...any) int {
	for _, v := range numbers {
		n, err := strconv.ParseFloat(fmt.Sprint(v), 64)
		if err == nil && n >= 0 && n <= 1<<53 {
			return int(n)
		}
	}
	return -1
}
