//go:build unix

package store

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// asNobody runs nobodyProgram as a user without special rights.
func asNobody(t *testing.T, path string) string {
	t.Helper()
	self, err := os.Executable()
	must(t, "find the test binary", err)
	cmd := exec.Command(self, path)
	if os.Geteuid() == 0 {
		// The test binary is in a folder that only root may enter.
		b, err := os.ReadFile(self)
		must(t, "read the test binary", err)
		dir := openFolder(t)
		must(t, "copy the test binary", os.WriteFile(filepath.Join(dir, "test"), b, 0o755))
		cmd = exec.Command(filepath.Join(dir, "test"), path)
		cmd.Dir = dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	cmd.Env = append(os.Environ(), "WINNOW_STORE_TEST_PROGRAM=nobody")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("run as nobody: %v\n%s", err, out)
	}
	return string(out)
}

// openFolder returns a temporary folder that everybody may enter.
func openFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, "chmod", os.Chmod(dir, 0o755))
	must(t, "chmod", os.Chmod(filepath.Dir(dir), 0o755))
	return dir
}

func TestWhatMayNotBeWritten(t *testing.T) {
	dir := openFolder(t)
	locked := filepath.Join(dir, "locked")
	must(t, "mkdir", os.Mkdir(locked, 0o555))
	t.Cleanup(func() { os.Chmod(locked, 0o755) })
	if got := asNobody(t, filepath.Join(locked, "winnow.db")); !strings.Contains(got,
		"error: cannot create the chat history: ") ||
		!strings.Contains(got, "permission denied ("+locked+")") {
		t.Errorf("in a folder that may not be written Open says %q, want permission denied and the folder's name", got)
	}
	if got := asNobody(t, filepath.Join(locked, "sub", "winnow.db")); !strings.Contains(got, "permission denied") {
		t.Errorf("where the folder cannot be made Open says %q, want permission denied", got)
	}

	path := filepath.Join(dir, "history", "winnow.db")
	s, err := Open(context.Background(), path, Options{})
	must(t, "open", err)
	begin(t, s, "the title", "hello")
	must(t, "close", s.Close())
	must(t, "chmod", os.Chmod(path, 0o444))
	for _, folder := range []os.FileMode{0o777, 0o555} {
		must(t, "chmod", os.Chmod(filepath.Dir(path), folder))
		got := asNobody(t, path)
		notice := path + " is open read-only: there is no permission to write the file"
		for _, want := range []string{notice, "the title"} {
			if !strings.Contains(got, want) {
				t.Errorf("a file that may not be written in a folder %v: %q, want it to say %q", folder, got, want)
			}
		}
	}
	must(t, "chmod", os.Chmod(filepath.Dir(path), 0o755))
	must(t, "chmod", os.Chmod(path, 0o000))
	if got := asNobody(t, path); !strings.Contains(got, "error: cannot open the chat history: permission denied") {
		t.Errorf("a file that may not be read: %q", got)
	}
}
