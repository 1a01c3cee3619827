package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const ctrlS = "\x13"

// syncing is the environment of a machine of its own that syncs through a folder.
func syncing(t *testing.T, dir string) []string {
	t.Helper()
	env := home(t)
	config := filepath.Join(valueOf(env, "XDG_CONFIG_HOME"), "winnow", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, fmt.Appendf(nil, "[sync]\ndir = %q\n", dir), 0o600); err != nil {
		t.Fatal(err)
	}
	return env
}

// Keys are answered while the first sync of a larger history runs behind the screen, and the list shows what came.
func TestKeysAreAnsweredDuringTheFirstSync(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	desktop, laptop := syncing(t, folder), syncing(t, folder)
	file := filepath.Join(t.TempDir(), "large.json")
	var messages []map[string]string
	for i := range 6000 {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		messages = append(messages, map[string]string{
			"role": role, "content": fmt.Sprintf("Message %d of the large session.", i),
		})
	}
	data, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, desktop, "sessions", "import", file)
	output(t, desktop, "sync")

	chat := startIn(t, laptop, 110, 32, "-m", "guide")
	chat.Want("enter send")
	typed := ""
	for _, word := range strings.Fields("these words are typed one after the other while much comes in") {
		typed += word + " "
		chat.Send(word + " ")
		chat.Want(strings.TrimSpace(typed))
	}
	chat.Send(ctrlS)
	chat.Want("Message 0 of the large session", "3,000 turns")
	chat.Send("\x1b")
	chat.Want(strings.TrimSpace(typed))
	chat.Send(ctrlC + ctrlC + ctrlC)
	chat.End()
}
