package panel

import (
	"slices"
	"testing"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
)

func TestBudgetTurnsInSteps(t *testing.T) {
	for _, c := range []struct {
		at, by, window int
		want           int
		ok             bool
	}{
		{0, 1, 4096, 1000, true},
		{0, -1, 4096, 0, false},
		{1000, -1, 4096, 0, true},
		{4000, 1, 4096, 4096, true},
		{4096, 1, 4096, 4096, false},
		{4096, -1, 4096, 4000, true},
		{5312, 1, 32_768, 6000, true}, // a budget that was typed lies between two steps
		{5312, -1, 32_768, 4000, true},
		{9000, 1, 4096, 9000, false},
		{9000, -1, 4096, 4096, true},
		{1_000_000, 1, 0, 1_000_000, false},
		{1_000_000, 1, 2_000_000, 2_000_000, true},
	} {
		got, ok := budgetBy(c.at, c.by, c.window)
		if got != c.want || ok != c.ok {
			t.Errorf("from %d by %d with a window of %d: got %d, %v, want %d, %v", c.at, c.by, c.window, got,
				ok, c.want, c.ok)
		}
	}
}

func TestATurnedDialLeavesTheOthersAlone(t *testing.T) {
	was := Settings{Budget: 6000, Preset: "balanced", Placement: history.Steady, Model: "here/small"}
	to := was
	to.Budget = 8000
	tried := With(session.Settings{}, budgetDial, to, was)
	if *tried.Budget != 8000 || tried.Preset != "" || tried.Placement != "" || tried.Model != "" {
		t.Fatalf("the budget alone was turned: %+v", tried)
	}
	to.Preset = "recall"
	tried = With(tried, presetDial, to, was)
	to.Budget = 6000
	tried = With(tried, budgetDial, to, was)
	if tried.Preset != "recall" || tried.Budget == nil {
		t.Fatalf("under another preset the old budget is not a matter of course, but the trial is %+v", tried)
	}
	for d, back := range []Settings{was, was, was, was} {
		tried = With(tried, Dial(d), back, was)
	}
	if tried != (session.Settings{}) {
		t.Errorf("all dials are turned back, but the trial is %+v", tried)
	}
}

func TestTheModelDialHoldsEachModelOnce(t *testing.T) {
	endpoints := []llm.Endpoint{{Name: "here", Default: "small"}, {Name: "there", Default: "large"}, {Name: "bare"}}
	listed := []llm.Model{
		{Endpoint: "there", ID: "large"}, {Endpoint: "there", ID: "maker/huge"}, {Endpoint: "bare", ID: "one"},
	}
	want := []string{"here/small", "there/large", "there/maker/huge", "bare/one"}
	if got := Refs("here/small", endpoints, listed); !slices.Equal(got, want) {
		t.Errorf("the models are %q, want %q", got, want)
	}
	if got := Refs("here/tuned", endpoints, nil); !slices.Equal(got,
		[]string{"here/tuned", "here/small", "there/large"}) {
		t.Errorf("with a model in use that nobody lists the models are %q", got)
	}
}
