package store

import (
	"context"
	"testing"
)

func TestTokenCountsAreKeptWithTheirTokenizer(t *testing.T) {
	s := newStore(t)
	_, first := begin(t, s, "", "hello")
	must(t, "set", s.SetTokens(context.Background(), "o200k_base", map[int64]int{first.ID: 7, 999: 3}))
	if got := read(t, s, first.ID); got.Tokens != 7 || got.Tokenizer != "o200k_base" || got.Damaged {
		t.Errorf("tokens are %d by %q, want 7 by o200k_base", got.Tokens, got.Tokenizer)
	}
}
