package session

import (
	"strings"
	"testing"

	"winnow/llm"
)

// TestARefusedTemperatureIsSaidAndRemembered: the request goes out again without it, and the next run of
// the program begins so. What was recorded is proven.
func TestARefusedTemperatureIsSaidAndRemembered(t *testing.T) {
	t.Parallel()
	b := newBench(t,
		refuses(400, `{"error":{"message":"Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.","param":"temperature"}}`),
		says("Hello."), says("Again."))
	warm := 0.7
	b.deps.Sampling.Temperature = &warm
	s := b.begin()
	events, err := drain(s.Send(t.Context(), "hello"))
	if err != nil || b.requests() != 2 || strings.Contains(b.body(2), "temperature") {
		t.Fatalf("got %v after %d requests", err, b.requests())
	}
	if said := only[Notice](events); len(said) != 1 || !strings.HasSuffix(said[0].Text, "; asking again without temperature") {
		t.Errorf("said %q", said)
	}
	if r, err := s.Replay(t.Context(), 1, 1); err != nil || !r.Proven {
		t.Errorf("the record is not proven: %v %s", err, r.Doubt)
	}
	b.deps.Models = llm.NewCatalog(b.deps.Models.Endpoints()[0])
	if _, err := drain(b.open(s.Info().ID).Send(t.Context(), "again")); err != nil || b.requests() != 3 || strings.Contains(b.body(3), "temperature") {
		t.Errorf("the next run: %v after %d requests, the last %s", err, b.requests(), b.body(3))
	}
}

func TestSamplingOfAModelGoesOverThatOfItsEndpoint(t *testing.T) {
	t.Parallel()
	b := newBench(t, says("One."), says("Two."), says("Three."))
	cold, warm := 0.1, 0.9
	b.deps.Sampling = Sampling{MaxTokens: 100, Temperature: &cold}
	ask := func(name, model, want string) {
		s := b.begin()
		if err := s.SetModel(t.Context(), model); err != nil {
			t.Fatal(err)
		}
		if _, err := drain(s.Send(t.Context(), "hello")); err != nil || !strings.Contains(b.body(b.requests()), want) {
			t.Errorf("%s: %v, sent %s, want %s", name, err, b.body(b.requests()), want)
		}
	}
	ask("for all", "test/m", `"max_tokens":100,"temperature":0.1,"stream"`)
	b.deps.Samplings = map[string]Sampling{"test": {TopP: &warm}, "test/m": {Temperature: &warm, Effort: "low"}, "other/m": {MaxTokens: 7}}
	ask("for the model", "test/m", `"max_tokens":100,"temperature":0.9,"top_p":0.9,"reasoning_effort":"low"`)
	ask("for the endpoint", "test/n", `"max_tokens":100,"temperature":0.1,"top_p":0.9,"stream"`)
}
