package settings

import (
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/store"
)

// base is a configuration that sets two keys over a preset.
func base(t *testing.T, environment string) Global {
	t.Helper()
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	policy.MaxMessages, policy.Budget = 7, 9000
	return Global{Policy: policy, Context: "max_messages = 7\nbudget = 9000\n", Environment: environment}
}

func with(t *testing.T, o store.Session, values map[string]any) store.Session {
	t.Helper()
	o, err := WithOverrides(o, values)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestConversationGoesOverConfigurationAndEnvironmentOverBoth(t *testing.T) {
	none, own := store.Session{}, with(t, store.Session{}, map[string]any{"budget": 4000})
	for _, c := range []struct {
		what, environment string
		overrides         store.Session
		asked             []string
		preset            string
		messages, budget  int
	}{
		{"the configuration", "", none, nil, "balanced", 7, 9000},
		{"another preset under the configured keys", "", store.Session{Preset: "recent"}, nil, "recent", 7, 9000},
		{"a budget of the conversation", "", own, nil, "balanced", 7, 4000},
		{"a budget of the environment", "budget = 500", own, nil, "balanced", 7, 500},
		{"a budget that is tried over that", "budget = 500", own, []string{"budget"}, "balanced", 7, 4000},
		{"a preset of the environment", "preset = 'recent'", store.Session{Preset: "classic"}, nil, "recent", 7, 9000},
	} {
		p, err := base(t, c.environment).PolicyOf(c.overrides, c.asked...)
		if err != nil || p.Preset != c.preset || p.MaxMessages != c.messages || p.Budget != c.budget {
			t.Errorf("%s: %s, %d messages, budget %d, %v; want %s, %d and %d", c.what, p.Preset, p.MaxMessages,
				p.Budget, err, c.preset, c.messages, c.budget)
		}
	}
	for what, o := range map[string]store.Session{
		"preset": {Preset: "none"}, "text": {Overrides: "= ="}, "value": {Overrides: "budget = -5"},
	} {
		if p, err := base(t, "").PolicyOf(o); err == nil {
			t.Errorf("a broken %s makes the policy %+v", what, p)
		}
	}
}

func TestWhatTheEnvironmentSetsCannotBeChanged(t *testing.T) {
	b := base(t, "budget = 500")
	other := with(t, store.Session{}, map[string]any{"budget": 4000})
	err := b.CheckOverridable(store.Session{}, other)
	if err == nil || !strings.Contains(err.Error(), "WINNOW_CONTEXT_BUDGET") {
		t.Errorf("a budget is set over the environment's: %v", err)
	}
	if err := b.CheckOverridable(other, with(t, other, map[string]any{"tool_history": "text"})); err != nil {
		t.Errorf("another key cannot be set: %v", err)
	}
}

func TestEachSettingNamesItsOrigin(t *testing.T) {
	b := base(t, "max_messages = 3")
	o := with(t, store.Session{Preset: "recent"}, map[string]any{"recall_max_tokens": 0})
	p, err := b.PolicyOf(o, "strategy")
	if err != nil {
		t.Fatal(err)
	}
	list, err := b.List(o, p, []string{"strategy"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range list {
		got[s.Key] = s.From
	}
	for key, want := range map[string]string{
		"preset": "session", "recall_max_tokens": "session", "budget": "configuration",
		"max_messages": "environment", "strategy": "trial", "elastic": "preset recent",
	} {
		if got[key] != want {
			t.Errorf("%s comes from %q, want %q", key, got[key], want)
		}
	}
	if text := SummaryLine(list); !strings.Contains(text, "from the environment: max_messages 3") ||
		!strings.HasSuffix(text, "the rest from the preset") {
		t.Errorf("in one line: %s", text)
	}
}

func TestNumbersAreReadAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]struct {
		tokens         int
		budget, window bool
	}{
		"auto": {0, true, true}, "8_000": {8000, true, true}, "8,000": {8000, true, true},
		"0": {0, true, false}, "-1": {-1, false, false}, "8k": {0, false, false},
	} {
		if n, ok := ParseBudget(text); ok != want.budget || ok && n != want.tokens {
			t.Errorf("the budget %q is %d, %t", text, n, ok)
		}
		if n, ok := ParseWindow(text); ok != want.window || ok && n != want.tokens {
			t.Errorf("the window %q is %d, %t", text, n, ok)
		}
	}
}
