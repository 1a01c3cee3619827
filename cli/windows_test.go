package cli

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// A second window reads, a script is not held up, and a window that died lets go.
func TestSessionOpenInTwoWindows(t *testing.T) {
	t.Parallel()
	env := home(t)
	first := startIn(t, env, 110, 32, "-m", "guide")
	first.want("guide", "enter send")
	first.send("which keys are there?")
	first.want("which keys are there?")
	first.send(enterKey)
	first.waitFor("the guide's whole answer", answered)
	list := exec.Command(winnowPath(t), "sessions", "list", "--json")
	list.Env = env
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	id := between(string(out), `"id": "`, `"`)

	second := startIn(t, env, 110, 32, "-m", "guide", "-s", id)
	second.want("which keys are there?", "Open in another window; read-only here.", "ctrl+f forks it")
	second.send("nothing of this is taken")
	second.want("this session is open in another window")
	if strings.Contains(second.text(), "nothing of this") {
		t.Errorf("the closed composer took a draft:\n%s", second.text())
	}

	run := exec.Command(winnowPath(t), "run", "-m", "guide", "-s", id, "how do I quit?")
	run.Env = env
	var said bytes.Buffer
	run.Stderr = &said
	if _, err := run.Output(); err != nil || !strings.Contains(said.String(), "this session is open in a chat") {
		t.Errorf("a script in a session that a window has open: %v, and it says %q", err, said.String())
	}

	second.send(enterKey)
	second.want("It is still open in the other window.")
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-first.over
	second.send(enterKey)
	second.want("how do I quit?", "enter send")
	second.send(ctrlD)
	second.end()
}
