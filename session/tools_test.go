package session

import (
	"testing"

	"winnow/session/approval"
)

// Only the user's refusal is called one.
func TestACallThatNobodyRefusedIsNotCalledRefused(t *testing.T) {
	for approve, want := range map[approval.Mode]string{approval.Never: switchedOff, approval.AskFirst: nobodyAsked} {
		t.Run(string(approve), func(t *testing.T) {
			b := newBench(t, calls("c1", "add", `{"a":1,"b":2}`), says("As you wish."))
			b.deps.Approval.Mode, b.deps.Approval.Unattended = approve, true
			b.offer(adder(t))
			s := b.begin()
			_, err := drain(s.Send(t.Context(), say("1+2?")))
			if got := s.Messages()[2].Content; got != want {
				t.Errorf("the result is %q, want %q", got, want)
			}
			wantError, requests := false, 2
			if approve == approval.AskFirst {
				wantError, requests = true, 1
			}
			if (err != nil) != wantError || b.requests() != requests {
				t.Errorf("the turn ended with %v after %d requests, want an error: %v, after %d", err, b.requests(),
					wantError, requests)
			}
		})
	}
}
