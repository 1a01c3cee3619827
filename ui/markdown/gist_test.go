package markdown

import (
	"strings"
	"testing"
)

func TestGistHasNoMarks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ md, want string }{
		{"`lsof -nP` names the process; `kill` works the same.", "lsof -nP names the process; kill works the same."},
		{"```go\nvar sync = tokenSet(Semicolon)\n```\nThat is all.", "var sync = tokenSet(Semicolon) That is all."},
		{"1. one\n2. two", "one two"},
		{"a * b * c and snake_case_name", "a * b * c and snake_case_name"},
		{"→ read_file {\"path\":\"a_b_c.go\"}", "→ read_file {\"path\":\"a_b_c.go\"}"},
		{"---", "---"},
		{"", ""},
	} {
		if got := Gist(c.md); got != c.want {
			t.Errorf("the gist of %q is %q, want %q", c.md, got, c.want)
		}
	}
	if got := Gist(strings.Repeat("ä", 100_000)); len(got) > gistBytes {
		t.Errorf("the gist of a long text has %d bytes", len(got))
	}
}
