package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/adrg/xdg"
)

// host runs commands of winnow one after the other in one process, so that they take the time of one start. Each has
// arguments, an environment, a folder, and standard input and output of its own, as if it were a process. A test of
// processes, signals or terminals starts winnow itself.
type host struct {
	starting sync.Once
	fault    error
	turn     sync.Mutex
	cmd      *exec.Cmd
	commands *json.Encoder
	results  *json.Decoder
}

// command is one run of winnow.
type command struct {
	Args  []string
	Env   []string
	Dir   string
	Stdin []byte
}

// result is how a command ended.
type result struct {
	Code           Exit
	Stdout, Stderr []byte
}

// run runs a command. The process begins with the first one.
func (h *host) run(c command) (r result, err error) {
	h.starting.Do(func() { h.fault = h.start() })
	if h.fault != nil {
		return r, h.fault
	}
	h.turn.Lock()
	defer h.turn.Unlock()
	if err = h.commands.Encode(c); err == nil {
		err = h.results.Decode(&r)
	}
	if err != nil {
		return r, fmt.Errorf("the process ended in winnow %q: %w", c.Args, err)
	}
	return r, nil
}

func (h *host) start() error {
	path, err := exec.LookPath("winnow-host")
	if err != nil {
		return err
	}
	h.cmd = exec.Command(path)
	h.cmd.Stderr = os.Stderr
	in, err := h.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	h.commands, h.results = json.NewEncoder(in), json.NewDecoder(out)
	return h.cmd.Start()
}

// close ends the process.
func (h *host) close() {
	if h.cmd != nil && h.cmd.Process != nil {
		h.cmd.Process.Kill()
		h.cmd.Wait()
	}
}

// hosts are the hosts of the tests that are running, by the folder of their home.
var hosts sync.Map

// hostOf makes the host of a home. It starts with the first command.
func hostOf(t testing.TB, folder string) {
	h := new(host)
	hosts.Store(folder, h)
	t.Cleanup(func() {
		hosts.Delete(folder)
		h.close()
	})
}

// attempt runs a command of winnow in the host of its home, however it ends. Without a folder it runs in that of the
// test.
func attempt(t testing.TB, c command) result {
	t.Helper()
	var err error
	if c.Dir == "" {
		if c.Dir, err = os.Getwd(); err != nil {
			t.Fatal(err)
		}
	}
	h, _ := hosts.Load(valueOf(c.Env, "HOME"))
	r, err := h.(*host).run(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// succeed runs a command of winnow that must succeed.
func succeed(t testing.TB, c command) result {
	t.Helper()
	r := attempt(t, c)
	if r.Code != OK {
		t.Fatalf("winnow %q ended with %d: %s%s", c.Args, r.Code, r.Stdout, r.Stderr)
	}
	return r
}

// output is what a command of winnow prints on standard output; it must succeed.
func output(t testing.TB, env []string, args ...string) []byte {
	t.Helper()
	return succeed(t, command{Args: args, Env: env}).Stdout
}

// winnowIn is output for many commands in one environment.
func winnowIn(t testing.TB, env []string) func(args ...string) []byte {
	return func(args ...string) []byte {
		t.Helper()
		return output(t, env, args...)
	}
}

// hostWinnow is the process of a host.
func hostWinnow() {
	commands, results := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var c command
		if err := commands.Decode(&c); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			panic(err)
		}
		r, err := c.run()
		if err == nil {
			err = results.Encode(r)
		}
		if err != nil {
			panic(err)
		}
	}
}

// run makes the surroundings of this process those of the command, and runs it.
func (c command) run() (r result, err error) {
	os.Clearenv()
	for _, variable := range c.Env {
		name, value, _ := strings.Cut(variable, "=")
		if err = os.Setenv(name, value); err != nil {
			return r, err
		}
	}
	xdg.Reload()
	if err = os.Chdir(c.Dir); err != nil {
		return r, err
	}
	in, typed, err := os.Pipe()
	if err != nil {
		return r, err
	}
	defer in.Close()
	go func() {
		typed.Write(c.Stdin)
		typed.Close()
	}()
	out, err := os.CreateTemp("", "out")
	if err != nil {
		return r, err
	}
	defer os.Remove(out.Name())
	errs, err := os.CreateTemp("", "err")
	if err != nil {
		return r, err
	}
	defer os.Remove(errs.Name())
	os.Stdin, os.Stdout, os.Stderr = in, out, errs
	r.Code = testWinnow().main(context.Background(), c.Args)
	for file, text := range map[*os.File]*[]byte{out: &r.Stdout, errs: &r.Stderr} {
		if *text, err = os.ReadFile(file.Name()); err != nil {
			return r, err
		}
		file.Close()
	}
	return r, nil
}
