package llm

import (
	"testing"

	"winnow/llm/pricing"
)

func TestPatternsNameModels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, endpoint, model string
		want                     bool
	}{
		{"openai/gpt-5.2", "openai", "gpt-5.2", true},
		{"gpt-5.2", "openai", "gpt-5.2", true},
		{"gpt-5*", "openai", "gpt-5.2-mini", true},
		{"gpt-5", "openai", "gpt-5.2", false},
		{"openrouter/*", "openrouter", "openai/gpt-5.2", true},
		{"openrouter/openai/*", "openrouter", "openai/gpt-5.2", true},
		{"gpt-*", "openrouter", "openai/gpt-5.2", true},
		{"openai/gpt-*", "openrouter", "openai/gpt-5.2", true}, // the model's name
		{"openai/*", "work", "gpt-5.2", false},
		{"Qwen3*", "ollama", "qwen3:latest", true},
		{"gemini-*", "gemini", "models/gemini-pro", true},
		{"*", "any", "thing", true},
		{"m[12]", "x", "m2", true},
		{"m[12]", "x", "m3", false},
		{`m\*`, "x", "m*", true},
		{`m\*`, "x", "mm", false},
	} {
		if got, err := MatchModel(c.pattern, c.endpoint, c.model); got != c.want || err != nil {
			t.Errorf("%q and %s/%s: %t, %v, want %t", c.pattern, c.endpoint, c.model, got, err, c.want)
		}
	}
	if _, err := MatchModel("m[", "x", "m"); err == nil {
		t.Error("a class without an end is no mistake")
	}
}

// Each setting is looked up separately: what a specific pattern does not set, a more general one may.
func TestSettingsOfAModelAreFoundOneByOne(t *testing.T) {
	t.Parallel()
	off, on := false, true
	price := func(dollars float64) pricing.Prices {
		in, _ := pricing.Dollars(dollars)
		return pricing.Prices{Rates: pricing.UncachedRates(in, in), Source: "test"}
	}
	catalog := (&Catalog{ModelConfigs: []ModelConfig{
		{Pattern: "big", Table: `[models."big"]`, Wire: ChatWire, Prices: price(3)},
		{Pattern: "*", Table: `[models."*"]`, Window: 700, Prices: price(2), Tools: &off},
	}}).With(Endpoint{
		Name: "x", BaseURL: "http://127.0.0.1:1/v1", Window: 500, Wire: "other",
		ModelConfigs: []ModelConfig{{Pattern: "x/own", Window: 900, Tools: &on}},
		Prices:       map[string]pricing.Prices{"own": price(4), pricing.AnyModel: price(1)},
	}, Endpoint{Name: "y", BaseURL: "http://127.0.0.1:1/v1"})
	for _, c := range []struct {
		ref    string
		window int
		source string
		price  string
		tools  bool
		wire   Wire
	}{
		{"x/own", 900, "the configuration", "$4.00", true, "other"},
		{"x/big", 700, `the configuration, [models."*"]`, "$3.00", false, ChatWire},
		{"y/small", 700, `the configuration, [models."*"]`, "$2.00", false, AutoWire},
	} {
		client, model, err := catalog.Resolve(c.ref)
		if err != nil {
			t.Fatal(err)
		}
		e := client.Endpoint()
		if w := e.ConfiguredWindow(model); w.Tokens != c.window || w.Source != c.source {
			t.Errorf("%s: the window is %d by %q", c.ref, w.Tokens, w.Source)
		}
		wantText(t, c.ref, client.Prices(model).In.String(), c.price)
		if client.Profile(model).NoTools == c.tools {
			t.Errorf("%s: tools are offered: %t", c.ref, !c.tools)
		}
		wantText(t, c.ref, string(e.configuredWire(model)), string(c.wire))
	}
}
