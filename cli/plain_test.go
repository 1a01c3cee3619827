package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// In a terminal plain mode prints lines and nothing that moves the cursor; ctrl+c and ctrl+d do what they do on the
// screen.
func TestPlainModeInATerminal(t *testing.T) {
	t.Parallel()
	env := hanging(t, home(t))
	chat := startIn(t, env, 100, 40, "--plain", "-m", "openai/small")
	chat.Want("winnow, plain mode. The model is openai/small", "you:")
	chat.Send("remember this" + enterKey)
	chat.Want("Sending 1 of 1 message", "Half of what I wanted to say")
	chat.Send(ctrlC)
	chat.Want("Stopped; what arrived is kept.")
	chat.Send("/history" + enterKey)
	chat.Want("(stopped here)")
	chat.Send(ctrlD)
	if code := chat.End(); code != 0 {
		t.Errorf("winnow ended with %d after ctrl+d", code)
	}
	if !resumeLine.MatchString(chat.Text()) {
		t.Fatalf("no line says how to resume:\n%s", chat.Text())
	}
	raw := string(chat.Written())
	if i := strings.Index(raw, "\x1b"); i >= 0 {
		t.Errorf("an escape sequence was written: %q", raw[max(0, i-20):min(len(raw), i+20)])
	}
	again := startIn(t, env, 100, 40, "--plain", "-c")
	again.Want(`This is "remember this" with 2 messages.`)
	again.Send(ctrlD)
	again.End()
}

func TestPlainModeThroughPipes(t *testing.T) {
	t.Parallel()
	_, env := serve(t, home(t),
		newScriptedServer("200\n"+
			`data: {"choices":[{"index":0,"delta":{"content":"A \u001b[31mred\u001b[0m `+
			`answer."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]"))
	run := exec.CommandContext(t.Context(), winnowPath(t), "--plain")
	run.Env, run.Stdin = env, strings.NewReader("Hello\n/context\n")
	out, err := run.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "red") || !strings.Contains(string(out),
		"messages 1 to 2: whole") || !resumeLine.Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
	unnamed := exec.CommandContext(t.Context(), winnowPath(t), "--plain")
	unnamed.Env, unnamed.Stdin = home(t), strings.NewReader("Hello\n")
	if out, err := unnamed.CombinedOutput(); err == nil || !strings.Contains(string(out), "no model is named") {
		t.Errorf("without a model: %v\n%s", err, out)
	}
}

// Plain mode exchanges the history at its start and at its end, says once why that failed, and waits for no folder that
// does not answer.
func TestPlainModeSyncsAtItsStartAndEnd(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	plainly := func(env []string, input string, args ...string) string {
		run := exec.CommandContext(t.Context(), winnowPath(t), append([]string{"--plain"}, args...)...)
		run.Env, run.Stdin = env, strings.NewReader(input)
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	desktop, laptop := syncing(t, folder), syncing(t, folder)
	plainly(desktop, "hello\n", "-m", "guide")
	plainly(laptop, "hello again\n", "-m", "guide")
	plainly(desktop, "", "-m", "guide")
	if list := output(t, desktop, "sessions", "list"); !strings.Contains(string(list), "hello again") {
		t.Errorf("what was said on the other machine is not there:\n%s", list)
	}
	gone := syncing(t, filepath.Join(folder, "gone"))
	if out := plainly(gone, "hello\n", "-m", "guide"); strings.Count(out, "gone") != 1 {
		t.Errorf("the folder that is not there is named %d times, want once:\n%s", strings.Count(out, "gone"), out)
	}
	pipe := filepath.Join(t.TempDir(), "key")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	silent := syncing(t, folder)
	config, err := os.OpenFile(filepath.Join(valueOf(silent, "XDG_CONFIG_HOME"), "winnow", "config.toml"),
		os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer config.Close()
	fmt.Fprintf(config, "key = %q\n", pipe)
	if out := plainly(silent, "hello\n", "-m", "guide"); !strings.Contains(out, "you: hello") {
		t.Errorf("a folder that does not answer holds the chat:\n%s", out)
	}
}
