package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
)

// host runs commands of winnow one after the other in one process, which saves the time of a start for each. Each
// command has its own arguments, environment, folder and standard streams. Tests of processes, signals and terminals
// start winnow itself.
type host struct {
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
	Code           exitCode
	Stdout, Stderr []byte
}

// run runs a command. The first command starts the process.
func (h *host) run(c command) (r result, err error) {
	if h.cmd == nil {
		if err := h.start(); err != nil {
			return r, err
		}
	}
	if err = h.commands.Encode(c); err == nil {
		err = h.results.Decode(&r)
	}
	if err != nil {
		return r, fmt.Errorf("the process ended in winnow %q: %w", c.Args, err)
	}
	return r, nil
}

func (h *host) start() error {
	h.cmd = exec.Command("winnow-host")
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

// hostWinnow is the main function of the host process. It returns when the test ends.
func hostWinnow() {
	commands, results := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var c command
		if err := commands.Decode(&c); err != nil {
			return
		}
		must(results.Encode(c.run()))
	}
}

// run sets the environment of this process to that of the command and runs it.
func (c command) run() (r result) {
	os.Clearenv()
	for _, variable := range c.Env {
		name, value, _ := strings.Cut(variable, "=")
		must(os.Setenv(name, value))
	}
	xdg.Reload()
	must(os.Chdir(c.Dir))
	dir, err := os.MkdirTemp("", "winnow-host-")
	must(err)
	defer os.RemoveAll(dir)
	open := func(name string, holds []byte) *os.File {
		path := filepath.Join(dir, name)
		must(os.WriteFile(path, holds, 0o600))
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		must(err)
		return file
	}
	os.Stdin, os.Stdout, os.Stderr = open("in", c.Stdin), open("out", nil), open("err", nil)
	r.Code = testWinnow().main(context.Background(), c.Args)
	for file, text := range map[*os.File]*[]byte{os.Stdin: new([]byte), os.Stdout: &r.Stdout, os.Stderr: &r.Stderr} {
		*text, err = os.ReadFile(file.Name())
		must(err)
		file.Close()
	}
	return r
}

// must is for processes without a test to report to.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
