package llm

import (
	"slices"

	"winnow/llm/pricing"
)

// usageOf reads the token counts and the cost, from the places where servers put them.
func usageOf(v any) (pricing.Usage, bool) {
	u := object(v)
	if u == nil {
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
	if c.Known(model).CachedApart {
		u.Prompt += u.Cached
	}
	return u
}

// ticks are xAI's units of money in a dollar.
const ticks = 10_000_000_000

// costOf is what the server says it charges, -1 for nothing said.
func costOf(u map[string]any) pricing.Money {
	cost, said := u["cost"].(float64) // OpenRouter
	if !said {
		cost, said = object(u["cost"])["total_cost"].(float64) // Perplexity
	}
	if charged, ok := u["cost_in_usd_ticks"].(float64); ok { // xAI
		cost, said = charged/ticks, true
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

// count is the first of the numbers that is said, -1 for none.
func count(numbers ...any) int {
	for _, v := range numbers {
		if n, ok := whole(v); ok {
			return n
		}
	}
	return -1
}
