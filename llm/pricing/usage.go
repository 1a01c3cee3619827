package pricing

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// ReadUsage reads the usage that a server reported, a JSON object, from the various keys that servers use. It returns
// false if there is none.
func ReadUsage(raw []byte) (Usage, bool) {
	var u map[string]any
	if json.Unmarshal(raw, &u) != nil {
		return Usage{}, false
	}
	in, out := object(u["prompt_tokens_details"]), object(u["completion_tokens_details"])
	if in == nil && out == nil {
		in, out = object(u["input_tokens_details"]), object(u["output_tokens_details"]) // the Responses API
	}
	usage := Usage{
		Prompt:     count(u["prompt_tokens"], u["input_tokens"]),
		Cached:     count(in["cached_tokens"], u["prompt_cache_hit_tokens"], u["cache_read_input_tokens"]),
		CacheWrite: count(in["cache_write_tokens"], u["cache_creation_input_tokens"]),
		Answer:     count(u["completion_tokens"], u["output_tokens"]),
		Reasoning:  count(out["reasoning_tokens"], u["reasoning_tokens"]),
		Cost:       reportedCost(u),
	}
	if usage.Prompt >= 0 && count(u["prompt_tokens"]) < 0 {
		// Anthropic's input_tokens exclude tokens read from or written to the cache.
		usage.Prompt += max(0, count(u["cache_read_input_tokens"])) + max(0, count(u["cache_creation_input_tokens"]))
	}
	addHidden(&usage, count(u["total_tokens"]))
	if usage.Prompt == 0 {
		usage.Prompt = -1 // Some servers report 0 for a prompt that was in their cache.
	}
	return usage, usage != NoUsage()
}

// addHidden includes the reasoning in the answer's tokens. xAI and Gemini count it separately, so that only their total
// shows it, but charge for it. Some totals count cached tokens twice; those are not part of the answer.
func addHidden(u *Usage, total int) {
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

// reportedCost is the cost that the server reports, -1 if it reports none.
func reportedCost(u map[string]any) Money {
	cost, said := u["cost"].(float64)                      // OpenRouter
	if ticks, ok := u["cost_in_usd_ticks"].(float64); ok { // xAI
		cost, said = ticks/1e10, true
	}
	if u["is_byok"] == true {
		// This is only OpenRouter's fee; the maker charges the rest to the user's own key.
		upstream, ok := object(u["cost_details"])["upstream_inference_cost"].(float64)
		cost, said = cost+upstream, said && ok
	}
	if money, ok := Dollars(cost); ok && said {
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
