package tokenizer

import (
	"strings"
	"testing"
)

func TestTokensOfKnownTexts(t *testing.T) {
	c := New()
	for text, want := range map[string]int{"": 0, "hello world": 2, "<|endoftext|>": 7} { // no special token
		if got := c.Count(text); got != want {
			t.Errorf("%q: got %d tokens, want %d", text, got, want)
		}
	}
	for _, text := range []string{"\xff\xfe\x00", strings.Repeat("a", 20_000), strings.Repeat("\x80", 1000)} {
		if got := c.Count(text); got <= 0 || got > len(text) {
			t.Errorf("%.10q…, %d bytes: got %d tokens", text, len(text), got)
		}
	}
}
