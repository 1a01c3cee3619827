package ui

import (
	"strings"
	"testing"
)

func TestTheHeaderOfANarrowScreenKeepsItsNumbers(t *testing.T) {
	for _, w := range []int{40, 45, 60, 80} {
		m := chatting(t, w, 24)
		m.current.Ref = "openrouter/a-maker/some-model-with-a-long-name"
		head, _, _ := strings.Cut(plain(m), "\n")
		if !strings.Contains(head, "~5,312 / 6,000") || !strings.Contains(head, "a-mak") {
			t.Errorf("%d columns: the header %q lacks the numbers, or which model it is", w, head)
		}
	}
}
