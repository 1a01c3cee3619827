package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"winnow/ui/uitest/terminal"
)

// newTerminalState is the state of a terminal that no program has used.
func newTerminalState(t *testing.T) *term.State {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer slave.Close()
	state, err := term.GetState(master.Fd())
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// wantModesReset fails where a program that has ended, or lets another have the terminal, left something
// of it changed.
func wantModesReset(t *testing.T, what string, chat *terminal.Terminal, before *term.State) {
	t.Helper()
	state, err := term.GetState(chat.TTY.Fd())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(state, before) {
		t.Errorf("%s: the terminal's state is\n%+v, want\n%+v", what, state, before)
	}
	if set := modesSet(chat); len(set) > 0 {
		t.Errorf("%s: these modes are set and never reset: %q", what, set)
	}
}

// modesSet are the modes of the terminal that are not as they were.
func modesSet(chat *terminal.Terminal) (names []string) {
	written := chat.Written()
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
		if set := bytes.LastIndex(written, []byte(mode.set)); set >= 0 &&
			bytes.LastIndex(written, []byte(mode.reset)) < set {
			names = append(names, mode.name)
		}
	}
	return names
}

// wantRaw waits until the program has the terminal hand on each key as it is pressed, or has not. The
// terminal says nothing when that changes, so it is asked again and again.
func wantRaw(t *testing.T, chat *terminal.Terminal, before *term.State, want bool, meanwhile ...func()) {
	t.Helper()
	for limit := time.Now().Add(terminal.Patience); ; time.Sleep(time.Millisecond) {
		state, err := term.GetState(chat.TTY.Fd())
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(state, before) == want {
			return
		}
		for _, do := range meanwhile {
			do()
		}
		if time.Now().After(limit) {
			t.Fatalf("the terminal's raw mode is not %v; the screen is\n%s", want, chat.Text())
		}
	}
}

func TestSuspendGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	before := newTerminalState(t)
	chat := startIn(t, home(t), 80, 24, "-m", "guide")
	chat.Want("guide", "enter send")
	chat.Send("before ")
	chat.Want("before")
	chat.Send("\x1a")
	wantRaw(t, chat, before, false)
	chat.WaitFor("reset modes", func(string) bool { return len(modesSet(chat)) == 0 })
	wantModesReset(t, "suspended", chat, before)
	if err := pty.Setsize(chat.TTY, &pty.Winsize{Rows: 20, Cols: 70}); err != nil {
		t.Fatal(err)
	}
	// Without a shell the program is not stopped: it waits to be continued, from a moment on that cannot
	// be seen.
	wantRaw(t, chat, before, true, func() { chat.Cmd.Process.Signal(syscall.SIGCONT) })
	chat.Send("after")
	chat.Want("before after")
	chat.Send(ctrlC + ctrlC)
	chat.End()
	wantModesReset(t, "ended", chat, before)
}

func TestTheEditorHasTheTerminal(t *testing.T) {
	t.Parallel()
	before := newTerminalState(t)
	env := home(t)
	dir := t.TempDir()
	editor := filepath.Join(dir, "editor")
	script := "#!/bin/sh\n[ -t 0 ] && stty -a >" + dir + "/modes\nread line\necho \"$line\" >\"$1\"\n"
	if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	chat := startIn(t, append(env, "EDITOR="+editor), 80, 24, "-m", "guide")
	chat.Want("guide", "enter send")
	chat.Send("\x07") // ctrl+g
	wantRaw(t, chat, before, false)
	chat.WaitFor("reset modes", func(string) bool { return len(modesSet(chat)) == 0 })
	wantModesReset(t, "in the editor", chat, before)
	chat.Send("typed in the editor\r")
	chat.Want("› typed in the editor")
	chat.Send(" and here")
	chat.Want("typed in the editor and here")
	modes, err := os.ReadFile(filepath.Join(dir, "modes"))
	if err != nil || !regexp.MustCompile(`(^|\s)icanon`).Match(modes) ||
		!regexp.MustCompile(`(^|\s)echo\b`).Match(modes) {
		t.Errorf("the editor's terminal has the modes %s (%v), want icanon and echo", modes, err)
	}
	chat.Send(ctrlC + ctrlC)
	chat.End()
	wantModesReset(t, "ended", chat, before)
}
