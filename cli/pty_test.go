package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"winnow/ui/uitest/terminal"
)

// home is the environment of one person: nothing of the machine's own reaches the program. Every test that starts
// winnow begins with it, so that a short run, which starts nothing, ends here.
func home(t testing.TB) []string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts winnow as a process of its own")
	}
	dir := t.TempDir()
	return []string{
		"HOME=" + dir,
		"PATH=" + os.Getenv("PATH"),
		"TERM=xterm-256color",
		"COLORTERM=truecolor",
		"XDG_CONFIG_HOME=" + filepath.Join(dir, "config"),
		"XDG_DATA_HOME=" + filepath.Join(dir, "data"),
		"XDG_STATE_HOME=" + filepath.Join(dir, "state"),
		"DBUS_SESSION_BUS_ADDRESS=" + noBus,
		announcedVariable + "=" + filepath.Join(t.TempDir(), "announced"),
		"GOCOVERDIR=" + t.TempDir(), // A program built to measure coverage would say that it has no place for it.
	}
}

// attempt runs a command of winnow, however it ends.
func attempt(t testing.TB, c command) result {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(winnowPath(t), c.Args...)
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Env, c.Dir, bytes.NewReader(c.Stdin), &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return result{exitCode(cmd.ProcessState.ExitCode()), out.Bytes(), errs.Bytes()}
}

// succeed runs a command of winnow that must succeed.
func succeed(t testing.TB, c command) result {
	t.Helper()
	r := attempt(t, c)
	if r.Code != exitOK {
		t.Fatalf("winnow %q ended with %d: %s%s", c.Args, r.Code, r.Stdout, r.Stderr)
	}
	return r
}

// output is what a command of winnow prints on standard output; it must succeed.
func output(t testing.TB, env []string, args ...string) []byte {
	t.Helper()
	return succeed(t, command{Args: args, Env: env}).Stdout
}

// winnowPath is the program that the tests run: this test binary under winnow's name, which
// TestMain answers to.
func winnowPath(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("winnow")
	if err != nil {
		t.Fatalf("the test's winnow is not on the path: %v", err)
	}
	return path
}

// startIn runs winnow in a terminal of width by height cells.
func startIn(t testing.TB, env []string, width, height int, args ...string) *terminal.Terminal {
	t.Helper()
	return startInDir(t, env, t.TempDir(), width, height, args...)
}

// startInDir is startIn in a working directory of the test's choice.
func startInDir(t testing.TB, env []string, dir string, width, height int, args ...string) *terminal.Terminal {
	t.Helper()
	return terminal.Start(t, terminal.Options{
		Path: winnowPath(t), Args: args, Env: env, Dir: dir, Width: width, Height: height,
	})
}

// The keys as a terminal sends them.
const (
	enterKey = "\r"
	ctrlC    = "\x03"
	ctrlD    = "\x04"
	ctrlX    = "\x18"
	escKey   = "\x1b"
)
