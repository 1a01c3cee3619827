package session

import (
	"net/http"
	"strings"
	"testing"

	"winnow/llm"
	"winnow/session/approval"
)

// thinks calls a tool after reasoning, or answers after it.
func thinks(reasoning string, then step) step {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		delta(w, map[string]any{"reasoning_content": reasoning})
		then(w, r)
	}
}

// A server that wants the reasoning of earlier answers back gets it in the next request, which is said, and from then
// on at once, in a new run of the program too; another model gets none.
func TestReasoningIsSentBackOnceAServerAskedForIt(t *testing.T) {
	needed := strings.Repeat("I need the tool. ", 40)
	b := newBench(t, thinks(needed, calls("c", "add", `{"a":1,"b":2}`)),
		refuses(http.StatusBadRequest, "{\"error\":{\"message\":\"The `reasoning_content` in the thinking mode must be "+
			"passed back to the API.\",\"type\":\"invalid_request_error\"}}"),
		thinks("Now I know.", says("Three.")), says("You are welcome."), says("Always."))
	b.deps.Approval.Mode = approval.Always
	b.offer(adder(t))
	s := b.begin()
	events, err := drain(s.Send(t.Context(), say("add one and two")))
	plans := only[Planned](events)
	if said := strings.Join(notices(events), "\n"); err != nil || len(plans) != 3 ||
		!strings.Contains(said, "m has to be asked with its reasoning returned to it") {
		t.Fatalf("%v, %d requests, said %q; want 3 and why", err, len(plans), said)
	}
	// The reasoning is part of the sum that was checked and shown.
	if got, want := plans[2].Plan.Sum.Total-plans[1].Plan.Sum.Total, b.deps.Count(needed); got != want {
		t.Errorf("the request with the reasoning is planned %d tokens larger, want %d", got, want)
	}
	for n := range 2 {
		if events, err = drain(s.Send(t.Context(), say("thanks"))); err != nil || len(notices(events)) > 0 ||
			!strings.Contains(b.body(n+4), needed) || !strings.Contains(b.body(n+4), "Now I know.") {
			t.Errorf("%v, said %q; sent %s", err, notices(events), b.body(n+4))
		}
		wantProven(t, s, n+2, 1, b.body(n+4))
		b.deps.Models = new(llm.Catalog).With(b.deps.Models.Endpoints()[0]) // as in a new run
		s = b.open(s.Info().ID)
	}
	if err := s.Set(t.Context(), Settings{Model: "test/other"}); err != nil {
		t.Fatal(err)
	}
	tried := s.Try(t.Context(), Settings{})
	plan, err := tried.Preview(say("hello"))
	if err != nil {
		t.Fatal(err)
	}
	if body, err := tried.Body(plan); err != nil || strings.Contains(string(body), "reasoning_content") {
		t.Errorf("the reasoning is sent to another model: %s %v", body, err)
	}
}
