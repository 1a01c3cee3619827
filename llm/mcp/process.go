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
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// closeGrace is how long a program may take to react to each step of being stopped, and its children to close its
// output.
const closeGrace = 700 * time.Millisecond

// process is a running server program, with its child processes.
type process struct {
	in     io.WriteCloser // standard input
	kill   context.CancelFunc
	exited chan struct{} // closed when the program has exited
}

// startProcess starts a server's program in its own process group, and returns the transport to it. Output that is not
// a message is kept in printed. lost is called with the reason when the program has exited.
func startProcess(s ServerConfig, printed *printed, lost func(error)) (*process, sdk.Transport, error) {
	path, err := s.program()
	if err != nil {
		return nil, nil, err
	}
	ctx, kill := context.WithCancel(context.Background())
	p := &process{kill: kill, exited: make(chan struct{})}
	messages, writer := io.Pipe()
	cmd := exec.CommandContext(ctx, path, s.Args...)
	cmd.Env = os.Environ()
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, errs := &filter{messages: writer, others: printed, lost: lost}, &filter{others: printed, lost: lost}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, errs, closeGrace
	setGroup(cmd)
	if p.in, err = cmd.StdinPipe(); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		kill()
		return nil, nil, fmt.Errorf("cannot start %s: %w", s.Command, err)
	}
	go func() {
		if err := cmd.Wait(); !errors.Is(err, exec.ErrWaitDelay) {
			printed.add(out.line)
			printed.add(errs.line)
		}
		killGroup(cmd)
		ended := "it ended"
		if !cmd.ProcessState.Success() {
			ended += " (" + cmd.ProcessState.String() + ")"
		}
		lost(errors.New(ended + printed.quote()))
		close(p.exited)
		writer.Close()
	}()
	// The SDK's limit includes bytes of the next message.
	return p, &sdk.IOTransport{Reader: messages, Writer: p.in, MaxLineLength: 2 * MaxResultBytes}, nil
}

// program finds the server's program. A PATH in the server's own environment takes precedence.
func (s ServerConfig) program() (string, error) {
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

// end stops the program: it closes standard input, then sends SIGTERM, then kills it, with time to react in between.
func (p *process) end() {
	p.in.Close()
	select {
	case <-p.exited:
	case <-time.After(closeGrace):
	}
	p.kill()
	<-p.exited
}

// filter receives the standard output or standard error of a program. It passes messages of standard output on and
// keeps all other lines, at which the SDK would close the connection. A line that looks like a message is passed on
// even if it cannot be decoded, because a request may be waiting for it.
type filter struct {
	messages *io.PipeWriter // nil for standard error
	others   *printed
	lost     func(error)
	line     []byte // the current, incomplete line
}

// errTooLong ends the connection to a server that sends too long a message.
var errTooLong = fmt.Errorf("its message is larger than %d MB", MaxResultBytes>>20)

// Write receives output of the program.
func (f *filter) Write(p []byte) (int, error) {
	for part := range bytes.SplitAfterSeq(p, []byte("\n")) {
		f.line = append(f.line, part...)
		if len(f.line) > MaxResultBytes {
			f.lost(errTooLong)
			return 0, errTooLong
		}
		if !bytes.HasSuffix(part, []byte("\n")) {
			break
		}
		isObject := bytes.HasPrefix(bytes.TrimSpace(f.line), []byte("{"))
		if f.messages == nil || !isObject || !bytes.Contains(f.line, []byte(`"jsonrpc"`)) {
			f.others.add(f.line)
		} else if _, err := f.messages.Write(f.line); err != nil {
			return 0, err // The connection is closed.
		}
		f.line = f.line[:0]
	}
	return len(p), nil
}

// printed keeps the last lines of a program's output that are not messages.
type printed struct {
	mu   sync.Mutex
	last []string
}

// add adds a line, except those of stack traces, which say little.
func (p *printed) add(line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if text := clean(string(line), 200); text != "" && !strings.HasPrefix(text, "at ") {
		p.last = append(p.last, text)
		p.last = p.last[max(0, len(p.last)-4):]
	}
}

// quote returns the lines as the end of a sentence, "" if there are none.
func (p *printed) quote() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		return ""
	}
	return "; it printed: " + strings.Join(p.last, " / ")
}
