package keys

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
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
	if _, err := FromCommand(ctx, []string{"sh", "-c", "echo sk-1"}); err == nil ||
		strings.Contains(err.Error(), "took longer") {
		t.Errorf("a command that was stopped: %v", err)
	}
}

// A program that a command leaves behind, such as an agent, may keep the command's output open. It is not waited for,
// neither after the key nor after the command has failed or was stopped.
func TestFromCommandDoesNotWaitForWhatTheCommandLeavesBehind(t *testing.T) {
	end := fifo(t) // what is left behind ends when this is opened for writing
	run := func(ctx context.Context, script string) (Secret, error) {
		key, err := FromCommand(ctx, []string{"sh", "-c", "cat " + end + " & " + script})
		if err := os.WriteFile(end, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return key, err
	}
	if key, err := run(t.Context(), "echo sk-1"); err != nil || key.Reveal() != "sk-1" {
		t.Errorf("a key that was printed: %q, %v", key.Reveal(), err)
	}
	if _, err := run(t.Context(), "exit 3"); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("a command that failed: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	started := fifo(t)
	go func() {
		_, _ = os.ReadFile(started) // returns when the command has written to it
		cancel()
	}()
	_, err := run(ctx, "echo sk-1; echo >"+started+"; wait")
	if err == nil || !strings.Contains(err.Error(), "was stopped") {
		t.Errorf("a command that was stopped: %v", err)
	}
}

func fifo(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "fifo")
	if out, err := exec.Command("mkfifo", path).CombinedOutput(); err != nil {
		t.Fatalf("mkfifo: %v %s", err, out)
	}
	return path
}
