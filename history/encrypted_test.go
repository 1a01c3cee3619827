package history

import (
	"strings"
	"testing"
)

// How long encrypted reasoning is says nothing about what a server counts: it costs nothing in a plan, and the
// rest of what an answer carries costs what it is.
func TestEncryptedReasoningCostsNothing(t *testing.T) {
	t.Parallel()
	to := Origin{Endpoint: "e", Model: "m"}
	total := func(replay string) int {
		policy, err := Preset("balanced")
		if err != nil {
			t.Fatal(err)
		}
		past := []Message{
			{ID: 1, Role: User, Content: "1+2?", Status: Complete},
			{ID: 2, Role: Assistant, Content: "Three.", Status: Complete, Origin: to, Replay: replay},
		}
		plan, err := Build(past, Options{Policy: policy, To: to, Ratio: 1, Turn: []Message{{ID: 3, Role: User, Content: "Sure?"}}})
		if err != nil {
			t.Fatal(err)
		}
		return plan.Sum.Total
	}
	item := func(encrypted, summary string) string {
		return `{"responses_reasoning":[{"type":"reasoning","encrypted_content":"` + encrypted + `","summary":"` + summary + `"}]}`
	}
	long := strings.Repeat("Zm9v+/", 500)
	if short, got := total(item("a", "")), total(item(long, "")); got != short {
		t.Errorf("with 3,000 encrypted characters the request costs %d, want %d", got, short)
	}
	if short, got := total(item("a", "")), total(item("a", "a summary of some words")); got <= short {
		t.Errorf("with a summary the request costs %d, want more than %d", got, short)
	}
	if short, got := total(`{"encrypted_content":"a"}`), total(`{"encrypted_content":"`+long+`"}`); got <= short {
		t.Errorf("with a long key of another format the request costs %d, want more than %d", got, short)
	}
}
