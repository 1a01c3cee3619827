package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const ctrlS = "\x13"

// syncing is the environment of a machine of its own that syncs through a folder.
func syncing(t *testing.T, dir string) []string {
	t.Helper()
	env := home(t)
	config := filepath.Join(variable(env, "XDG_CONFIG_HOME"), "winnow", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, fmt.Appendf(nil, "[sync]\ndir = %q\n", dir), 0o600); err != nil {
		t.Fatal(err)
	}
	return env
}

// variable is the value of a variable of an environment.
func variable(env []string, name string) string {
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// commandIn runs a command to its end and returns what it printed.
func commandIn(t *testing.T, env []string, args ...string) string {
	t.Helper()
	c := exec.Command(winnowPath(t), args...)
	c.Env = env
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("winnow %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// A chat that was begun on one machine goes on on the other, in the place where it was left. What both say at once are two
// branches, and the list and the page say so.
func TestAChatGoesOnOnAnotherMachine(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	desktop, laptop := syncing(t, folder), syncing(t, folder)
	chat := startIn(t, desktop, 110, 32, "-m", "guide")
	chat.want("enter send")
	chat.send("which keys are there?" + enterKey)
	chat.waitFor("the guide's whole answer", answered)
	chat.send("/quit" + enterKey)
	if code := chat.end(); code != 0 {
		t.Fatalf("winnow ended with %d:\n%s", code, chat.text())
	}
	commandIn(t, laptop, "sync")

	there := startIn(t, laptop, 110, 32, "-c")
	there.want("which keys are there?")
	there.send("said on the laptop" + enterKey)
	there.want("saw 3 of 3")
	there.send("/quit" + enterKey)
	there.end()

	back := startIn(t, desktop, 110, 32, "-c")
	back.want("Continued on", "2 new messages.", "saw 3 of 3")
	back.send("/quit" + enterKey)
	back.end()
	commandIn(t, laptop, "sync")

	// Both go on without a word of the other.
	away := t.TempDir() + "/away"
	if err := os.Rename(folder, away); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder, nil, 0o600); err != nil { // so that nobody makes the folder again
		t.Fatal(err)
	}
	commandIn(t, desktop, "run", "-c", "desktop alone")
	commandIn(t, laptop, "run", "-c", "laptop alone")
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(away, folder); err != nil {
		t.Fatal(err)
	}
	commandIn(t, laptop, "sync")
	commandIn(t, desktop, "sync")
	if list := commandIn(t, desktop, "sessions", "list"); !strings.Contains(list, "(2 branches: ") {
		t.Errorf("the list is\n%s", list)
	}
	var listed []struct {
		ContinuedOn []string `json:"continued_on"`
	}
	if out := commandIn(t, desktop, "sessions", "list", "--json"); json.Unmarshal([]byte(out), &listed) != nil || len(listed) != 1 || len(listed[0].ContinuedOn) == 0 {
		t.Errorf("the list is %s", out)
	}
	parted := startIn(t, desktop, 110, 32, "-c")
	parted.want("of 2 at message 5; [ and ] there switch.")
	parted.send(ctrlS)
	parted.want("2 branches")
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
		messages = append(messages, map[string]string{"role": role, "content": fmt.Sprintf("Message %d of the large session.", i)})
	}
	data, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	commandIn(t, desktop, "sessions", "import", file)
	commandIn(t, desktop, "sync")

	chat := startIn(t, laptop, 110, 32, "-m", "guide")
	chat.want("enter send")
	typed := ""
	for _, word := range strings.Fields("these words are typed one after the other while much comes in") {
		typed += word + " "
		chat.send(word + " ")
		chat.want(strings.TrimSpace(typed))
	}
	chat.send(ctrlS)
	chat.want("Message 0 of the large session", "3,000 turns")
	chat.send("\x1b")
	chat.want(strings.TrimSpace(typed))
	chat.send(ctrlC + ctrlC + ctrlC)
	chat.end()
}

// A folder that is not there is said once, and the chat goes on.
func TestAFolderThatIsNotThereIsSaidOnce(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	chat := startIn(t, syncing(t, folder), 110, 32, "-m", "guide")
	said, there := 0, false
	chat.mu.Lock()
	chat.look = func(s *screen) {
		was := there
		if there = strings.Contains(s.text(), "a file"); there && !was {
			said++
		}
	}
	chat.mu.Unlock()
	chat.want("a file")
	for n := range 2 {
		chat.send("how do I quit?" + enterKey)
		chat.wantTimes(n+1, "saw ")
	}
	chat.send("/quit" + enterKey)
	if code := chat.end(); code != 0 {
		t.Errorf("winnow ended with %d:\n%s", code, chat.text())
	}
	chat.mu.Lock()
	defer chat.mu.Unlock()
	if said > 1 { // it can be there before the first look
		t.Errorf("the folder is named %d times, want once", said)
	}
}
