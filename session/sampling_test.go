package session

import (
	"strings"
	"testing"

	"winnow/session/record"
)

// ofModels returns the configuration of some models, by "endpoint/model".
func ofModels(all map[string]ModelDefaults) func(endpoint, model string) ModelDefaults {
	return func(endpoint, model string) ModelDefaults { return all[endpoint+"/"+model] }
}

// Until its first request, a conversation uses the system prompt that is configured for its model; it keeps that prompt
// when its model changes later. The other configuration of a model applies while the model is used.
func TestSettingsOfAModelComeWithIt(t *testing.T) {
	t.Parallel()
	b := newBench(t, says("One."), says("Two."), says("Three."))
	cold, warm, none := 0.1, 0.9, ""
	brief, long := "Be brief.", "Take your time."
	b.deps.System, b.deps.Sampling.Temperature = "For all.", &cold
	b.deps.DefaultsFor = ofModels(map[string]ModelDefaults{
		"test/m": {
			System: &brief, Sampling: record.Sampling{Temperature: &warm}, Tables: map[string]string{
				"system": `[models."m"]`, "temperature": `[models."m"]`,
			},
		},
		"test/n": {System: &long},
		"test/q": {System: &none},
	})
	s := b.begin()
	said := func(key string) string {
		t.Helper()
		list, err := s.Try(t.Context(), Settings{}).Settings()
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range list {
			if g.Key == key {
				return strings.TrimSpace(g.Text() + " " + g.From + " " + g.Table)
			}
		}
		return ""
	}
	use := func(model, prompt string) {
		t.Helper()
		if err := s.Set(t.Context(), Settings{Model: model}); err != nil {
			t.Fatal(err)
		}
		if got := s.State().System; got != prompt {
			t.Errorf("with %s the system prompt is %q, want %q", model, got, prompt)
		}
	}
	wantSaid := func(key, want string) {
		t.Helper()
		if got := said(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	use("test/q", "")
	use("test/o", "For all.")
	wantSaid("system", "8 characters configuration")
	wantSaid("temperature", "0.1 configuration")
	use("test/n", long)
	tried := s.Try(t.Context(), Settings{Model: "test/n"})
	if plan, err := tried.Preview(say("hello")); err != nil || plan.Messages[0].Content != long {
		t.Errorf("the trial plans with %+v: %v", plan.Messages, err)
	}
	use("test/m", brief)
	wantSaid("system", `9 characters configuration [models."m"]`)
	wantSaid("temperature", `0.9 configuration [models."m"]`)
	ask := func(n int, holds ...string) {
		t.Helper()
		completed(t, s.Send(t.Context(), say("hello")))
		for _, part := range holds {
			if !strings.Contains(b.body(n), part) {
				t.Errorf("request %d is %s, want %s in it", n, b.body(n), part)
			}
		}
	}
	ask(1, brief, `"temperature":0.9`)
	use("test/n", brief)
	wantSaid("system", "9 characters session")
	ask(2, brief, `"temperature":0.1`)
	for turn := range 2 {
		if r, err := s.Records().Replay(t.Context(), turn+1, 1); err != nil || !r.Proven {
			t.Errorf("turn %d is not proven: %v %s", turn+1, err, r.Doubt)
		}
	}
	s = b.open(s.Info().ID)
	wantSaid("system", "9 characters session")
}
