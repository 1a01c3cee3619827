package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"winnow/ui/uitest/terminal"
)

// What is chosen on the screen holds at the next start, unless something says otherwise. winnow run has none of it.
func TestChoicesHoldAtTheNextStart(t *testing.T) {
	t.Parallel()
	server, env := serve(t, home(t),
		newScriptedServer("200\n"+
			`data: {"choices":[{"index":0,"delta":{"content":"The server answers."},"finish_reason":"stop"}]}`+
			"\n\ndata: [DONE]"))
	state := ""
	for _, variable := range env {
		if dir, ok := strings.CutPrefix(variable, "XDG_STATE_HOME="); ok {
			state = filepath.Join(dir, "winnow", "chosen.json")
		}
	}
	start := func(more ...string) *terminal.Terminal { return startIn(t, append(env, more...), 130, 32) }
	leave := func(chat *terminal.Terminal) {
		chat.Send(ctrlD)
		if code := chat.End(); code != 0 {
			t.Fatalf("winnow ended with %d:\n%s", code, chat.Text())
		}
	}

	chat := start()
	chat.Want("OPENAI_API_KEY is set.", "enter send")
	chat.Send("/model guide/guide" + enterKey)
	chat.Want("The next message goes to guide/guide.")
	chat.Send("\x10") // ctrl+p
	chat.Want("Find a command")
	chat.Send("theme" + enterKey)
	chat.Want("the terminal's own sixteen colours")
	chat.Send("dark" + enterKey)
	chat.Want("The theme is dark. It is remembered.")
	leave(chat)
	if text, err := os.ReadFile(state); !strings.Contains(string(text), `"theme":"dark"`) {
		t.Errorf("the theme is remembered as %q, %v", text, err)
	}

	again := start()
	again.Want("guide", "You used it last.")
	leave(again)
	named := start("WINNOW_MODEL=openai/small")
	named.Want("small", "Set with WINNOW_MODEL.")
	leave(named)

	if err := os.Remove(state); err != nil {
		t.Fatal(err)
	}
	flagged := startIn(t, env, 130, 32, "-m", "guide/guide")
	flagged.Want("guide, built in and offline")
	leave(flagged)
	after := start()
	after.Want("guide", "You used it last.")
	leave(after)

	server.Unrecorded = 1
	out := output(t, append(env, "WINNOW_MODEL="), "run", "--no-save", "who is there?")
	if strings.Contains(string(out), "guide") {
		t.Errorf("run answers %q, want the answer of the model that the environment keys", out)
	}

	if err := os.WriteFile(state, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	damaged := start()
	damaged.Want("OPENAI_API_KEY is set.", "Your last choices could not be read")
	leave(damaged)
}
