package mcp

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
	"time"
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
	in     *os.File // what it reads
	out    *os.File // what it writes
	errors *tail

	ending sync.Once
	exited chan struct{}
	status error // how it ended, once exited is closed
}

// startProcess starts a server's program in a process group of its own.
func startProcess(s Server) (*process, error) {
	path, err := lookPath(s)
	if err != nil {
		return nil, err
	}
	if s.Dir != "" {
		if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("the folder %s does not exist", s.Dir)
		}
	}
	p := &process{cmd: exec.Command(path, s.Args...), errors: &tail{}, exited: make(chan struct{})}
	p.cmd.Dir = s.Dir
	p.cmd.Env = os.Environ()
	for name, value := range s.Env {
		p.cmd.Env = append(p.cmd.Env, name+"="+value)
	}
	apart(p.cmd)
	var pipes [3][2]*os.File // each for reading and for writing
	for i := range pipes {
		if pipes[i][0], pipes[i][1], err = os.Pipe(); err != nil {
			return nil, errors.Join(err, closeAll(pipes[:]...))
		}
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = pipes[0][0], pipes[1][1], pipes[2][1]
	if err := p.cmd.Start(); err != nil {
		closeAll(pipes[:]...)
		return nil, startError(s, err)
	}
	closeAll([2]*os.File{pipes[0][0], nil}, [2]*os.File{pipes[1][1], pipes[2][1]})
	p.in, p.out = pipes[0][1], pipes[1][0]
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.errors.follow(pipes[2][0])
	}()
	go p.reap(pipes[2][0], read)
	return p, nil
}

func closeAll(pairs ...[2]*os.File) error {
	for _, pair := range pairs {
		for _, f := range pair {
			if f != nil {
				f.Close()
			}
		}
	}
	return nil
}

// lookPath finds the program where the server itself would: a PATH in its own environment counts.
func lookPath(s Server) (string, error) {
	path, set := s.Env["PATH"]
	if !set || strings.ContainsRune(s.Command, filepath.Separator) {
		found, err := exec.LookPath(s.Command)
		if err != nil && !errors.Is(err, exec.ErrDot) {
			return "", startError(s, err)
		}
		return found, nil
	}
	for _, dir := range filepath.SplitList(path) {
		if found, err := exec.LookPath(filepath.Join(dir, s.Command)); err == nil {
			return found, nil
		}
	}
	return "", startError(s, exec.ErrNotFound)
}

// startError is the sentence for a program that did not start.
func startError(s Server, err error) error {
	var path *os.PathError
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("the program %s is not found", s.Command)
	case errors.As(err, &path):
		return fmt.Errorf("cannot start %s: %w", s.Command, path.Err)
	}
	return fmt.Errorf("cannot start %s: %w", s.Command, err)
}

// reap waits for the program's end, ends what it left running, and lets nobody wait for its pipes for ever: a
// descendant may hold them open.
func (p *process) reap(stderr *os.File, read <-chan struct{}) {
	p.status = p.cmd.Wait()
	killGroup(p.cmd)
	p.out.SetReadDeadline(time.Now().Add(drainTime))
	select {
	case <-read:
	case <-time.After(drainTime):
	}
	stderr.Close()
	<-read
	close(p.exited)
}

// end ends the program: it closes its standard input, then asks it to end, then kills it, each with time to obey.
func (p *process) end() {
	p.ending.Do(func() {
		p.in.Close()
		if !p.wait(closeGrace) {
			endGroup(p.cmd)
			if !p.wait(termGrace) {
				killGroup(p.cmd)
				p.wait(killGrace)
			}
		}
		p.out.Close()
	})
}

func (p *process) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// how says how the program ended, with the line of its standard error that says most. It is for one that ended by itself.
func (p *process) how() string {
	if !p.wait(closeGrace) {
		return "it closed its standard output"
	}
	text := "it ended"
	if p.status != nil {
		text = "it ended (" + p.status.Error() + ")"
	}
	if line := p.errors.telling(); line != "" {
		text += ": " + line
	}
	return text
}

// tail keeps the last lines of a stream.
type tail struct {
	mu    sync.Mutex
	lines []string
}

const (
	tailLines  = 20
	tailLength = 500 // bytes of a line
)

// follow reads a stream to its end.
func (t *tail) follow(in io.Reader) {
	lines := newLineReader(in, 64<<10)
	for {
		l, err := lines.next()
		if err != nil {
			// A line without end is not worth more memory, but a full pipe would stop the program.
			io.Copy(io.Discard, in)
			return
		}
		if text := clean(string(l.text), tailLength); text != "" {
			t.add(text)
		}
	}
}

func (t *tail) add(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, text)
	t.lines = t.lines[max(0, len(t.lines)-tailLines):]
}

// last are the lines that are kept.
func (t *tail) last() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.lines...)
}

// telling is the line that says what went wrong: the last one with a word for it, "" where none has one. The last
// line of a stack trace says little, and so does what a program says when it starts.
func (t *tail) telling() string {
	wrong := regexp.MustCompile(`(?i)error|fail|fatal|panic|cannot|can't|could not|not found|missing|invalid|refused|denied|usage`)
	lines := t.last()
	for i := len(lines) - 1; i >= 0; i-- {
		if wrong.MatchString(lines[i]) && !strings.HasPrefix(lines[i], "at ") {
			return lines[i]
		}
	}
	return ""
}
