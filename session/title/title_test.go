package title

import (
	"strings"
	"testing"
)

func TestOfAFirstMessage(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Hi there", "Hi there"},
		{"# How do I parse **TOML** in Go?\nI tried…", "How do I parse TOML in Go?"},
		{"Explain this stack trace. It comes from main.go", "Explain this stack trace"},
		{"use v1.2.3 of the library please", "use v1.2.3 of the library please"},
		{"\n\n```\n---\nfunc main() {}\n```", "func main() {}"},
		{strings.Repeat("verylong ", 20), "verylong verylong verylong verylong verylong…"},
		{"解析器是什么？请解释。", "解析器是什么"},
		{"\x1b]0;owned\x07 title", "]0;owned title"},
		{"   ", "Untitled"},
	} {
		if got := FromText(c.text); got != c.want {
			t.Errorf("Of(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}
