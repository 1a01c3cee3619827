package store

import (
	"context"
	"strings"
	"testing"

	"winnow/history"
)

// hitsOf returns the hits of a search as lines with the matches in brackets.
func hitsOf(t testing.TB, s *Store, in SearchQuery) []string {
	t.Helper()
	hits, err := s.Search(context.Background(), in)
	must(t, "search for "+in.Text, err)
	out := []string{}
	for _, h := range hits {
		out = append(out, marked(h))
	}
	return out
}

func marked(h SearchHit) string {
	var b strings.Builder
	at := 0
	for _, m := range h.Marks {
		b.WriteString(h.Snippet[at:m[0]] + "[" + h.Snippet[m[0]:m[1]] + "]")
		at = m[1]
	}
	return b.String() + h.Snippet[at:]
}

func countOf(t testing.TB, s *Store, query string) (n int) {
	t.Helper()
	must(t, query, s.reads.QueryRow(query).Scan(&n))
	return n
}

// Wherever a snippet begins and ends, no part of a secret that it cuts through is left.
func TestHitHidesSecretsThatItsSnippetCutsThrough(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	session, _ := begin(t, s, "", "begun")
	const secret = "sk-Zq7Kx2Lm9Vw4Rt6Yp3Nc8Bd5Fg1Hj0"
	hide := func(text string) string { return strings.ReplaceAll(text, secret, "[redacted]") }
	before, after := strings.Repeat("ä,", 200)+"\n \n", strings.Repeat(";z", 400)
	for lead := range 200 {
		for _, text := range []string{
			before + secret + strings.Repeat(".", lead) + " needle " + after,
			before + "needle" + strings.Repeat(".", lead) + secret + after,
		} {
			_, err := s.AppendMessage(context.Background(), says(session.ID, 0, history.User, text))
			must(t, "append", err)
		}
	}
	indexAll(t, s)
	hits, err := s.Search(context.Background(), SearchQuery{Text: "needle ", Limit: 500})
	must(t, "search", err)
	hidden, err := s.Search(context.Background(), SearchQuery{Text: "needle ", Limit: 500, Hide: hide})
	must(t, "search", err)
	cuts := 0
	for i, h := range hits {
		got := hidden[i]
		whole := strings.Contains(h.Snippet, secret)
		holds := func(snippet string) bool {
			for i := range len(secret) - 7 {
				if strings.Contains(snippet, secret[i:i+8]) {
					return true
				}
			}
			return false
		}
		if holds(h.Snippet) && !whole {
			cuts++
		}
		if holds(got.Snippet) || got.Message != h.Message {
			t.Fatalf("of %q is left %q", h.Snippet, got.Snippet)
		}
		for _, m := range got.Marks {
			if got.Snippet[m[0]:m[1]] != "needle" {
				t.Fatalf("%q is marked in %q", got.Snippet[m[0]:m[1]], got.Snippet)
			}
		}
	}
	if cuts < 20 {
		t.Errorf("%d snippets cut through the secret: that shows nothing", cuts)
	}
}
