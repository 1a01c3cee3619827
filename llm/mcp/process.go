package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	closeGrace = 700 * time.Millisecond // how long a program has to obey when it is to end
	drainTime  = 300 * time.Millisecond // for what is still in the pipes of a program that ended
)

// process is a running server program, with everything that it starts.
type process struct {
	cmd      *exec.Cmd
	in       io.WriteCloser // its standard input
	messages *io.PipeReader // the lines of its standard output that are messages
	printed  *tail          // the other lines, and those of its standard error
	exited   chan struct{}  // closed when it has ended
}

// startProcess starts a server's program in a process group of its own.
func startProcess(s Server, printed *tail) (*process, error) {
	path, err := s.program()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(path, s.Args...), printed: printed, exited: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = s.Dir, os.Environ()
	for name, value := range s.Env {
		p.cmd.Env = append(p.cmd.Env, name+"="+value)
	}
	p.cmd.Stderr, p.cmd.WaitDelay = printed, drainTime // A descendant may hold the pipe open.
	apart(p.cmd)
	out, output, err := os.Pipe() // Wait would close a pipe of cmd's own before it is read to its end.
	if err != nil {
		return nil, err
	}
	defer output.Close()
	p.cmd.Stdout = output
	if p.in, err = p.cmd.StdinPipe(); err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		out.Close()
		return nil, fmt.Errorf("cannot start %s: %w", s.Command, err)
	}
	reader, writer := io.Pipe()
	p.messages = reader
	go p.filter(out, writer)
	go func() {
		defer close(p.exited)
		p.cmd.Wait()
		killGroup(p.cmd)
		out.SetReadDeadline(time.Now().Add(drainTime)) // Where there are no groups, a descendant may hold it open.
	}()
	return p, nil
}

// transport is the connection to the program. The SDK's limit counts what it has read of the next message too.
func (p *process) transport() sdk.Transport {
	return &sdk.IOTransport{Reader: p.messages, Writer: p.in, MaxLineLength: 2 * MostResult}
}

// program finds the server's program where the server itself would: a PATH in its own environment goes first.
func (s Server) program() (string, error) {
	for _, folder := range filepath.SplitList(s.Env["PATH"]) {
		if path, err := exec.LookPath(filepath.Join(folder, s.Command)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(s.Command)
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("the program %s is not found", s.Command)
	}
	return path, err
}

// errTooLong ends the connection of a server whose message is too long.
var errTooLong = fmt.Errorf("it has more than %d MB", MostResult>>20)

// filter passes the messages of the program on. The SDK would end the connection at any other line; those are kept
// with what the program prints to its standard error. What calls itself a message is passed on even if it cannot be
// decoded: somebody may be waiting for that very answer.
func (p *process) filter(out io.ReadCloser, messages *io.PipeWriter) {
	defer out.Close()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, MostResult)
	for lines.Scan() {
		to, line := io.Writer(p.printed), lines.Bytes()
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) && bytes.Contains(line, []byte(`"jsonrpc"`)) {
			to = messages
		}
		if _, err := fmt.Fprintf(to, "%s\n", line); err != nil {
			return // Nobody reads the messages any more.
		}
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = errTooLong
	}
	messages.CloseWithError(err)
}

// end ends the program: it closes its standard input, then asks it to end, then kills it, each with time to obey.
func (p *process) end() {
	defer p.messages.Close()
	p.in.Close()
	for _, next := range []func(*exec.Cmd){endGroup, killGroup} {
		if p.wait(closeGrace) {
			return
		}
		next(p.cmd)
	}
	p.wait(closeGrace)
}

func (p *process) wait(d time.Duration) bool {
	select {
	case <-p.exited:
		return true
	case <-time.After(d):
		return false
	}
}

// how says how the program ended by itself, with what it printed.
func (p *process) how() error {
	text := "it ended"
	if !p.cmd.ProcessState.Success() {
		text += " (" + p.cmd.ProcessState.String() + ")"
	}
	return errors.New(text + p.printed.quote())
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 10_000

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-tailBytes):]...)
	t.text = slices.Delete(t.text, 0, max(0, len(t.text)-tailBytes))
	return len(p), nil
}

// quote is the end of a sentence with the last lines, "" where there are none. Those of a stack trace say little.
func (t *tail) quote() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for line := range strings.Lines(string(t.text)) {
		if line = clean(line, 200); line != "" && !strings.HasPrefix(line, "at ") {
			lines = append(lines, line)
		}
	}
	if lines == nil {
		return ""
	}
	return "; it printed: " + strings.Join(lines[max(0, len(lines)-4):], " / ")
}
