package llm

import (
	"context"
	"fmt"
	"testing"

	"winnow/llm/pricing"
)

func usage(prompt, cached, answer, reasoning int, cost pricing.Money) pricing.Usage {
	return pricing.Usage{
		Prompt: prompt, Cached: cached, Answer: answer, Reasoning: reasoning, Cost: cost, CacheWrite: -1,
	}
}

// written is a usage with tokens that went into the server's cache.
func written(u pricing.Usage, write int) pricing.Usage {
	u.CacheWrite = write
	return u
}

func TestUsageIsReadWithItsCost(t *testing.T) {
	tests := []struct {
		name, usage string
		want        pricing.Usage
	}{
		{
			"OpenRouter",
			`{"prompt_tokens": 10427, "completion_tokens": 264, "total_tokens": 10691, "cost": 0.0033789,
			  "is_byok": false, "prompt_tokens_details": {"cached_tokens": 0},
			  "cost_details": {"upstream_inference_cost": 0.0033789}}`,
			usage(10427, 0, 264, -1, 3_378_900),
		},
		{
			"OpenRouter with the user's own key at the maker",
			`{"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.0001, "is_byok": true, "cost_details": ` +
				`{"upstream_inference_cost": 0.002}}`,
			usage(10, -1, 5, -1, 2_100_000),
		},
		{
			"the fee alone is not the cost",
			`{"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.0001, "is_byok": true, "cost_details": ` +
				`{"upstream_inference_cost": null}}`,
			usage(10, -1, 5, -1, -1),
		},
		{
			"xAI, which counts the reasoning beside the answer",
			`{"prompt_tokens": 10120, "completion_tokens": 1499, "total_tokens": 14428, "cost_in_usd_ticks": 232856000,
			  "prompt_tokens_details": {"cached_tokens": 128},
			  "completion_tokens_details": {"reasoning_tokens": 2809}}`,
			usage(10120, 128, 4308, 2809, 23_285_600),
		},
		{
			"Gemini, whose reasoning only the total shows",
			`{"prompt_tokens": 20, "completion_tokens": 151, "total_tokens": 553}`, usage(20, -1, 533, 382, -1),
		},
		{
			"OpenAI, which counts the reasoning in the answer",
			`{"prompt_tokens": 20, "completion_tokens": 500, "total_tokens": 520, "completion_tokens_details": ` +
				`{"reasoning_tokens": 400}}`,
			usage(20, -1, 500, 400, -1),
		},
		{
			"a total that counts the cache once more",
			`{"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 125, "prompt_tokens_details": ` +
				`{"cached_tokens": 100}}`,
			usage(20, 100, 5, -1, -1),
		},
		{
			"a total that counts the cache once more, its writes too",
			`{"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 830, "prompt_tokens_details": ` +
				`{"cached_tokens": 300}, "cache_creation_input_tokens": 500}`,
			written(usage(20, 300, 10, -1, -1), 500),
		},
		{
			"and reasoning beside the answer",
			`{"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 537, "cache_creation_input_tokens": ` +
				`500, "completion_tokens_details": {"reasoning_tokens": 7}}`,
			written(usage(20, -1, 17, 7, -1), 500),
		},
		{
			"Anthropic, with a total",
			`{"input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 3000, ` +
				`"output_tokens": 5, "total_tokens": 3215}`,
			written(usage(3210, 200, 5, -1, -1), 3000),
		},
		{
			"Anthropic, whose input is only what no cache had a part in",
			`{"input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 3000,
			  "output_tokens": 5,
			  "cache_creation": {"ephemeral_5m_input_tokens": 1000, "ephemeral_1h_input_tokens": 2000}}`,
			written(usage(3210, 200, 5, -1, -1), 3000),
		},
		{
			"OpenRouter's and OpenAI's cache writes",
			`{"prompt_tokens": 5000, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 1000, ` +
				`"cache_write_tokens": 3500}}`,
			written(usage(5000, 1000, 5, -1, -1), 3500),
		},
		{"a negative cost", `{"prompt_tokens": 10, "completion_tokens": 5, "cost": -1}`, usage(10, -1, 5, -1, -1)},
	}
	for _, test := range tests {
		got, ok := usageOf([]byte(test.usage))
		if !ok || got != test.want {
			t.Errorf("%s: got %+v, %v; want %+v", test.name, got, ok, test.want)
		}
	}
}

