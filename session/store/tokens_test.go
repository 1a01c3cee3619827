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

// TestTokenCountsChangeNothingElse compares all that a row holds beside its counts, whatever its bytes
// are.
func TestTokenCountsChangeNothingElse(t *testing.T) {
	s := newStore(t)
	session, last := begin(t, s, "", "hello")
	counts := map[int64]int{last.ID: 1}
	for i, text := range []string{"", "\x00\xff\xfe", "\x1b]52;c;eA==\x07", "東京 🙂"} {
		last = add(t, s, says(session.ID, last.ID, history.User, text))
		counts[last.ID] = 1 << (7 * i) // integers of different lengths in the file
	}
	before := rest(t, s)
	for _, tokenizer := range []string{"o200k_base", "o300k"} {
		must(t, "set", s.SetTokens(context.Background(), tokenizer, counts))
	}
	if after := rest(t, s); after != before {
		t.Errorf("the rows were\n%s\nand are\n%s", before, after)
	}
	for id, want := range counts {
		if got := read(t, s, id); got.Tokens != want || got.Tokenizer != "o300k" || got.Damaged {
			t.Errorf("message %d has %d tokens by %q, damaged %t; want %d by o300k", id, got.Tokens, got.Tokenizer,
				got.Damaged, want)
		}
	}
}

// rest is all that the rows of messages hold beside their counts.
func rest(t *testing.T, s *Store) string {
	t.Helper()
	rows, err := s.full.Query(`
		SELECT group_concat(concat_ws(' ', id, session, seq, parent, role, status, created_ms, request, owner,
			endpoint, model, finish_reason, label, hex(name), hex(tool_call_id), hex(hash), hex(extra), hex(reasoning),
			hex(content)), char(10))
		FROM messages`)
	must(t, "read the rows", err)
	defer rows.Close()
	var all string
	for rows.Next() {
		must(t, "read a row", rows.Scan(&all))
	}
	must(t, "read the rows", rows.Err())
	return all
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
