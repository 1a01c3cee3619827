package cli

import (
	"os/exec"
	"strings"
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
		"message 2, model: whole") || !resumeLine.Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
	unnamed := exec.CommandContext(t.Context(), winnowPath(t), "--plain")
	unnamed.Env, unnamed.Stdin = home(t), strings.NewReader("Hello\n")
	if out, err := unnamed.CombinedOutput(); err == nil || !strings.Contains(string(out), "no model is named") {
		t.Errorf("without a model: %v\n%s", err, out)
	}
}
