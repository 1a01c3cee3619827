package cli

import (
	"bytes"
	"strings"
	"testing"
)

// On a terminal what was found is bold, and nothing of what was said is more than text.
func TestSearchMarksWhatItFindsOnATerminal(t *testing.T) {
	t.Parallel()
	env := home(t)
	if run := startIn(t, env, 80, 24, "run", "-m", "guide",
		"a\x1b]52;c;eA==\x07 needle\x1b[2J in the hay"); run.End() != 0 {
		t.Fatalf("winnow run ended otherwise than well:\n%s", run.Text())
	}
	run := startIn(t, env, 80, 24, "sessions", "search", "hay", "need")
	if code := run.End(); code != 0 {
		t.Fatalf("winnow sessions search ended with %d:\n%s", code, run.Text())
	}
	if !bytes.Contains(run.Written(), []byte("\x1b[1mneedle\x1b[22m")) {
		t.Errorf("the terminal received %q, want needle in bold", run.Written())
	}
	clean := strings.NewReplacer("\x1b[1m", "", "\x1b[22m", "").Replace(string(run.Written()))
	if strings.ContainsAny(clean, "\x1b\a") {
		t.Errorf("the terminal received %q, want no escape sequence but bold", run.Written())
	}
}
