package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// How long a program has to end: after its standard input is closed, after it was asked to end, after it was
// killed. The last is for a program that waits for a disk.
const (
	closeGrace = 700 * time.Millisecond
	termGrace  = 700 * time.Millisecond
	killGrace  = time.Second

	drainTime = 300 * time.Millisecond // for what is still in the pipes of a program that ended
)

// process is a running server program, with everything that it starts.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser // its standard input
	out    *os.File       // its standard output
	errors tail           // of its standard error
	stray  tail           // of the lines on its standard output that are no messages
	exited chan struct{}  // closed when it has ended
}

// startProcess starts a server's program in a process group of its own.
func startProcess(s Server) (*process, error) {
	path, err := lookPath(s)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(s.Dir); s.Dir != "" && (err != nil || !info.IsDir()) {
		return nil, fmt.Errorf("the folder %s does not exist", s.Dir)
	}
	p := &process{cmd: exec.Command(path, s.Args...), exited: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = s.Dir, os.Environ()
	for name, value := range s.Env {
		p.cmd.Env = append(p.cmd.Env, name+"="+value)
	}
	p.cmd.Stderr, p.cmd.WaitDelay = &p.errors, drainTime // A descendant may hold the pipe open.
	apart(p.cmd)
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	// Wait would close a pipe of cmd's own before it is read to its end.
	out, output, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.out, p.cmd.Stdout = out, output
	err = p.cmd.Start()
	output.Close()
	if err != nil {
		out.Close()
		return nil, startError(s, err)
	}
	go p.reap()
	return p, nil
}

// transport is the connection to the program: one JSON-RPC message a line.
func (p *process) transport() sdk.Transport {
	// Messages of several lines are none, but the SDK would join them: its limit is for those.
	return &sdk.IOTransport{Reader: newMessageReader(p.out, &p.stray), Writer: p.in, MaxLineLength: 2 * mostMessage}
}

// lookPath finds the program where the server itself would: a PATH in its own environment counts.
func lookPath(s Server) (string, error) {
	candidates := []string{s.Command}
	if path, set := s.Env["PATH"]; set && !strings.ContainsRune(s.Command, filepath.Separator) {
		candidates = nil
		for _, dir := range filepath.SplitList(path) {
			candidates = append(candidates, filepath.Join(dir, s.Command))
		}
	}
	err := exec.ErrNotFound
	for _, candidate := range candidates {
		var found string
		if found, err = exec.LookPath(candidate); err == nil || errors.Is(err, exec.ErrDot) {
			return found, nil
		}
	}
	return "", startError(s, err)
}

// startError is the sentence for a program that did not start.
func startError(s Server, err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the program %s is not found", s.Command)
	}
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("cannot start %s: %w", s.Command, err)
}

// reap waits for the program's end and ends what it left running.
func (p *process) reap() {
	p.cmd.Wait()
	killGroup(p.cmd)
	p.out.SetReadDeadline(time.Now().Add(drainTime)) // Where there are no groups, a descendant may hold it open.
	close(p.exited)
}

// end ends the program: it closes its standard input, then asks it to end, then kills it, each with time to obey.
func (p *process) end() {
	p.in.Close()
	if !p.wait(closeGrace) {
		endGroup(p.cmd)
		if !p.wait(termGrace) {
			killGroup(p.cmd)
			p.wait(killGrace)
		}
	}
	p.out.Close()
}

func (p *process) wait(d time.Duration) bool {
	select {
	case <-p.exited:
		return true
	case <-time.After(d):
		return false
	}
}

// how says how the program ended by itself, with the line of its output that says most.
func (p *process) how() error {
	if !p.wait(closeGrace) {
		return errors.New("it closed its standard output")
	}
	text := "it ended"
	if !p.cmd.ProcessState.Success() {
		text += " (" + p.cmd.ProcessState.String() + ")"
	}
	if line := cmp.Or(p.errors.telling(), p.stray.telling()); line != "" {
		text += ": " + line
	}
	return errors.New(text)
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const (
	tailBytes  = 10_000
	tailLines  = 20
	tailLength = 500 // bytes of a line
)

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-tailBytes):]...)
	t.text = slices.Delete(t.text, 0, max(0, len(t.text)-tailBytes))
	return len(p), nil
}

// lines are the last lines that are not blank.
func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for text := range strings.SplitSeq(string(t.text), "\n") {
		if line := clean(text, tailLength); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-tailLines):]
}

// telling is the line that says what went wrong: the last one with a word for it, "" where none has one. The last
// line of a stack trace says little, and so does what a program says when it starts.
func (t *tail) telling() string {
	wrong := regexp.MustCompile(
		`(?i)error|fail|fatal|panic|cannot|can't|could not|not found|missing|invalid|refused|denied|usage`)
	for _, line := range slices.Backward(t.lines()) {
		if wrong.MatchString(line) && !strings.HasPrefix(line, "at ") {
			return line
		}
	}
	return ""
}
