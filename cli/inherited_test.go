package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// helper writes a program that writes its environment and its first argument to files, then does more.
func helper(t *testing.T, path, notes, more string) {
	t.Helper()
	script := fmt.Sprintf("#!/bin/sh\nenv >%q\necho \"$1\" >%q\n%s\n", notes+".env", notes+".arg", more)
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
}

// wantWithoutKeys fails where a helper's environment holds one of the keys, or lacks what is no key.
func wantWithoutKeys(t *testing.T, notes string, keys ...string) {
	t.Helper()
	env, err := os.ReadFile(notes + ".env")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if strings.Contains(string(env), key) {
			t.Errorf("%s inherits the key %s:\n%s", notes, key, env)
		}
	}
	for _, kept := range []string{"HOME=", "PATH=", "NO_KEY=plain", "OLLAMA_MODELS=/usr/share/ollama/models"} {
		if !strings.Contains(string(env), kept) {
			t.Errorf("%s does not inherit %s:\n%s", notes, kept, env)
		}
	}
}

// The editor, the clipboard helper and a key_command get an environment without keys, and the editor a file
// that is gone when it ends.
func TestOtherProgramsInheritNoKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bin, runtime := filepath.Join(dir, "bin"), filepath.Join(dir, "runtime")
	for _, folder := range []string{bin, runtime} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	editor, clipboard, command := filepath.Join(dir, "editor"), filepath.Join(dir, "clipboard"),
		filepath.Join(dir, "command")
	helper(t, filepath.Join(bin, "editor"), editor, `stat -c %a "$(dirname "$1")" >>`+editor+`.arg; cp "$1" `+editor+
		`.text; echo swap >"$1.swp"; printf edited >"$1"`)
	helper(t, filepath.Join(bin, "xclip"), clipboard, "cat >/dev/null")
	helper(t, filepath.Join(bin, "key"), command, `echo "$PRINTED_KEY"`)

	env := home(t)
	for i, variable := range env {
		if path, ok := strings.CutPrefix(variable, "PATH="); ok {
			env[i] = "PATH=" + bin + ":" + path
		}
	}
	keys := []string{"sk-of-openai-0001", "sk-of-mistral-0002", "of-the-work-0003", "printed-0004"}
	env = append(env, "EDITOR=editor", "XDG_RUNTIME_DIR="+runtime, "NO_KEY=plain",
		"OLLAMA_MODELS=/usr/share/ollama/models",
		"OPENAI_API_KEY="+keys[0], "OPENAI_BASE_URL=http://127.0.0.1:1/v1", "MISTRAL_API_KEY="+keys[1],
		"WORK_KEY="+keys[2], "SAME_KEY_ELSEWHERE="+keys[2], "PRINTED_KEY="+keys[3])
	configure(t, env, `
[endpoints.mistral]
base_url = "http://127.0.0.1:1/v1"
key = "another key"

[endpoints.work]
base_url = "http://127.0.0.1:1/v1"
key_env = "WORK_KEY"

[endpoints.printed]
base_url = "http://127.0.0.1:1/v1"
key_command = ["key"]

[endpoints.local]
base_url = "http://127.0.0.1:1/v1"
key = "ollama"
`)
	chat := startIn(t, env, 100, 30, "-m", "guide", "--temporary")
	chat.Want("guide", "enter send")
	chat.Send("a secret draft")
	chat.Want("a secret draft")
	chat.Send("\x07") // ctrl+g
	chat.Want("› edited")
	wantWithoutKeys(t, editor, keys...)
	wantWithoutKeys(t, command, keys[:3]...)
	arg, err := os.ReadFile(editor + ".arg")
	if err != nil {
		t.Fatal(err)
	}
	path, mode, _ := strings.Cut(strings.TrimSpace(string(arg)), "\n")
	if !strings.HasPrefix(path, runtime+"/") || mode != "700" {
		t.Errorf("the editor's file is %s in a folder of mode %s, want one of mode 700 in %s", path, mode, runtime)
	}
	if text, err := os.ReadFile(editor + ".text"); string(text) != "a secret draft" {
		t.Errorf("the editor's file says %q (%v)", text, err)
	}
	if left, err := os.ReadDir(runtime); len(left) > 0 || err != nil {
		t.Errorf("the editor leaves %v (%v), want nothing", left, err)
	}

	chat.Send(enterKey)
	chat.WaitFor("the guide's whole answer", answered)
	chat.Send("/copy" + enterKey)
	chat.Want("copied ")
	wantWithoutKeys(t, clipboard, keys...)
}
