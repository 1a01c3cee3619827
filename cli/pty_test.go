package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// patience is how long a test waits for something to appear before it gives up. Nothing is decided
// by it: a test that passes does not wait this long.
const patience = 60 * time.Second

// terminal is a program, mostly winnow, running in a real pseudo-terminal, and the screen it has drawn.
type terminal struct {
	t    testing.TB
	cmd  *exec.Cmd
	tty  *os.File
	mu   sync.Mutex
	seen *screen
	raw  []byte
	news chan struct{} // told after each piece of output
	over chan struct{} // closed when the program has ended and all was read
	look func(*screen) // is shown the screen after each piece of output; nil for nobody
}

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
func startIn(t testing.TB, env []string, width, height int, args ...string) *terminal {
	t.Helper()
	return startProgram(t, env, width, height, winnowPath(t), args...)
}

// startInDir is startIn in a working directory of the test's choice.
func startInDir(t testing.TB, env []string, dir string, width, height int, args ...string) *terminal {
	t.Helper()
	return startAt(t, env, dir, width, height, winnowPath(t), args...)
}

// startProgram runs any program in a terminal of width by height cells.
func startProgram(t testing.TB, env []string, width, height int, path string, args ...string) *terminal {
	t.Helper()
	return startAt(t, env, t.TempDir(), width, height, path, args...)
}

func startAt(t testing.TB, env []string, dir string, width, height int, path string, args ...string) *terminal {
	t.Helper()
	return startOn(t, newScreen(width, height), nil, env, dir, path, args...)
}

// startOnPage is startIn in a terminal that answers queries, and whose background is that of a page.
func startOnPage(t testing.TB, env []string, dir string, page pageColours, width, height int, args ...string) *terminal {
	t.Helper()
	return startOn(t, newScreen(width, height), &page, env, dir, winnowPath(t), args...)
}

func startOn(t testing.TB, seen *screen, page *pageColours, env []string, dir, path string, args ...string) *terminal {
	t.Helper()
	term := &terminal{
		t: t, seen: seen,
		news: make(chan struct{}, 1), over: make(chan struct{}),
	}
	term.cmd = exec.Command(path, args...)
	term.cmd.Env = env
	term.cmd.Dir = dir
	tty, err := pty.StartWithSize(term.cmd, &pty.Winsize{Rows: uint16(seen.height), Cols: uint16(seen.width)})
	if err != nil {
		t.Fatalf("start %s in a terminal: %v", path, err)
	}
	term.tty = tty
	if page != nil {
		seen.page = page.reply()
		seen.reply = func(answer string) { io.WriteString(tty, answer) }
	}
	go term.read()
	t.Cleanup(func() {
		term.cmd.Process.Kill()
		<-term.over
		tty.Close()
		term.cmd.Wait()
	})
	return term
}

// read feeds the screen until the program lets go of the terminal.
func (s *terminal) read() {
	defer close(s.over)
	buf := make([]byte, 32<<10)
	for {
		n, err := s.tty.Read(buf)
		s.mu.Lock()
		s.seen.write(buf[:n])
		s.raw = append(s.raw, buf[:n]...)
		if s.look != nil {
			s.look(s.seen)
		}
		s.mu.Unlock()
		select {
		case s.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (s *terminal) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.text()
}

// comes waits until a text is on the screen; it is false where the program ended first.
func (s *terminal) comes(text string) bool {
	for !strings.Contains(s.text(), text) {
		select {
		case <-s.news:
		case <-s.over:
			return false
		}
	}
	return true
}

// waitFor waits until ok says that the screen is as wanted, and returns it.
func (s *terminal) waitFor(what string, ok func(screen string) bool) string {
	s.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		text := s.text()
		if ok(text) {
			return text
		}
		select {
		case <-s.news:
		case <-s.over:
			if text = s.text(); ok(text) {
				return text
			}
			s.t.Fatalf("winnow ended before the screen showed %s; the screen is\n%s", what, text)
		case <-limit.C:
			s.t.Fatalf("the screen never showed %s; it is\n%s", what, text)
		}
	}
}

// want waits until every one of the texts is on the screen.
func (s *terminal) want(texts ...string) string {
	s.t.Helper()
	return s.waitFor(fmt.Sprintf("%q", texts), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// wantTimes waits until a text is on the screen so many times.
func (s *terminal) wantTimes(n int, text string) string {
	s.t.Helper()
	return s.waitFor(fmt.Sprintf("%q %d times", text, n), func(screen string) bool { return strings.Count(screen, text) == n })
}

func (s *terminal) send(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.tty, keys); err != nil {
		s.t.Fatalf("type %q: %v", keys, err)
	}
}

// end waits until winnow has ended and returns its exit code; what it left on the main screen is in
// text.
func (s *terminal) end() int {
	s.t.Helper()
	select {
	case <-s.over:
	case <-time.After(patience):
		s.t.Fatalf("winnow does not end; the screen is\n%s", s.text())
	}
	err := s.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		s.t.Fatalf("wait for winnow: %v", err)
	}
	return 0
}

// The keys as a terminal sends them.
const (
	enterKey = "\r"
	ctrlC    = "\x03"
	ctrlD    = "\x04"
	ctrlX    = "\x18"
	escKey   = "\x1b"
)

var resumeLine = regexp.MustCompile(`winnow -s ([0-9a-f-]{13,})`)
