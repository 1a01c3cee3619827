package cli

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// A pipe that stays silent is not waited for, and later data is left in it. Without a text there is nothing else to
// send, so the wait is longer, but not forever.
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
		said, err := os.CreateTemp(t.TempDir(), "said")
		if err != nil {
			t.Fatal(err)
		}
		defer said.Close()
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

// With - the first data of a pipe is waited for without a limit.
func TestRunWaitsForAPipeThatIsAskedFor(t *testing.T) {
	t.Parallel()
	read, write := newPipe(t)
	go func() {
		io.WriteString(write, "begin ")
		io.WriteString(write, "end")
		write.Close()
	}()
	p := &program{in: read, inputTimeout: 0}
	if text, err := p.joinInput([]string{"review", "-"}); text != "review\n\nbegin end" || err != nil {
		t.Errorf("got %q, %v; want the text and what came through the pipe", text, err)
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
