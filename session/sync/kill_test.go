package sync

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"winnow/history"
	"winnow/session/store"
)

// syncOf names the history and the folder that the test binary syncs instead of running tests.
const syncOf = "WINNOW_SYNC_TEST"

// syncStepwise syncs a history. At each step it says so, and waits for a line before it goes on.
func syncStepwise(path, dir string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	_, err = Run(ctx, s, Options{Dir: dir, step: func(name string) error {
		fmt.Println(name)
		if !in.Scan() {
			return errors.New("the test has ended")
		}
		return nil
	}})
	return errors.Join(err, s.Close())
}

// killAfter starts a process that syncs, and kills it at its nth step. It reports whether there was such a step.
func killAfter(t *testing.T, n int, path, dir string) bool {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), syncOf+"="+path+string(os.PathListSeparator)+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	steps := bufio.NewScanner(out)
	for step := 0; steps.Scan(); step++ {
		if step == n {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			cmd.Wait() // always an error: it was killed
			return true
		}
		if _, err := fmt.Fprintln(in); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the sync ends with %v", err)
	}
	return false
}

// A process that is killed at any step of a sync leaves a folder and a history with which the next one goes on: in the
// end both machines have each message once.
func TestAKilledSyncIsGoneOnWith(t *testing.T) {
	t.Parallel()
	for n, killed := 0, true; killed; n++ {
		root, dir := t.TempDir(), t.TempDir()
		a, b := newMachine(t, dir), newMachine(t, dir)
		theirs, first := a.begin("from a")
		a.sync()
		a.say(theirs.ID, first.ID, history.Assistant, "an answer on a")
		a.sync()

		path := filepath.Join(root, "winnow", "winnow.db")
		c := &machine{t, openAt(t, path), dir}
		ours, second := c.begin("from c")
		c.say(ours.ID, second.ID, history.Assistant, "an answer on c")
		if err := c.s.Close(); err != nil {
			t.Fatal(err)
		}
		killed = killAfter(t, n, path, dir)
		if n == 0 && !killed {
			t.Fatal("a sync has no steps")
		}
		b.sync() // reads what the killed process left
		c.s = openAt(t, path)
		for range 2 {
			for _, m := range []*machine{c, a, b} {
				m.sync()
			}
		}
		for _, m := range []*machine{a, b, c} {
			m.want(theirs.ID, "from a | an answer on a")
			m.want(ours.ID, "from c | an answer on c")
			for _, id := range []string{theirs.ID, ours.ID} {
				all, err := m.s.Messages(t.Context(), id)
				if err != nil || len(all) != 2 {
					t.Errorf("killed at step %d: %d messages, %v", n, len(all), err)
				}
			}
			if out := m.sync(); out.Sent != 0 || out.Received != 0 || len(out.Skipped) != 0 {
				t.Errorf("killed at step %d: a sync with nothing new did %+v", n, out)
			}
		}
	}
}

func openAt(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
