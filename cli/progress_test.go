//go:build !windows

package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// readSlowly reads a file of 1,000 bytes in ten steps, each of which takes step, and returns what
// stands on standard error then.
func readSlowly(t *testing.T, stderr *os.File, shown io.Reader, step time.Duration) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "chat.json")
	if err := os.WriteFile(path, make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	now := time.UnixMilli(0)
	p := &program{err: stderr, now: func() time.Time { return now }}
	m := p.metered(importFile{File: f, size: 1000})
	for i := range int64(10) {
		if n, err := m.ReadAt(make([]byte, 100), 100*i); n != 100 || err != nil {
			t.Fatalf("ReadAt gives %d bytes, %v", n, err)
		}
		now = now.Add(step)
	}
	m.end()
	stderr.Close()
	text, _ := io.ReadAll(shown) // A terminal's end is an error.
	return string(text)
}

func TestProgressIsShownOnATerminalAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		terminal bool
		step     time.Duration
		want     bool
	}{
		{"a long import on a terminal", true, time.Second, true},
		{"a short one", true, time.Millisecond, false},
		{"a long one in a pipe", false, time.Second, false},
	} {
		shown, stderr, err := os.Pipe()
		if c.terminal {
			shown, stderr, err = pty.Open()
		}
		if err != nil {
			t.Fatal(err)
		}
		got := readSlowly(t, stderr, shown, c.step)
		shown.Close()
		if is := strings.Contains(got, "importing") && strings.Contains(got, "%"); is != c.want ||
			!c.want && got != "" {
			t.Errorf("%s shows %q, want a bar: %v", c.name, got, c.want)
		}
		if c.want && strings.TrimRight(got[strings.LastIndex(got, "\r")+1:], " ") != "" {
			t.Errorf("%s leaves %q on the last line", c.name, got)
		}
	}
}
