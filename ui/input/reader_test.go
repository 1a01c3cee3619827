//go:build unix

package input

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// openTerminal returns both ends of a terminal in raw mode.
func openTerminal(t *testing.T) (keyboard, terminal *os.File) {
	t.Helper()
	keyboard, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { keyboard.Close(); terminal.Close() })
	return keyboard, terminal
}

// readUntil reads as Bubble Tea does, only when there is something to read, until the last thing that
// was typed is there.
func readUntil(t *testing.T, r *Reader, last string) string {
	t.Helper()
	var all strings.Builder
	buf := make([]byte, 4096)
	for !strings.HasSuffix(all.String(), last) {
		for !r.ready(0) {
		}
		n, err := r.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(buf[:n])
		if left := len(r.out); left > 0 && !r.ready(0) {
			t.Fatalf("%d bytes wait for a key that may not come", left)
		}
	}
	return all.String()
}

// Bubble Tea reads when the terminal has something, so that nothing may be left behind when it has not.
func TestReaderLeavesNothing(t *testing.T) {
	for name, text := range map[string]string{
		"the wheel":          strings.Repeat("\x1b[<64;10;10M", 5000),
		"text and the wheel": strings.Repeat("ab\x1b[<64;10;10M", 3000),
		"escapes":            strings.Repeat("ab"+strings.Repeat("\x1b", 3000), 5),
		"arrows":             strings.Repeat("\x1b[A", 20_000),
		"ctrl+c":             strings.Repeat("\x03", 20_000),
		"a paste":            startMarker + strings.Repeat("line\r", 50_000) + endMarker,
		"an open paste":      startMarker + strings.Repeat("\x1b[<64;10;10M", 5000),
		"text":               strings.Repeat("line\r", 50_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keyboard, terminal := openTerminal(t)
			if _, err := term.MakeRaw(terminal.Fd()); err != nil {
				t.Fatal(err)
			}
			r := NewReader(terminal)
			typed := make(chan struct{})
			go func() {
				defer close(typed)
				io.WriteString(keyboard, text)
			}()
			buf := make([]byte, 4096)
			for done := false; !done; {
				select {
				case <-typed:
					done = !r.ready(literalTime)
				default:
				}
				if done || !r.ready(0) {
					continue
				}
				if _, err := r.Read(buf); err != nil {
					t.Fatal(err)
				}
				if left := len(r.out); left > 0 && !r.ready(0) {
					t.Fatalf("%d bytes wait for a key that may not come", left)
				}
			}
			io.WriteString(keyboard, "k")
			readUntil(t, r, "k")
		})
	}
}

func TestReaderRestoresThePaste(t *testing.T) {
	keyboard, terminal := openTerminal(t)
	if _, err := term.MakeRaw(terminal.Fd()); err != nil {
		t.Fatal(err)
	}
	r := NewReader(terminal)
	io.WriteString(keyboard, startMarker+"a\x1b]0;b\r"+endMarker+"\x1b[A")
	if got, want := readUntil(t, r, "\x1b[A"), startMarker+"1"+endMarker+"\x1b[A"; got != want {
		t.Errorf("Bubble Tea reads %q, want %q", got, want)
	}
	for _, want := range []string{"a\x1b]0;b\r", ""} { // it is kept until it is asked for
		if got := r.Message(tea.PasteMsg{Content: "1"}); got != (tea.PasteMsg{Content: want}) {
			t.Errorf("the paste is %q, want %q", got, want)
		}
	}
}

// What the terminal answers about its cells becomes one message, however it arrives, and the keys between stay. A
// key that looks like an answer is one when none is due.
func TestAnswersAboutCellsAreNoKeys(t *testing.T) {
	r := NewReader(nil)
	r.asked = true
	var got []byte
	for _, part := range []string{"\x1b[5;1R", "a\x1b[5;3R\x1b[5;3R", "\x1b[5;3R\x1b[5;3R\x1b[5;3Rb", "\x1b[5;2R", "\x1b[5;3R\x1b[1;3R", "\x1b[1;2R"} {
		r.encode([]Event{{Data: []byte(part)}})
		got, r.out = append(got, r.out...), nil
	}
	if want := "ab" + startMarker + measured + endMarker + "\x1b[1;3R\x1b[1;2R"; string(got) != want {
		t.Errorf("the keys are %q, want %q", got, want)
	}
	msg, ok := r.Message(tea.PasteMsg{Content: measured}).(MeasuredMsg)
	if !ok || !msg.Clusters {
		t.Errorf("the answer is %+v, %v, want a terminal that counts characters", msg, ok)
	}
}

// A line that was typed before the program started ends with enter.
func TestALineTypedAheadEndsWithEnter(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3*chunk)
	for _, c := range []struct{ typed, then, want string }{
		{"hello\r", ".", "hello\r."},
		{long + "\r", ".", long + "\r."},
		{"hello\rwor", "ld.", "hello\rworld."},
	} {
		keyboard, terminal := openTerminal(t)
		if _, err := io.WriteString(keyboard, c.typed); err != nil {
			t.Fatal(err)
		}
		want := strings.Index(c.typed, "\r") + 1
		r := NewReader(terminal)
		for over := time.Now().Add(10 * time.Second); r.ahead != want; r = NewReader(terminal) { // the system passes it on when it has time
			if time.Now().After(over) {
				t.Fatalf("of %.20q %d bytes were typed ahead, want %d", c.typed, r.ahead, want)
			}
		}
		if _, err := term.MakeRaw(terminal.Fd()); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(keyboard, c.then); err != nil {
			t.Fatal(err)
		}
		var got []byte
		for buf := make([]byte, chunk); len(got) < len(c.want); {
			n, err := r.File.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			r.typedAhead(buf[:n])
			got = append(got, buf[:n]...)
		}
		if string(got) != c.want {
			t.Errorf("%.20q and then %q is read as %.40q", c.typed, c.then, got)
		}
	}
}

// Several lines that were typed ahead may be a paste, and are kept as they are; so is ctrl+j afterwards.
func TestOnlyOneLineTypedAheadEndsWithEnter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ahead      int
		read, want string
	}{
		{8, "one\ntwo\n.", "one\ntwo\n."},
		{4, "one\ntwo\n", "one\rtwo\n"},
		{4, "one", "one"},
		{0, "\n", "\n"},
	} {
		r := &Reader{ahead: c.ahead}
		got := []byte(c.read)
		for i := range got { // in pieces
			r.typedAhead(got[i : i+1])
		}
		if string(got) != c.want {
			t.Errorf("%q with %d bytes typed ahead is read as %q, want %q", c.read, c.ahead, got, c.want)
		}
	}
}
