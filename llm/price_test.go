package llm

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"winnow/llm/pricing"
)

func usage(prompt, cached, answer, reasoning int, cost pricing.Money) pricing.Usage {
	return pricing.Usage{Prompt: prompt, Cached: cached, Answer: answer, Reasoning: reasoning, Cost: cost, CacheWrite: -1, CacheWriteHour: -1}
}

// written is a usage with tokens that went into the server's cache.
func written(u pricing.Usage, write, hour int) pricing.Usage {
	u.CacheWrite, u.CacheWriteHour = write, hour
	return u
}

func TestUsageIsReadWithItsCost(t *testing.T) {
	tests := []struct {
		name, usage string
		want        pricing.Usage
	}{
		{"nothing of a cost", `{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}`, usage(10, -1, 5, -1, -1)},
		{
			"OpenRouter",
			`{"prompt_tokens": 10427, "completion_tokens": 264, "total_tokens": 10691, "cost": 0.0033789, "is_byok": false,
			  "prompt_tokens_details": {"cached_tokens": 0}, "cost_details": {"upstream_inference_cost": 0.0033789}}`,
			usage(10427, 0, 264, -1, 3_378_900),
		},
		{
			"OpenRouter with the user's own key at the maker",
			`{"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.0001, "is_byok": true, "cost_details": {"upstream_inference_cost": 0.002}}`,
			usage(10, -1, 5, -1, 2_100_000),
		},
		{
			"the fee alone is not the cost",
			`{"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.0001, "is_byok": true, "cost_details": {"upstream_inference_cost": null}}`,
			usage(10, -1, 5, -1, -1),
		},
		{
			"xAI, which counts the reasoning beside the answer",
			`{"prompt_tokens": 10120, "completion_tokens": 1499, "total_tokens": 14428, "cost_in_usd_ticks": 232856000,
			  "prompt_tokens_details": {"cached_tokens": 128}, "completion_tokens_details": {"reasoning_tokens": 2809}}`,
			usage(10120, 128, 4308, 2809, 23_285_600),
		},
		{"Perplexity", `{"prompt_tokens": 10, "completion_tokens": 5, "cost": {"request_cost": 0.005, "total_cost": 0.0061}}`, usage(10, -1, 5, -1, 6_100_000)},
		{"Gemini, whose reasoning only the total shows", `{"prompt_tokens": 20, "completion_tokens": 151, "total_tokens": 553}`, usage(20, -1, 533, 382, -1)},
		{"OpenAI, which counts the reasoning in the answer", `{"prompt_tokens": 20, "completion_tokens": 500, "total_tokens": 520, "completion_tokens_details": {"reasoning_tokens": 400}}`, usage(20, -1, 500, 400, -1)},
		{"a total that counts the cache once more", `{"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 125, "prompt_tokens_details": {"cached_tokens": 100}}`, usage(20, 100, 5, -1, -1)},
		{"a total that nothing explains", `{"prompt_tokens": 20, "completion_tokens": 50, "total_tokens": 99, "completion_tokens_details": {"reasoning_tokens": 7}}`, usage(20, -1, 50, 7, -1)},
		{
			"Anthropic, whose input is only what no cache had a part in",
			`{"input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 3000, "output_tokens": 5,
			  "cache_creation": {"ephemeral_5m_input_tokens": 1000, "ephemeral_1h_input_tokens": 2000}}`,
			written(usage(3210, 200, 5, -1, -1), 3000, 2000),
		},
		{
			"OpenRouter's and OpenAI's cache writes",
			`{"prompt_tokens": 5000, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 1000, "cache_write_tokens": 3500}}`,
			written(usage(5000, 1000, 5, -1, -1), 3500, -1),
		},
		{"free", `{"prompt_tokens": 10, "completion_tokens": 5, "cost": 0}`, usage(10, -1, 5, -1, 0)},
		{"a cost alone", `{"cost": 1e-05}`, usage(-1, -1, -1, -1, 10_000)},
		{"a negative cost", `{"prompt_tokens": 10, "completion_tokens": 5, "cost": -1}`, usage(10, -1, 5, -1, -1)},
		{"a cost that is no number", `{"prompt_tokens": 10, "completion_tokens": 5, "cost": "free"}`, usage(10, -1, 5, -1, -1)},
	}
	for _, test := range tests {
		got, ok := usageOf(decoded([]byte(test.usage)))
		if !ok || got != test.want {
			t.Errorf("%s: got %+v, %v; want %+v", test.name, got, ok, test.want)
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
	{"id": "maker/large", "pricing": {"prompt": "0.00000125", "completion": "0.00001", "input_cache_read": "0.000000125"}},
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
		"large":        prices(1.25, 0.2, 2.5),
		"maker/large":  prices(100, 100, 100),
		"given-away":   prices(0, 0, 0),
		"maker/none":   {Rates: pricing.PlainRates(pricing.Dollar, pricing.Dollar), Request: pricing.Dollar / 100, Source: "the configuration"},
		"too good":     prices(1_000_000, 1_000_000, 1_000_000),
		"tiny":         prices(0.0001, 0.0001, 0.0001),
		"half a nano":  prices(0.0005, 0.0005, 0.0005),
		"whole answer": prices(0, 0, 3),
	}
	all := hosted
	all.Prices = map[string]pricing.Prices{pricing.AnyModel: prices(1, 1, 1)}
	own := Endpoint{Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1"}
	ownPriced := own
	ownPriced.Prices = map[string]pricing.Prices{pricing.AnyModel: prices(0, 0, 0)}
	network := Endpoint{Name: "box", BaseURL: "http://10.0.0.2:8080/v1"}
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
		{"the server says it, and nobody knows a price", hosted, "other", charged, "$0.023", "0.0232856"},
		{"its counts at configured prices", configured, "large", reported, "$0.023", "0.0232856"},
		{"the configuration goes over the list", configured, "maker/large", reported, "$1.44", "1.4428"},
		{"from the list", hosted, "maker/large", reported, "$0.056", "0.055586"},
		{"from the list, where the name is written otherwise", hosted, "Maker/Large:latest", reported, "$0.056", "0.055586"},
		{"each request costs something too", hosted, "maker/small", reported, "$0.007", "0.0070008"},
		{"free by the list", hosted, "maker/free", reported, "$0", "0"},
		{"free by the list, nothing reported", hosted, "maker/free", pricing.NoUsage(), "$0", "0"},
		{"configured as nothing, nothing reported", configured, "given-away", pricing.NoUsage(), "$0", "0"},
		{"no cached price: the full one", configured, "whole answer", reported, "$0.013", "0.012924"},
		{"a price for each request is configured", configured, "maker/none", reported, "$0.024", "0.024428"},
		{"chosen anew each time", hosted, "openrouter/auto", reported, "–", "0"},
		{"half a price", hosted, "maker/half", reported, "–", "0"},
		{"numbers without a measure", hosted, "maker/numbers", reported, "–", "0"},
		{"a price in words", hosted, "maker/word", reported, "–", "0"},
		{"no price", hosted, "maker/none", reported, "–", "0"},
		{"not in the list", hosted, "maker/gone", reported, "–", "0"},
		{"every other model", all, "anything", reported, "$0.014", "0.014428"},
		{"nothing reported", configured, "large", pricing.NoUsage(), "~$0.021", "0.02125"},
		{"the answer is not reported", configured, "large", usage(10_120, 128, -1, -1, -1), "~$0.023", "0.0225156"},
		{"the prompt is not reported", configured, "large", usage(-1, -1, 4308, -1, -1), "~$0.022", "0.02202"},
		{"more cached than sent", configured, "large", usage(100, 5000, 0, 0, -1), "$0.00002", "0.00002"},
		{"rounded once", configured, "tiny", usage(3, 0, 2, 0, -1), "$0.000000001", "0.000000001"},
		{"half a nanodollar", configured, "half a nano", usage(3, 0, 0, 0, -1), "$0.000000002", "0.000000002"},
		{"hardly anything is not nothing", configured, "tiny", usage(1, 0, 0, 0, -1), "$0.000000001", "0.000000001"},
		{"counts that cannot be true", configured, "too good", usage(1<<62, 0, 1<<62, 0, -1), "$1000000.00", "1000000"},
		{"on this machine", own, "qwen3", reported, "", "0"},
		{"on this machine, at a price of nothing", ownPriced, "qwen3", reported, "$0", "0"},
		{"on this machine, but it charges", own, "qwen3", charged, "$0.023", "0.0232856"},
		{"on this network", network, "qwen3", reported, "", "0"},
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

// countingDoer counts the requests that reach a server.
type countingDoer struct {
	Doer
	n int
}

func (d *countingDoer) Do(req *http.Request) (*http.Response, error) {
	d.n++
	return d.Doer.Do(req)
}

// A list is read once, only where a price is asked for, and never from a server of the user's own.
func TestPricesAreFoundInTheList(t *testing.T) {
	tests := []struct {
		name     string
		endpoint Endpoint
		want     string // requests, and the price for a million tokens then
	}{
		{"hosted", Endpoint{Name: "hosted", BaseURL: "https://api.example.com/v1"}, "1 $1.25"},
		{"configured", Endpoint{Name: "hosted", BaseURL: "https://api.example.com/v1", Prices: map[string]pricing.Prices{pricing.AnyModel: prices(7, 7, 7)}}, "0 $7.00"},
		{"on this machine", Endpoint{Name: "own", BaseURL: "http://127.0.0.1:9/v1"}, "0 $0"},
	}
	for _, test := range tests {
		server := &countingDoer{Doer: machine{"https://api.example.com/v1/models": someList}}
		test.endpoint.Doer = server
		client := NewClient(test.endpoint)
		for range 3 {
			if err := client.FindPrices(context.Background(), "maker/large"); err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
		}
		wantText(t, test.name, fmt.Sprint(server.n, " ", client.Prices("maker/large").In), test.want)
	}
}

// A list that could not be read is not waited for again, but what a later one says counts.
func TestPricesAreAskedForOnce(t *testing.T) {
	at := machine{"https://api.example.com/v1/models": "404 nothing here"}
	server := &countingDoer{Doer: at}
	client := NewClient(Endpoint{Name: "hosted", BaseURL: "https://api.example.com/v1", Doer: server})
	if err := client.FindPrices(context.Background(), "maker/large"); err == nil {
		t.Error("a list that is not there was read")
	}
	if err := client.FindPrices(context.Background(), "maker/large"); err != nil || server.n != 1 {
		t.Errorf("after %d requests: %v; want no second one", server.n, err)
	}
	at["https://api.example.com/v1/models"] = someList
	if _, err := client.Models(context.Background()); err != nil {
		t.Fatal(err)
	}
	wantText(t, "the price", client.Prices("maker/large").In.String(), "$1.25")
}

// A price by the maker's list holds at the maker's own address alone, below what the user configured.
func TestListPricesHoldAtTheMakersAddress(t *testing.T) {
	for _, test := range []struct {
		name, base, model string
		configured        map[string]pricing.Prices
		want              string
	}{
		{"the maker", "https://api.openai.com/v1", "gpt-5.2", nil, "$1.75"},
		{"the maker, with a slash", "https://API.openai.com/v1/", "gpt-5.2", nil, "$1.75"},
		{"another region", "https://eu.api.openai.com/v1", "gpt-5.2", nil, "unknown"},
		{"a proxy", "https://llm.example.com/v1", "gpt-5.2", nil, "unknown"},
		{"another maker", "https://api.anthropic.com/v1", "gpt-5.2", nil, "unknown"},
		{"a server here", "http://127.0.0.1:8080/v1", "gpt-5.2", nil, "unknown"},
		{"a snapshot that the maker defines", "https://api.openai.com/v1", "gpt-5.2-2025-12-11", nil, "$1.75"},
		{"a snapshot that nobody defined", "https://api.openai.com/v1", "gpt-5.2-2026-11-01", nil, "unknown"},
		{"a newer model", "https://api.openai.com/v1", "gpt-5.25", nil, "unknown"},
		{"a name as the list of models has it", "https://generativelanguage.googleapis.com/v1beta/openai", "models/gemini-2.5-flash", nil, "$0.30"},
		{"the user's own price", "https://api.openai.com/v1", "gpt-5.2", map[string]pricing.Prices{"gpt-5.2": prices(3, 3, 3)}, "$3.00"},
		{"the user's own price of all models", "https://api.openai.com/v1", "gpt-5.2", map[string]pricing.Prices{pricing.AnyModel: prices(4, 4, 4)}, "$4.00"},
	} {
		got := "unknown"
		if p := NewClient(Endpoint{Name: "e", BaseURL: test.base, Prices: test.configured}).Prices(test.model); p.Known() {
			got = p.In.String()
		}
		wantText(t, test.name, got, test.want)
	}
}

// What the server's own list says goes over the table.
func TestTheServersListGoesOverListPrices(t *testing.T) {
	client := NewClient(Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1"})
	client.keepPrices([]listed{{ID: "gpt-5.2", Pricing: map[string]any{"prompt": "0.000005", "completion": "0.00001", "input_cache_write": "0.000006"}}})
	p := client.Prices("gpt-5.2")
	wantText(t, "the price", fmt.Sprint(p.In, " ", p.Cached, " ", p.CacheWrite, " ", p.CacheWriteHour, " ", p.Source), "$5.00 $5.00 $6.00 $6.00 the server's list of models")
}
