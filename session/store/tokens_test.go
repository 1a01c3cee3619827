package store

import (
	"context"
	"testing"

	"winnow/history"
)

func TestTokenCountsAreKeptWithTheirTokenizer(t *testing.T) {
	s := newStore(t)
	_, first := begin(t, s, "", "hello")
	must(t, "set", s.SetTokens(context.Background(), "o200k_base", map[int64]int{first.ID: 7, 999: 3}))
	if got := read(t, s, first.ID); got.Tokens != 7 || got.Tokenizer != "o200k_base" || got.Damaged {
		t.Errorf("tokens are %d by %q, want 7 by o200k_base", got.Tokens, got.Tokenizer)
	}
}

// TestStreamingAnswerKeepsItsOwnCount counts an answer that another window still writes.
func TestStreamingAnswerKeepsItsOwnCount(t *testing.T) {
	s := newStore(t)
	session, first := begin(t, s, "", "hello")
	answer, err := s.StartAnswer(context.Background(), says(session.ID, first.ID, history.Assistant, "Hal"))
	must(t, "start", err)
	must(t, "set", s.SetTokens(context.Background(), "o200k_base", map[int64]int{answer.ID: 1}))
	if got := read(t, s, answer.ID); got.Tokens != 0 {
		t.Errorf("the answer has %d tokens while it arrives, want none yet", got.Tokens)
	}
}
