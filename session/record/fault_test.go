package record

import (
	"errors"
	"fmt"
	"testing"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

// The parts of an error stand apart, and nothing of it twice.
func TestFaultOfAnError(t *testing.T) {
	t.Parallel()
	server := &llm.Error{
		Kind: llm.ErrServer, Status: 500, Message: "model runner has unexpectedly stopped", Endpoint: "ollama",
		Address: "http://localhost:11434/v1",
	}
	for _, test := range []struct {
		name string
		err  error
		want TurnFault
	}{
		{"a failing server", server, TurnFault{
			What: "ollama failed", Words: "model runner has unexpectedly stopped", Status: 500, Host: "localhost:11434",
			NotCharged: true,
		}},
		{"with what was being done", fmt.Errorf("ask: %w", server), TurnFault{
			What: "Ask: ollama failed", Words: "model runner has unexpectedly stopped", Status: 500,
			Host: "localhost:11434", NotCharged: true,
		}},
		{"words with a full stop", &llm.Error{
			Kind: llm.ErrBadRequest, Status: 400, Message: "Not so.", Endpoint: "here",
		}, TurnFault{What: "here refused the request", Words: "Not so.", Status: 400, Host: "here", NotCharged: true}},
		{"a guide without an address", &llm.Error{
			Kind: llm.ErrRateLimit, Status: 429, Endpoint: "guide", Address: "http://guide.invalid/v1",
		}, TurnFault{What: "guide reports a rate limit", Status: 429, Host: "guide", NotCharged: true}},
		{"nobody listens", &llm.Error{Kind: llm.ErrConnectionRefused, Address: "http://localhost:1"}, TurnFault{
			What: "Nothing answers at http://localhost:1 (connection refused); is the server running?", NotCharged: true,
		}},
		{"silence", &llm.Error{Kind: llm.ErrTimeout, Address: "http://localhost:1"}, TurnFault{
			What: "http://localhost:1 did not answer in time",
		}},
		{"a broken connection", &llm.Error{Kind: llm.ErrConnectionLost, Endpoint: "here"}, TurnFault{
			What: "The connection to here was lost before the answer was complete", ConnectionLost: true,
		}},
		{"an error of another kind", errors.New("the disk is full."), TurnFault{What: "The disk is full"}},
	} {
		if got := NewTurnFault(test.err); got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
		if got := ParseTurnFault(test.want.JSON()); got != test.want {
			t.Errorf("%s: read back it is %+v, want %+v", test.name, got, test.want)
		}
	}
	if got := NewTurnFault(fmt.Errorf("plan: %w", &history.OverBudgetError{})); !got.OverBudget || !got.NotCharged {
		t.Errorf("over the budget: got %+v, want it known and free", got)
	}
	if got := ParseTurnFault("not JSON"); got != (TurnFault{}) {
		t.Errorf("what cannot be read is %+v, want nothing", got)
	}
}

func TestAFailureIsReadBack(t *testing.T) {
	t.Parallel()
	want := FailedTurn{TurnFault: TurnFault{What: "it failed"}, Request: 5, Tries: 3, After: 7}
	m := store.Message{Message: history.Message{ID: 7}, Fault: want.JSON()}
	if got, ok := ParseFailedTurn(m); !ok || got != want {
		t.Errorf("got %+v, %v, want %+v", got, ok, want)
	}
	if got, ok := ParseFailedTurn(store.Message{Fault: "not JSON"}); ok {
		t.Errorf("what cannot be read is %+v", got)
	}
}
