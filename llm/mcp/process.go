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
	// The SDK's limit counts what it has read of the next message too.
	return p, &sdk.IOTransport{Reader: messages, Writer: p.in, MaxLineLength: 2 * MaxResultBytes}, nil
}

// program finds the server's program where the server itself would: a PATH in its own environment goes first.
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

// filter is the standard output or the standard error of a program. It passes the messages of the first one on. The
// SDK would end the connection at any other line; those are kept. What calls itself a message is passed on even if it
// cannot be decoded: somebody may be waiting for that very answer.
type filter struct {
	messages *io.PipeWriter // nil for none
	others   *printed
	lost     func(error)
	line     []byte // the newest line, as far as it came
}

// errTooLong ends the connection of a server whose message is too long.
var errTooLong = fmt.Errorf("it has more than %d MB", MaxResultBytes>>20)

// Write takes a piece of what the program prints.
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
			return 0, err // Nobody reads the messages any more.
		}
		f.line = f.line[:0]
	}
	return len(p), nil
}

// printed are the last lines of a program that are no messages.
type printed struct {
	mu   sync.Mutex
	last []string
}

// add adds a line. Those of a stack trace say little.
func (p *printed) add(line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if text := clean(string(line), 200); text != "" && !strings.HasPrefix(text, "at ") {
		p.last = append(p.last, text)
		p.last = p.last[max(0, len(p.last)-4):]
	}
}

// quote is the end of a sentence with the lines, "" where there are none.
func (p *printed) quote() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		return ""
	}
	return "; it printed: " + strings.Join(p.last, " / ")
}
