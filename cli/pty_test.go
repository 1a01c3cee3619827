package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"winnow/ui/uitest/terminal"
)

// home returns the environment of a user with an empty home folder. Every test that starts winnow uses it, and is
// skipped by -short here.
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
		"GOCOVERDIR=" + t.TempDir(), // a program built for coverage would complain without it
	}
}

// attempt runs winnow and returns the result, whatever the exit code.
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

// succeed runs winnow, which must succeed.
func succeed(t testing.TB, c command) result {
	t.Helper()
	r := attempt(t, c)
	if r.Code != exitOK {
		t.Fatalf("winnow %q ended with %d: %s%s", c.Args, r.Code, r.Stdout, r.Stderr)
	}
	return r
}

// output returns the standard output of winnow, which must succeed.
func output(t testing.TB, env []string, args ...string) []byte {
	t.Helper()
	return succeed(t, command{Args: args, Env: env}).Stdout
}

// winnowPath returns the path of this test binary under winnow's name; see TestMain.
func winnowPath(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("winnow")
	if err != nil {
		t.Fatalf("the test's winnow is not on the path: %v", err)
	}
	return path
}

// startIn starts winnow in a terminal of width by height cells.
func startIn(t testing.TB, env []string, width, height int, args ...string) *terminal.Terminal {
	t.Helper()
	return startInDir(t, env, t.TempDir(), width, height, args...)
}

// startInDir is startIn with a working directory.
func startInDir(t testing.TB, env []string, dir string, width, height int, args ...string) *terminal.Terminal {
	t.Helper()
	return terminal.Start(t, terminal.Options{
		Path: winnowPath(t), Args: args, Env: env, Dir: dir, Width: width, Height: height,
	})
}

// Keys as a terminal sends them.
const (
	enterKey = "\r"
	ctrlC    = "\x03"
	ctrlD    = "\x04"
	ctrlX    = "\x18"
	escKey   = "\x1b"
)
