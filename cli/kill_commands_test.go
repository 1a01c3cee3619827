package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"winnow/session/store"
)

// killed runs a command of winnow and kills it after a while. It says whether the command ended well
// by itself before that.
func killed(t *testing.T, env []string, after time.Duration, args ...string) (ended bool) {
	t.Helper()
	cmd := exec.Command(winnowPath(t), args...)
	cmd.Env, cmd.Dir = env, t.TempDir()
	if err := cmd.Start(); err != nil {
		t.Fatalf("start winnow %s: %v", strings.Join(args, " "), err)
	}
	axe := time.AfterFunc(after, func() { cmd.Process.Kill() })
	defer axe.Stop()
	return cmd.Wait() == nil
}

// around is a random moment of a command that takes so long, mostly of its second half: the first is the
// start of the program.
func around(whole time.Duration) time.Duration {
	return whole/3 + time.Duration(rand.Int64N(int64(whole)))
}

// howLong is how long a command of winnow takes when nobody kills it.
func howLong(t *testing.T, env []string, args ...string) time.Duration {
	t.Helper()
	began := time.Now()
	cmd := exec.Command(winnowPath(t), args...)
	cmd.Env, cmd.Dir = env, t.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("winnow %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return time.Since(began)
}

func rounds(few, many int) int {
	if soak() {
		return many
	}
	return few
}

func openHistory(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), path, store.Options{})
	if err != nil {
		t.Fatalf("open the history: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestKilledRenameHappensWhollyOrNotAtAll(t *testing.T) {
	t.Parallel()
	env := home(t)
	howLong(t, env, "run", "-m", "guide", "which keys are there?")
	path := databasePath(t, env)
	s := openHistory(t, path)
	session, err := s.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	whole := howLong(t, env, "sessions", "rename", session.ID, "title 0")
	kept := "title 0"
	done, undone := 0, 0
	for i := range rounds(8, 100) {
		title := fmt.Sprintf("title %d", i+1)
		ended := killed(t, env, around(whole), "sessions", "rename", session.ID, title)
		now, err := s.Session(t.Context(), session.ID)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case now.Title == title:
			done++
		case now.Title == kept && !ended:
			undone++
		default:
			t.Errorf("the title is %q after %q was to become %q (ended %v)", now.Title, kept, title, ended)
		}
		kept = now.Title
	}
	wantSound(t, path)
	t.Logf("%d renames were killed or ended: %d had happened, %d had not", done+undone, done, undone)
}

// chatFile writes a conversation of Chat Completions messages and returns where.
func chatFile(t *testing.T, messages int) string {
	t.Helper()
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	var all []message
	for i := range messages {
		all = append(all, message{[]string{"user", "assistant"}[i%2], fmt.Sprintf("message %d: %s", i, strings.Repeat("word ", 200))})
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "chat.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestKilledImportHappensWhollyOrNotAtAll(t *testing.T) {
	t.Parallel()
	const messages = 600
	file := chatFile(t, messages)
	whole := howLong(t, home(t), "sessions", "import", file)
	done, undone := 0, 0
	for range rounds(5, 60) {
		env := home(t)
		ended := killed(t, env, around(whole), "sessions", "import", file)
		path := databasePath(t, env)
		before := importedSessions(t, path, messages)
		if ended && before == 0 {
			t.Error("the import ended well, but nothing is stored")
		}
		if done++; before == 0 {
			done, undone = done-1, undone+1
		}
		howLong(t, env, "sessions", "import", file)
		if after := importedSessions(t, path, messages); after != 1 {
			t.Errorf("after the import was begun anew there are %d sessions, want 1", after)
		}
		wantSound(t, path)
	}
	t.Logf("%d imports were killed or ended: %d had happened, %d had not", done+undone, done, undone)
}

// importedSessions counts the sessions, each of which must be whole.
func importedSessions(t *testing.T, path string, messages int) int {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		return 0
	}
	all, err := openHistory(t, path).Sessions(t.Context(), store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Messages != messages {
			t.Errorf("%d messages were imported, want all %d or none", s.Messages, messages)
		}
	}
	return len(all)
}
