package tokenizer

import (
	"strings"
	"sync"
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

// TestTokensOfLongTextsByPieces compares pieces with the whole.
func TestTokensOfLongTextsByPieces(t *testing.T) {
	c := New()
	line := "func (s *Store) Sessions(ctx context.Context) error { return nil } // 東京 🙂\n"
	n := pieceMax/len(line) + 50
	if got, want := c.Count(strings.Repeat(line, n)), n*c.Count(line); got != want {
		t.Errorf("%d lines: got %d tokens, want %d", n, got, want)
	}
	for _, text := range []string{
		strings.Repeat("word ", pieceMax/2), strings.Repeat("東", pieceMax), strings.Repeat("\x80", pieceMax*2),
	} {
		sum := ""
		for rest := text; rest != ""; {
			piece := firstPiece(rest)
			if piece == "" || len(piece) > pieceMax {
				t.Fatalf("a piece of %d bytes", len(piece))
			}
			if strings.HasPrefix(text, "東") && strings.ContainsRune(piece, '\uFFFD') {
				t.Fatalf("a code point is cut in two")
			}
			sum += piece
			rest = rest[len(piece):]
		}
		if sum != text {
			t.Errorf("the pieces of %.10q are not the text", text)
		}
	}
}

func TestTokensInManyGoroutines(t *testing.T) {
	c := New()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if got := c.Count("hello world"); got != 2 {
				t.Errorf("got %d tokens, want 2", got)
			}
		})
	}
	wait.Wait()
}
