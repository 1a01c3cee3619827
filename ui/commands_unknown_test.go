package ui

import (
	"strings"
	"testing"
)

func TestAMistypedCommandNamesTheNearest(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"modle": "Did you mean /model?", "docter": "Did you mean /doctor?", "chat": "Did you mean /chats?",
		"xyzzy": "",
	} {
		got := unknownCommand(typed)
		if !strings.HasPrefix(got, "There is no command /"+typed+". ") ||
			strings.Contains(got, "Did you mean") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("/%s: %q, want %q in it", typed, got, want)
		}
	}
}
