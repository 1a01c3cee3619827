package session

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"winnow/history"
	"winnow/llm/tool"
)

func TestAttachReadsAFile(t *testing.T) {
	s := newBench(t).begin()
	path := filepath.Join(t.TempDir(), "two words.go")
	if err := os.WriteFile(path, []byte("package main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := s.Attach(path)
	if err != nil || got.Kind != history.TextPart || got.Name != "two words.go" || got.Text != "package main\n" {
		t.Errorf("the file is %+v, %v", got, err)
	}
}

func TestAttachRefusesWhatIsNoFile(t *testing.T) {
	s := newBench(t).begin()
	dir := t.TempDir()
	pipe, sparse := filepath.Join(dir, "pipe"), filepath.Join(dir, "sparse")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("no pipe can be made here: %v", err)
	}
	f, err := os.Create(sparse)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(tool.LargestFile + 1); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for path, says := range map[string]string{
		dir:                         "cannot be attached: it is not a regular file",
		pipe:                        "pipe cannot be attached: it is not a regular file",
		sparse:                      "sparse cannot be attached: the file is larger than 10 MB",
		filepath.Join(dir, "gone"):  "gone cannot be attached: there is no such file",
		filepath.Join(sparse, "in"): "in cannot be attached: not a directory",
	} {
		if _, err := s.Attach(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", path, err, says)
		}
	}
}
