package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"winnow/ui/uitest/terminal"
)

// litestreamConfig finds the configuration for Litestream in the documentation.
var litestreamConfig = regexp.MustCompile("(?s)```yaml\n(# ~/litestream\\.yml\n.*?)```")

// A history in use is replicated with the documented configuration while winnow and Litestream are killed and go on,
// and what is restored from the replica is the same history.
func TestLitestreamReplicatesAHistoryInUse(t *testing.T) {
	t.Parallel()
	env := home(t)
	litestream, err := exec.LookPath("litestream")
	if err != nil {
		t.Skip("litestream is not installed: go install github.com/benbjohnson/litestream/cmd/litestream@latest")
	}
	page, err := os.ReadFile("../docs/storage.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := litestreamConfig.FindSubmatch(page)
	if documented == nil {
		t.Fatalf("docs/storage.md has nothing like %s", litestreamConfig)
	}
	folder := t.TempDir()
	config := filepath.Join(folder, "litestream.yml")
	text := strings.NewReplacer(
		"~/.local/share/winnow/winnow.db", historyOf(env),
		"/mnt/backup/winnow", filepath.Join(folder, "replica"),
	).Replace(string(documented[1])) + "\nsocket:\n  enabled: true\n  path: " + filepath.Join(folder, "control") + "\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(question string) { winnowIn(t, env)("run", "-q", "-m", "guide/guide", question) }
	ask("what is kept?")

	replica := replicate(t, litestream, config)
	replica.synced(historyOf(env))
	id := string(idPattern.Find(winnowIn(t, env)("sessions", "list", "--json")))
	for _, question := range []string{"where are my chats saved?", "more", "how do I search?", "more"} {
		winnowIn(t, env)("run", "-q", "-s", id, "-m", "guide/guide", question)
	}
	replica.synced(historyOf(env))
	if err := replica.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	replica.Wait()
	// Nobody keeps winnow now from emptying its write-ahead log, so that Litestream must notice.
	ask("what is a persona?")
	ask("what does a pin do?")

	replica = replicate(t, litestream, config)
	replica.synced(historyOf(env))
	stopped := askHanging(t, hanging(t, env))
	waitUntilStored(t, env, "Half of what I wanted to say")
	if err := stopped.Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-stopped.Ended()
	ask("what does an exclusion do?")
	want := exported(t, env)
	replica.synced(historyOf(env))
	if err := replica.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := replica.Wait(); err != nil {
		t.Fatalf("litestream: %v\n%s", err, replica.Stderr)
	}

	restored := filepath.Join(folder, "restored.db")
	if out, err := exec.Command(replica.Path, "restore", "-config", config, "-o", restored, historyOf(env)).CombinedOutput(); err != nil {
		t.Fatalf("litestream restore: %v\n%s", err, out)
	}
	there := append(env, "WINNOW_DB="+restored)
	if got := winnowIn(t, there)("db", "check"); !bytes.Contains(got, []byte("No damage found.")) {
		t.Errorf("the restored history is damaged:\n%s", got)
	}
	if got := exported(t, there); !bytes.Equal(got, want) {
		t.Errorf("%d bytes of a restored history differ from the %d of the original", len(got), len(want))
	}
}

// replicating is a Litestream that runs.
type replicating struct {
	*exec.Cmd
	t       *testing.T
	control string // its socket
}

// replicate starts Litestream with a configuration beside which its socket is.
func replicate(t *testing.T, litestream, config string) replicating {
	t.Helper()
	cmd := exec.Command(litestream, "replicate", "-config", config)
	cmd.Stderr = new(bytes.Buffer)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return replicating{cmd, t, filepath.Join(filepath.Dir(config), "control")}
}

// synced returns when the replica has all that the database has. Until it has started it does not answer.
func (r replicating) synced(db string) {
	r.t.Helper()
	for limit := time.Now().Add(terminal.Patience); ; {
		out, err := exec.Command(r.Path, "sync", "-wait", "-socket", r.control, db).CombinedOutput()
		if err == nil {
			return
		}
		if time.Now().After(limit) {
			r.t.Fatalf("litestream sync: %v\n%s\n%s", err, out, r.Stderr)
		}
	}
}

// exported is the whole history of an environment, as sessions export writes it.
func exported(t *testing.T, env []string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "everything.json")
	winnowIn(t, env)("sessions", "export", "--all", "-o", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
