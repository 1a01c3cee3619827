package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"winnow/cli/shells"
)

// TestDocsHaveTheCommandOfEachShell keeps the documented commands those that TestShellsComplete runs.
func TestDocsHaveTheCommandOfEachShell(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/start.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if !strings.Contains(string(page), "\n"+shells.Install(shell)+"\n") {
			t.Errorf("docs/start.md does not have %s", shells.Install(shell))
		}
	}
}

// TestShellsComplete runs the documented command of each shell, starts the shell and presses tab in it.
func TestShellsComplete(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skipf("%s is not installed", shell)
			}
			completeIn(t, shell, path)
		})
	}
}

func completeIn(t *testing.T, shell, path string) {
	env := append(home(t), "OPENAI_API_KEY=sk-not-a-real-key-0000")
	folders := map[string]string{}
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		folders[name] = value
	}
	// The model's name holds a colon, where bash takes words apart.
	files := map[string]string{
		filepath.Join(folders["XDG_CONFIG_HOME"], "winnow", "config.toml"):             "[endpoints.lab]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"qwen3:14b\"\n",
		filepath.Join(folders["XDG_CONFIG_HOME"], "winnow", "personas", "reviewer.md"): "You review code.\n",
	}
	// fish makes this folder when it is first started.
	files[filepath.Join(folders["HOME"], ".config", "fish", "config.fish")] = "function fish_prompt; echo -n '$ '; end; function fish_greeting; end\n"
	files[filepath.Join(folders["HOME"], ".bashrc")] = "PS1='$ '\n"
	files[filepath.Join(folders["HOME"], ".zshrc")] = "PS1='$ '\n"
	for file, text := range files {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// fish reads its configuration there, and the documented command writes to ~/.config.
	env = append(env, "XDG_CONFIG_HOME="+filepath.Join(folders["HOME"], ".config"), "WINNOW_CONFIG="+filepath.Join(folders["XDG_CONFIG_HOME"], "winnow", "config.toml"))
	importConversation(t, t.TempDir(), env, `{"title": "About parsers", "messages": [{"role": "user", "content": "How does a parser recover?"}]}`)
	list := winnowIn(t, env)("sessions", "list", "--json")
	id := string(idPattern.Find(list))

	install := exec.Command(path, "-c", shells.Install(shell))
	install.Env = env
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", shells.Install(shell), err, out)
	}
	s := startProgram(t, env, 100, 30, path, "-i")
	ready := func(screen string) bool { return strings.HasSuffix(strings.TrimSpace(screen), "$") }
	s.waitFor("a prompt", ready)
	for _, c := range []struct{ typed, completed string }{
		{"winnow sess", "winnow sessions "},
		{"winnow run --no-s", "winnow run --no-save "},
		{"winnow -m la", "winnow -m lab/"},
		{"winnow -m lab/qwen3:1", "winnow -m lab/qwen3:14b "},
		{"winnow --model=lab/qwen3:1", "winnow --model=lab/qwen3:14b "},
		{"winnow -m openai/gpt-5.4-n", "winnow -m openai/gpt-5.4-nano "},
		{"winnow run -P rev", "winnow run -P reviewer "},
		{"winnow run hello -s " + id[:4], "winnow run hello -s " + id[:13] + " "},
		{"winnow context " + id[:4], "winnow context " + id[:13] + " "},
		{"winnow context " + id + " --preset cl", "winnow context " + id + " --preset classic "},
	} {
		s.send(c.typed)
		s.want(c.typed)
		s.send("\t")
		// A mark behind the cursor shows what is on the line, with the blank after a completed word.
		s.want(strings.TrimSuffix(c.completed, " "))
		s.send("@")
		s.want("$ " + c.completed + "@")
		s.send("\x15\x0c") // clears the line and the screen
		s.waitFor("an empty line", ready)
	}
}
