package llm

import "testing"

func TestDidYouMean(t *testing.T) {
	cases := []struct {
		word  string
		known []string
		want  string
	}{
		{"seesions", []string{"sessions", "models"}, `; did you mean "sessions"?`},
		{"rnu", []string{"run", "db"}, `; did you mean "run"?`},
		{"frobnicate", []string{"run", "db"}, ""},
	}
	for _, c := range cases {
		if got := DidYouMean(c.word, c.known); got != c.want {
			t.Errorf("DidYouMean(%q, %q) = %q, want %q", c.word, c.known, got, c.want)
		}
	}
}
