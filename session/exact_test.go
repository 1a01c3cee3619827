package session

import (
	"strings"
	"testing"

	"winnow/llm"
)

// The server of this test counts 1.5 times as many tokens as winnow.
func TestExactCountsReplaceTheEstimates(t *testing.T) {
	b := newBench(t, says("One."), says("Two."))
	s := b.begin()
	question := strings.Repeat("What is this about? ", 60)
	completed(t, s.Send(t.Context(), say(question)))
	plan, err := s.Preview(say(question))
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := s.Model().CountExactly(t.Context(), plan); changed || err != nil {
		t.Errorf("an endpoint that does not count is asked: %t, %v", changed, err)
	}
	want := plan.Sum.Total * 3 / 2
	asked := 0
	description := map[string]func() string{
		"/apply-template": func() string { return `{"prompt":"all of it"}` },
		"/tokenize": func() string {
			asked++
			return `{"tokens":[` + strings.TrimSuffix(strings.Repeat("7,", want), ",") + `]}`
		},
	}
	b.info = description
	e := b.deps.Models.Endpoints()[0]
	e.CountsTokens = true
	b.deps.Models = new(llm.Catalog).With(e)
	again := b.open(s.Info().ID)
	if plan, err = again.Preview(say(question)); err != nil {
		t.Fatal(err)
	}
	if changed, err := again.Model().CountExactly(t.Context(), plan); !changed || err != nil {
		t.Fatalf("the count is %d, not %d: changed %t, %v", want, plan.Sum.Total, changed, err)
	}
	exact, err := again.Preview(say(question))
	if err != nil {
		t.Fatal(err)
	}
	if got := exact.Sum.Tokens(exact.Sum.Total); got != want || exact.Sum.Margin > 0.03 {
		t.Errorf("the plan says %d tokens with a margin of %g, the server %d", got, exact.Sum.Margin, want)
	}
	if changed, err := again.Model().CountExactly(t.Context(), exact); changed || err != nil || asked != 2 {
		t.Errorf("the same count once more: changed %t, %v, asked %d times; want nothing to change",
			changed, err, asked)
	}
	description["/apply-template"] = func() string { return `{"error":"no"}` }
	if changed, err := again.Model().CountExactly(t.Context(), exact); changed || err == nil {
		t.Errorf("a server that cannot count: changed %t, %v; want an error", changed, err)
	}
	if changed, err := again.Model().CountExactly(t.Context(), exact); changed || err != nil || again.Model().CanCountExactly() {
		t.Errorf("it is asked again: changed %t, %v", changed, err)
	}
	if _, err := drain(again.Send(t.Context(), say("Two?"))); err != nil {
		t.Errorf("sending depends on the server's counting: %v", err)
	}
}
