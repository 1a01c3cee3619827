// Package terminal runs a program in a pseudo-terminal, types into it and reads its screen. Tests use it, and the
// program that measures winnow; it is never linked into winnow.
package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// Patience is how long a test waits for something to appear before it gives up. Nothing is decided by it: a test that
// passes does not wait this long.
const Patience = 60 * time.Second

// Test is what failures are reported to: a testing.TB, or a program that is no test.
type Test interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Options say what runs in a terminal.
type Options struct {
	Path          string // of the program
	Args          []string
	Env           []string
	Dir           string // the working directory
	Width, Height int    // in cells

	// Background is the colour that the terminal answers with where the program asks for it. Without one the terminal
	// answers no question at all, which programs must bear too.
	Background color.Color
}

// Terminal is a program that runs in a terminal, and the screen that it has drawn.
type Terminal struct {
	Cmd *exec.Cmd
	TTY *os.File // the end of the terminal that a person types into

	t       Test
	mu      sync.Mutex
	screen  *vt.Emulator
	raw     []byte
	changed chan struct{} // has an element after each piece of output
	ended   chan struct{} // closed when the program has ended and all was read
}

// Start runs a program. It is killed when the test ends.
func Start(t Test, o Options) *Terminal {
	t.Helper()
	term := &Terminal{
		Cmd: exec.Command(o.Path, o.Args...), t: t, screen: vt.NewEmulator(o.Width, o.Height),
		changed: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	term.Cmd.Env, term.Cmd.Dir = o.Env, o.Dir
	tty, err := pty.StartWithSize(term.Cmd, &pty.Winsize{Rows: uint16(o.Height), Cols: uint16(o.Width)})
	if err != nil {
		t.Fatalf("start %s in a terminal: %v", o.Path, err)
	}
	term.TTY = tty
	answers := io.Discard
	if o.Background != nil {
		term.screen.SetDefaultBackgroundColor(o.Background)
		answers = tty
	}
	go io.Copy(answers, term.screen)
	go term.read()
	t.Cleanup(func() {
		term.Cmd.Process.Kill()
		<-term.ended
		tty.Close()
		term.Cmd.Wait()
	})
	return term
}

// read draws what the program writes until it lets go of the terminal.
func (t *Terminal) read() {
	defer close(t.ended)
	defer t.screen.InputPipe().(io.Closer).Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := t.TTY.Read(buf)
		t.mu.Lock()
		t.screen.Write(buf[:n])
		t.raw = append(t.raw, buf[:n]...)
		t.mu.Unlock()
		select {
		case t.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// Changed has an element after each piece of output that nobody has looked at.
func (t *Terminal) Changed() <-chan struct{} { return t.changed }

// Ended is closed when the program has ended and all of its output is on the screen.
func (t *Terminal) Ended() <-chan struct{} { return t.ended }

// Text is the screen as lines without trailing blanks.
func (t *Terminal) Text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := make([]string, t.screen.Height())
	for y := range lines {
		var b strings.Builder
		for x := range t.screen.Width() {
			b.WriteString(t.screen.CellAt(x, y).Content)
		}
		lines[y] = strings.TrimRight(b.String(), " ")
	}
	return strings.Join(lines, "\n")
}

// Written is all that the program has written so far.
func (t *Terminal) Written() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.raw)
}

// WaitFor waits until ok says that the screen is as wanted, and returns it.
func (t *Terminal) WaitFor(what string, ok func(screen string) bool) string {
	t.t.Helper()
	limit := time.NewTimer(Patience)
	defer limit.Stop()
	for {
		text := t.Text()
		if ok(text) {
			return text
		}
		select {
		case <-t.changed:
		case <-t.ended:
			if text = t.Text(); ok(text) {
				return text
			}
			t.t.Fatalf("the program ended before the screen showed %s; the screen is\n%s", what, text)
		case <-limit.C:
			t.t.Fatalf("the screen never showed %s; it is\n%s", what, text)
		}
	}
}

// Want waits until every one of the texts is on the screen.
func (t *Terminal) Want(texts ...string) string {
	t.t.Helper()
	return t.WaitFor(fmt.Sprintf("%q", texts), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// Comes waits until a text is on the screen, however long that takes; it is false where the program ended first.
func (t *Terminal) Comes(text string) bool {
	for !strings.Contains(t.Text(), text) {
		select {
		case <-t.changed:
		case <-t.ended:
			return false
		}
	}
	return true
}

// Settled is the screen after nothing has changed on it for half a second.
func (t *Terminal) Settled() string {
	for {
		select {
		case <-t.changed:
		case <-time.After(500 * time.Millisecond):
			return t.Text()
		}
	}
}

// Send types keys, as a terminal sends them.
func (t *Terminal) Send(keys string) {
	t.t.Helper()
	if _, err := io.WriteString(t.TTY, keys); err != nil {
		t.t.Fatalf("type %q: %v", keys, err)
	}
}

// Kill ends the program at once.
func (t *Terminal) Kill() {
	t.t.Helper()
	if err := t.Cmd.Process.Kill(); err != nil {
		t.t.Fatalf("kill the program: %v", err)
	}
	<-t.ended
}

// End waits until the program has ended and returns its exit code; what it left on the main screen is in Text.
func (t *Terminal) End() int {
	t.t.Helper()
	select {
	case <-t.ended:
	case <-time.After(Patience):
		t.t.Fatalf("the program does not end; the screen is\n%s", t.Text())
	}
	err := t.Cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		t.t.Fatalf("wait for the program: %v", err)
	}
	return 0
}
