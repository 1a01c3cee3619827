package tool

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReadFileRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	file, pipe, sparse := filepath.Join(dir, "two words.go"), filepath.Join(dir, "pipe"), filepath.Join(dir, "sparse")
	if err := os.WriteFile(file, []byte("package main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadFile(file); err != nil || string(got) != "package main\n" {
		t.Errorf("the file is %q, %v", got, err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("no pipe can be made here: %v", err)
	}
	if err := os.WriteFile(sparse, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(sparse, MaxFileBytes+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                         "it is not a regular file",
		pipe:                        "it is not a regular file",
		sparse:                      "the file is larger than 10 MB",
		filepath.Join(dir, "gone"):  "there is no such file",
		filepath.Join(sparse, "in"): "not a directory",
	} {
		if _, err := ReadFile(path); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
