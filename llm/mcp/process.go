package mcp

import (
	"bytes"
	"context"
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

// closeGrace is how long a program has to obey when it is to end, and what it started to leave its output.
const closeGrace = 700 * time.Millisecond

// process is a running server program, with everything that it starts.
type process struct {
	in     io.WriteCloser // its standard input
	kill   context.CancelFunc
	exited chan struct{} // closed when it has ended
}

// startProcess starts a server's program in a process group of its own, and makes the connection to it. What it prints
// that is no message is kept in printed. lost is told when it has ended, and why.
func startProcess(s Server, printed *tail, lost func(error)) (*process, sdk.Transport, error) {
	path, err := s.program()
	if err != nil {
		return nil, nil, err
	}
	ctx, kill := context.WithCancel(context.Background())
	p := &process{kill: kill, exited: make(chan struct{})}
	messages, writer := io.Pipe()
	cmd := exec.CommandContext(ctx, path, s.Args...)
	cmd.Dir, cmd.Env = s.Dir, os.Environ()
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stdout = &filter{messages: writer, others: printed, lost: lost}
	cmd.Stderr, cmd.WaitDelay = printed, closeGrace
	setGroup(cmd)
	if p.in, err = cmd.StdinPipe(); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		kill()
		return nil, nil, fmt.Errorf("cannot start %s: %w", s.Command, err)
	}
	go func() {
		cmd.Wait()
		killGroup(cmd)
		ended := "it ended"
		if !cmd.ProcessState.Success() {
			ended += " (" + cmd.ProcessState.String() + ")"
		}
		lost(errors.New(ended + printed.quote()))
		close(p.exited)
		writer.Close()
	}()
	// The SDK's limit counts what it has read of the next message too.
	return p, &sdk.IOTransport{Reader: messages, Writer: p.in, MaxLineLength: 2 * MostResult}, nil
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

// end ends the program: it closes its standard input, then asks it to end, then kills it, each with time to obey.
func (p *process) end() {
	p.in.Close()
	select {
	case <-p.exited:
	case <-time.After(closeGrace):
	}
	p.kill()
	<-p.exited
}

// filter is the standard output of a program. It passes the messages on. The SDK would end the connection at any other
// line; those are kept with what the program prints to its standard error. What calls itself a message is passed on
// even if it cannot be decoded: somebody may be waiting for that very answer.
type filter struct {
	messages *io.PipeWriter
	others   *tail
	lost     func(error)
	line     []byte // the newest line, as far as it came
}

// errTooLong ends the connection of a server whose message is too long.
var errTooLong = fmt.Errorf("it has more than %d MB", MostResult>>20)

func (f *filter) Write(p []byte) (int, error) {
	for part := range bytes.SplitAfterSeq(p, []byte("\n")) {
		f.line = append(f.line, part...)
		if len(f.line) > MostResult {
			f.lost(errTooLong)
			return 0, errTooLong
		}
		if !bytes.HasSuffix(f.line, []byte("\n")) {
			break
		}
		to := io.Writer(f.others)
		if bytes.HasPrefix(bytes.TrimSpace(f.line), []byte("{")) && bytes.Contains(f.line, []byte(`"jsonrpc"`)) {
			to = f.messages
		}
		if _, err := to.Write(f.line); err != nil {
			return 0, err // Nobody reads the messages any more.
		}
		f.line = f.line[:0]
	}
	return len(p), nil
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
