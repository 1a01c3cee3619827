package session

import (
	"errors"
	"strings"
	"testing"

	"winnow/llm/tool"
	"winnow/session/approval"
)

// Nobody is asked about a tool that does not exist, and a model that insists on it does not go on for ever.
func TestAToolThatDoesNotExistNeedsNoApproval(t *testing.T) {
	again := calls("c2", "read_file", `{"path":"b"}`)
	b := newBench(t, calls("c1", "read_file", `{"path":"a"}`), again, again)
	b.offer(&tool.Toolbox{})
	b.deps.MaxRounds = 3
	s := b.begin()
	events, err := drain(s.Send(t.Context(), say("read it")))
	var wantError *ToolError
	if !errors.As(err, &wantError) || !strings.Contains(err.Error(), "max_rounds") {
		t.Errorf("the turn ended with %v, want a sentence about the limit", err)
	}
	if n := len(only[Asked](events)); n != 0 || b.requests() != 3 {
		t.Errorf("the user was asked %d times in %d requests, want 0 in 3", n, b.requests())
	}
	for _, m := range s.Messages() {
		if m.ToolCallID != "" && !strings.HasPrefix(m.Content, "error: no such tool: read_file") {
			t.Errorf("the result of %s is %q", m.ToolCallID, m.Content)
		}
	}
}

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