// A server that counts its cached tokens beside the prompt's is known for it when it has shown it twice in a row.
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

// prices is what a configuration says: dollars for a million tokens.
func prices(in, cached, out float64) pricing.Prices {
	p := pricing.Prices{Source: "the configuration"}
	p.In, _ = pricing.Dollars(in)
	p.Cached, _ = pricing.Dollars(cached)
	p.Out, _ = pricing.Dollars(out)
	return p
}

const someList = `{"data": [
	{"id": "maker/large", "pricing": {
		"prompt": "0.00000125", "completion": "0.00001", "input_cache_read": "0.000000125"}},
	{"id": "maker/small", "pricing": {"prompt": "0.00000007", "completion": "0.0000003", "request": "0.005"}},
	{"id": "maker/free", "pricing": {"prompt": "0", "completion": "0"}},
	{"id": "openrouter/auto", "pricing": {"prompt": "-1", "completion": "-1"}},
	{"id": "maker/half", "pricing": {"prompt": "0.000001"}},
	{"id": "maker/numbers", "pricing": {"prompt": 0.3, "completion": 0.3}},
	{"id": "maker/word", "pricing": "ask us"},
	{"id": "maker/none"}
]}`

func TestCostOfARequest(t *testing.T) {
	hosted := Endpoint{Name: "hosted", BaseURL: "https://api.example.com/v1"}
	configured := hosted
	configured.Prices = map[string]pricing.Prices{
		"large":       prices(1.25, 0.2, 2.5),
		"maker/large": prices(100, 100, 100),
		"given-away":  prices(0, 0, 0),
		"maker/none": {
			Rates: pricing.PlainRates(pricing.Dollar, pricing.Dollar), Request: pricing.Dollar / 100,
			Source: "the configuration",
		},
		"too good":    prices(1_000_000, 1_000_000, 1_000_000),
		"tiny":        prices(0.0001, 0.0001, 0.0001),
		"half a nano": prices(0.0005, 0.0005, 0.0005),
	}
	all := hosted
	all.Prices = map[string]pricing.Prices{pricing.AnyModel: prices(1, 1, 1)}
	own := Endpoint{Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1"}
	ownPriced := own
	ownPriced.Prices = map[string]pricing.Prices{pricing.AnyModel: prices(0, 0, 0)}
	reported := pricing.Usage{Prompt: 10_120, Cached: 128, Answer: 4308, Reasoning: 2809, Cost: -1}
	counted := pricing.Usage{Prompt: 9000, Cached: -1, Answer: 4000, Reasoning: -1, Cost: -1}
	charged := reported
	charged.Cost = 23_285_600
	tests := []struct {
		name     string
		endpoint Endpoint
		model    string
		reported pricing.Usage
		want     string
		exact    string
	}{
		{"the server says it", configured, "large", charged, "$0.023", "0.0232856"},
		{"its counts at configured prices", configured, "large", reported, "$0.023", "0.0232856"},
		{"the configuration goes over the list", configured, "maker/large", reported, "$1.44", "1.4428"},
		{"from the list", hosted, "maker/large", reported, "$0.056", "0.055586"},
		{"each request costs something too", hosted, "maker/small", reported, "$0.007", "0.0070008"},
		{"free by the list", hosted, "maker/free", reported, "$0", "0"},
		{"configured as nothing, nothing reported", configured, "given-away", pricing.NoUsage(), "$0", "0"},
		{"a price for each request is configured", configured, "maker/none", reported, "$0.024", "0.024428"},
		{"chosen anew each time", hosted, "openrouter/auto", reported, "–", "0"},
		{"numbers without a measure", hosted, "maker/numbers", reported, "–", "0"},
		{"no price", hosted, "maker/none", reported, "–", "0"},
		{"every other model", all, "anything", reported, "$0.014", "0.014428"},
		{"nothing reported", configured, "large", pricing.NoUsage(), "~$0.021", "0.02125"},
		{"the answer is not reported", configured, "large", usage(10_120, 128, -1, -1, -1), "~$0.023", "0.0225156"},
		{"more cached than sent", configured, "large", usage(100, 5000, 0, 0, -1), "$0.00002", "0.00002"},
		{"half a nanodollar", configured, "half a nano", usage(3, 0, 0, 0, -1), "$0.000000002", "0.000000002"},
		{"counts that cannot be true", configured, "too good", usage(1<<62, 0, 1<<62, 0, -1), "$1000000.00", "1000000"},
		{"on this machine", own, "qwen3", reported, "", "0"},
		{"on this machine, at a price of nothing", ownPriced, "qwen3", reported, "$0", "0"},
		{"the guide", Endpoint{Name: Guide, BaseURL: "http://guide.invalid/v1"}, "guide", reported, "", "0"},
	}
	for _, test := range tests {
		test.endpoint.Doer = machine{"https://api.example.com/v1/models": someList}
		client := NewClient(test.endpoint)
		if _, err := client.Models(context.Background()); err != nil && !test.endpoint.Own() {
			t.Fatal(err)
		}
		got := client.Cost(test.model, test.reported, counted)
		if got.String() != test.want || got.Amount.Decimal() != test.exact {
			t.Errorf("%s: got %q, %s; want %q, %s", test.name, got, got.Amount.Decimal(), test.want, test.exact)
		}
		if known := test.want != "" && test.want != "–"; got.Known() != known {
			t.Errorf("%s: %q is known: %v", test.name, got, got.Known())
		}
	}
}

// A price by the maker's list holds at the maker's own address alone, below what the user configured.
func TestListPricesHoldAtTheMakersAddress(t *testing.T) {
	for _, test := range []struct {
		name, base, model string
		configured        map[string]pricing.Prices
		want              string
	}{
		{"the maker", "https://api.openai.com/v1", "gpt-5.2", nil, "$1.75"},
		{"a proxy", "https://llm.example.com/v1", "gpt-5.2", nil, "unknown"},
		{"a snapshot that the maker defines", "https://api.openai.com/v1", "gpt-5.2-2025-12-11", nil, "$1.75"},
		{
			"a name as the list of models has it", "https://generativelanguage.googleapis.com/v1beta/openai",
			"models/gemini-2.5-flash", nil, "$0.30",
		},
		{
			"the user's own price", "https://api.openai.com/v1", "gpt-5.2",
			map[string]pricing.Prices{"gpt-5.2": prices(3, 3, 3)},
			"$3.00",
		},
	} {
		got := "unknown"
		if p := NewClient(Endpoint{
			Name: "e", BaseURL: test.base, Prices: test.configured,
		}).Prices(test.model); p.Known() {
			got = p.In.String()
		}
		wantText(t, test.name, got, test.want)
	}
}

// What the server's own list says goes over the table.
func TestTheServersListGoesOverListPrices(t *testing.T) {
	const list = `{"data":[{"id":"gpt-5.2","pricing":{"prompt":"0.000005","completion":"0.00001",` +
		`"input_cache_write":"0.000006"}}]}`
	server := machine{"https://api.openai.com/v1/models": list}
	client := NewClient(Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1", Doer: server})
	if _, err := client.Models(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := client.Prices("gpt-5.2")
	wantText(
		t, "the price", fmt.Sprint(p.In, " ", p.Cached, " ", p.CacheWrite, " ", p.Source),
		"$5.00 $5.00 $6.00 the server's list of models",
	)
}
