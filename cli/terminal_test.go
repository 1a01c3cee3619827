package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"winnow/ui/uitest/terminal"
)

// Script commands for terminals: see runScripts.

// reporter reports failures of a terminal at the line of the script.
type reporter struct{ *testscript.TestScript }

func (reporter) Helper() {}

func (r reporter) Cleanup(f func()) { r.Defer(f) }

// cells parses a size such as 80x24.
func (in scriptIn) cells(size string) (width, height int) {
	_, err := fmt.Sscanf(size, "%dx%d", &width, &height)
	in.Check(err)
	return width, height
}

func (in scriptIn) resize(args []string) {
	width, height := in.cells(args[0])
	in.Check(pty.Setsize(in.screen.TTY, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}))
}

func (in scriptIn) startTerminal(args []string) {
	width, height := in.cells(args[0])
	master, slave, err := pty.Open()
	in.Check(err)
	defer master.Close()
	defer slave.Close()
	in.world.fresh, err = term.GetState(master.Fd())
	in.Check(err)
	c := in.surroundings()
	path, err := exec.LookPath(args[1])
	in.Check(err)
	in.world.screen = terminal.Start(reporter{in.TestScript}, terminal.Options{
		Path: path, Args: args[2:], Env: c.Env, Dir: c.Dir, Width: width, Height: height,
		Background: pageColours[in.page].Background,
	})
}

// keyCodes maps key names to what a terminal sends.
var keyCodes = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "space": " ", "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C",
	"left": "\x1b[D", "shift+tab": "\x1b[Z", "ctrl+c": "\x03", "ctrl+d": "\x04", "ctrl+g": "\x07", "ctrl+l": "\x0c",
	"ctrl+p": "\x10", "ctrl+s": "\x13", "ctrl+u": "\x15", "ctrl+x": "\x18", "ctrl+z": "\x1a",
}

func (in scriptIn) press(args []string) {
	for _, key := range args {
		code, ok := keyCodes[key]
		if !ok {
			var err error
			code, err = strconv.Unquote(`"` + key + `"`)
			in.Check(err)
		}
		in.screen.Send(code)
	}
}

func (in scriptIn) waitUntilGone(args []string) {
	text := strings.Join(args, " ")
	in.screen.WaitFor("nothing of "+text, func(screen string) bool { return !strings.Contains(screen, text) })
}

func (in scriptIn) matchScreen(args []string) {
	pattern := regexp.MustCompile("(?m)" + args[0])
	in.screen.WaitFor("a match of "+args[0], func(screen string) bool { return pattern.MatchString(screen) != in.not })
}

func (in scriptIn) matchWritten(args []string) {
	if written := in.screen.Written(); regexp.MustCompile(args[0]).Match(written) == in.not {
		in.Fatalf("%q was written; match %s is %v", written, args[0], !in.not)
	}
}

// await waits for a condition of which the terminal sends no event.
func (in scriptIn) await(what string, ok func() bool) {
	for limit := time.Now().Add(terminal.Patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			in.Fatalf("the terminal is never %s; the screen is\n%s", what, in.screen.Text())
		}
	}
}

func (in scriptIn) state() *term.State {
	state, err := term.GetState(in.screen.TTY.Fd())
	in.Check(err)
	return state
}

func (in scriptIn) wantEcho(args []string) {
	in.await("echo "+args[0], func() bool { return (in.state().Lflag&unix.ECHO != 0) == (args[0] == "on") })
}

// resume continues a suspended program. Without a shell the program is not stopped but waits for SIGCONT, from a moment
// on that cannot be observed.
func (in scriptIn) resume([]string) {
	in.await("taken again", func() bool {
		in.Check(in.screen.Cmd.Process.Signal(syscall.SIGCONT))
		return in.state().Lflag&unix.ECHO == 0
	})
}

// wantReleased waits until a program that has ended or is suspended has restored the terminal.
func (in scriptIn) wantReleased([]string) {
	in.await("as it was", func() bool { return reflect.DeepEqual(in.state(), in.fresh) && len(in.modesSet()) == 0 })
}

// modesSet returns the terminal modes that are not restored.
func (in scriptIn) modesSet() (names []string) {
	written := in.screen.Written()
	for _, mode := range []struct{ name, set, reset string }{
		{"the alternate screen", "\x1b[?1049h", "\x1b[?1049l"},
		{"bracketed paste", "\x1b[?2004h", "\x1b[?2004l"},
		{"the mouse", "\x1b[?1002h", "\x1b[?1002l"},
		{"the mouse's coordinates", "\x1b[?1006h", "\x1b[?1006l"},
		{"Kitty's keyboard", "\x1b[>1u", "\x1b[<1u"},
		{"modifyOtherKeys", "\x1b[>4;2m", "\x1b[>4m"},
		{"a hidden cursor", "\x1b[?25l", "\x1b[?25h"},
		{"reports of the focus", "\x1b[?1004h", "\x1b[?1004l"},
	} {
		set, reset := bytes.LastIndex(written, []byte(mode.set)), bytes.LastIndex(written, []byte(mode.reset))
		if set >= 0 && reset < set {
			names = append(names, mode.name)
		}
	}
	return names
}

var switches = regexp.MustCompile(`(?m)^voluntary_ctxt_switches:\s*(\d+)$`)

// wakeUps returns how often the threads of a process have gone to sleep, and so have woken up.
func wakeUps(pid int) (n int) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, path := range threads {
		status, _ := os.ReadFile(path) // nothing where the thread has ended
		for _, found := range switches.FindAllSubmatch(status, -1) {
			count, _ := strconv.Atoi(string(found[1]))
			n += count
		}
	}
	return n
}

// wantRest waits until nothing is written and the program sleeps. A renderer with 30 frames a second would wake up a
// hundred times a second.
func (in scriptIn) wantRest([]string) {
	const span, most = 500 * time.Millisecond, 20
	pid := in.screen.Cmd.Process.Pid
	in.await("at rest", func() bool {
		wakes, written := wakeUps(pid), len(in.screen.Written())
		time.Sleep(span) // a span in which nothing happens has no end to wait for
		return runtime.GOOS != "linux" || wakeUps(pid)-wakes <= most && len(in.screen.Written()) == written && wakes > 0
	})
}

// stepPictures keeps a picture of each step of TestDailyPath.
var stepPictures = flag.String("pictures", "", "write a picture of each step of TestDailyPath into this folder")

func (in scriptIn) drawStep(args []string) {
	if *stepPictures == "" {
		return
	}
	in.screen.Settled()
	file := filepath.Join(*stepPictures, args[0]+".svg")
	in.Check(os.WriteFile(file, []byte(terminal.SVG(in.screen.Cells(), pageColours[in.page], args[0])), 0o644))
}
