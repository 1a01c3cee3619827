package keys

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestFromCommandTakesTheFirstLine(t *testing.T) {
	for name, c := range map[string]struct {
		script, key, err string
	}{
		"one line":   {"echo ' sk-1 '", "sk-1", ""},
		"more lines": {"printf 'sk-1\nmore\n'", "sk-1", ""},
		"nothing":    {"true", "", "printed nothing"},
		"a failure":  {"echo 'is locked' >&2; exit 3", "", "exit status 3 is locked"},
	} {
		key, err := FromCommand(t.Context(), []string{"sh", "-c", c.script})
		if key.Reveal() != c.key || (err != nil) != (c.err != "") || err != nil &&
			!strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %v; want %q and an error with %q", name, key.Reveal(), err, c.key, c.err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FromCommand(ctx, []string{"sh", "-c", "echo sk-1"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a command that was stopped: %v", err)
	}
}
