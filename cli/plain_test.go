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
	chat.want("winnow, plain mode. The model is openai/small", "you:")
	chat.send("remember this" + enterKey)
	chat.want("Sending 1 of 1 message", "Half of what I wanted to say")
	chat.send(ctrlC)
	chat.want("Stopped; what arrived is kept.")
	chat.send("/history" + enterKey)
	chat.want("(stopped here)")
	chat.send(ctrlD)
	if code := chat.end(); code != 0 {
		t.Errorf("winnow ended with %d after ctrl+d", code)
	}
	line := resumeLine.FindStringSubmatch(chat.text())
	if line == nil {
		t.Fatalf("no line says how to resume:\n%s", chat.text())
	}
	chat.mu.Lock()
	raw := string(chat.raw)
	chat.mu.Unlock()
	if i := strings.Index(raw, "\x1b"); i >= 0 {
		t.Errorf("an escape sequence was written: %q", raw[max(0, i-20):min(len(raw), i+20)])
	}
	again := startIn(t, env, 100, 40, "--plain", "-s", line[1])
	again.want(`This is "remember this" with 2 messages.`)
	again.send(ctrlD)
	again.end()
}

// In plain mode a tool call that was left waiting is answered by a letter, and messages are edited and found.
func TestPlainModeAnswersEditsAndSearches(t *testing.T) {
	t.Parallel()
	env := killedWhileAsking(t, "hang\n"+`data: {"choices":[{"index":0,"delta":{"content":"It is"}}]}`)
	chat := startIn(t, env, 100, 60, "--plain", "-c")
	chat.want("/answer asks you about it first.", "you:")
	chat.send("/answer" + enterKey)
	chat.want("The model wants to call the tool now", "Run it? y: yes", "answer:")
	chat.send(ctrlC)
	chat.want("The call is still waiting.")
	chat.send("/answer" + enterKey)
	chat.wantTimes(2, "Run it? y: yes")
	chat.send("y" + enterKey)
	chat.want("now returned", "Sending 3 of 3 messages")
	chat.send(ctrlC)
	chat.want("Stopped; what arrived is kept.")
	chat.send("/answer" + enterKey)
	chat.want("No tool call is waiting for an answer.")
	chat.send("/edit 1" + enterKey)
	chat.want("Message 1 is:", "Type the new text.")
	chat.send("which keys are there?" + enterKey)
	chat.want("Sending 1 of 1 message")
	chat.send(ctrlC)
	chat.wantTimes(2, "Stopped; what arrived is kept.")
	chat.send("/versions" + enterKey)
	chat.want("message 1, you: version 2 of 2")
	chat.send("/search which KEYS" + enterKey)
	chat.want("Message 1, you, whole: which keys are there?")
	chat.send(ctrlD)
	if code := chat.end(); code != 0 {
		t.Errorf("winnow ended with %d", code)
	}
	if strings.Contains(string(chat.raw), "\x1b") {
		t.Errorf("an escape sequence was written: %q", chat.raw)
	}
}

func TestPlainModeThroughPipes(t *testing.T) {
	t.Parallel()
	_, env := serve(t, home(t), newScriptedServer("200\n"+`data: {"choices":[{"index":0,"delta":{"content":"A \u001b[31mred\u001b[0m answer."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]"))
	run := exec.CommandContext(t.Context(), winnowPath(t), "--plain")
	run.Env, run.Stdin = env, strings.NewReader("Hello\n/context\n")
	out, err := run.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "red") || !strings.Contains(string(out), "message 2, model: whole") || !resumeLine.Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
	unnamed := exec.CommandContext(t.Context(), winnowPath(t), "--plain")
	unnamed.Env, unnamed.Stdin = home(t), strings.NewReader("Hello\n")
	if out, err := unnamed.CombinedOutput(); err == nil || !strings.Contains(string(out), "no model is named") {
		t.Errorf("without a model: %v\n%s", err, out)
	}
}
