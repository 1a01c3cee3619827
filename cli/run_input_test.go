package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A pipe that stays open is not waited for, and what comes later is left in it. Without a text there is nothing else to
// send: it is waited for longer, and not for ever.
func TestRunDoesNotWaitForASilentPipe(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		said string
	}{
		{[]string{"review", "this"}, "standard input is silent; use - to wait for it"},
		{nil, "waiting for standard input"},
	} {
		read, write := newPipe(t)
		said := newFile(t, "")
		p := &program{in: read, err: said, inputTimeout: time.Millisecond}
		text, err := p.joinInput(test.args)
		if want := strings.Join(test.args, " "); text != want || err != nil {
			t.Errorf("%q: got %q, %v; want %q", test.args, text, err, want)
		}
		if got, _ := os.ReadFile(said.Name()); string(got) != "winnow: "+test.said+"\n" {
			t.Errorf("%q: said %q, want %q", test.args, got, test.said)
		}
		io.WriteString(write, "later")
		write.Close()
		if rest, err := io.ReadAll(read); string(rest) != "later" || err != nil {
			t.Errorf("%q: %q is left, %v; want what came later", test.args, rest, err)
		}
	}
}

// What a pipe holds is read to its end once it has begun, however long that takes; with - its beginning is waited for,
// too.
func TestRunReadsAPipeToItsEnd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		wait time.Duration
		want string
	}{
		{[]string{"review"}, time.Hour, "review\n\nbegin end"},
		{nil, time.Hour, "begin end"},
		{[]string{"review", "-"}, 0, "review\n\nbegin end"},
		{[]string{"-"}, 0, "begin end"},
	} {
		read, write := newPipe(t)
		go func() {
			io.WriteString(write, "begin ")
			io.WriteString(write, "end")
			write.Close()
		}()
		p := &program{in: read, inputTimeout: test.wait}
		if text, err := p.joinInput(test.args); text != test.want || err != nil {
			t.Errorf("%q: got %q, %v; want %q", test.args, text, err, test.want)
		}
	}
}

// A file that somebody has read from is read only where nothing else can be meant.
func TestRunLeavesTheRestOfAFile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args []string
		from int64
		want string
	}{
		{"from its beginning", []string{"review"}, 0, "review\n\none\ntwo\n"},
		{"the rest", []string{"review"}, 4, "review"},
		{"the rest, asked for", []string{"review", "-"}, 4, "review\n\ntwo\n"},
		{"the rest alone", nil, 4, "two\n"},
	} {
		file := newFile(t, "one\ntwo\n")
		if _, err := file.Seek(test.from, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if text, err := (&program{in: file}).joinInput(test.args); text != test.want || err != nil {
			t.Errorf("%s: got %q, %v; want %q", test.name, text, err, test.want)
		}
	}
}

func newPipe(t *testing.T) (read, write *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { read.Close(); write.Close() })
	return read, write
}

// newFile is a file with this text, at its beginning.
func newFile(t *testing.T, text string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}
