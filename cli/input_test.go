package cli

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"winnow/ui/uitest/terminal"
)

// hostileInput is a piece of input that could lock the keyboard, or send what nobody sent.
type hostileInput struct {
	name  string
	reads []string // written one after the other
}

const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// hostilePieces are what such input is made of.
var hostilePieces = []string{
	"word ", "größer ", "猫が好き", "👩‍👩‍👧", "\r", "\r\n", "\n", "\t", "y", "/quit\r", "/new\r",
	"\x1b", "\x1b\x1b", "\x1b[", "\x1bO", "\x1b[12;", "\x1b[A", "\x1b[<0;1;1M", "\x1b[31m",
	"\x1b]", "\x1b]0;title", "\x1b]52;c;", "\x1b]8;;http://x", "\x1bP", "\x1bPq", "\x1b_G", "\x1b^", "\x1bX",
	"\x80", "\x90", "\x9b", "\x9c", "\x9d", "\x9e", "\x9f", "\u0090", "\u009d", "\xc3", "\xe3\x81", "\xf0\x9f", "\xff", "\x00", "\x03", "\x04", "\x18", "\x1a", "\x7f",
	pasteStart, "\x1b[20", "\x1b[201", "\a", "\x1b\\",
}

// hostileInputs are so many inputs, the same for the same seed.
func hostileInputs(n int, seed uint64) []hostileInput {
	r := rand.New(rand.NewPCG(seed, 11))
	pieces := func() string {
		var b strings.Builder
		for range 1 + r.IntN(8) {
			b.WriteString(strings.Repeat(hostilePieces[r.IntN(len(hostilePieces))], []int{1, 1, 1, 2, 30}[r.IntN(5)]))
		}
		return b.String()
	}
	// Behind the end of a paste a key is a key: there, enter sends, ctrl+g opens the editor and ctrl+z suspends.
	keyless := strings.NewReplacer("\r", "", "\n", "", "\a", "", "\x1a", "")
	typed := func() string { return keyless.Replace(pieces()) }
	openers := []string{"\x1b]0;a", "\x1bPq", "\x1b_G", "\x1b^a", "\x1bXa", "\x90", "\x9d", "\x9f", "\xe3\x81", "\x1b[12;", "\x1b"}
	letters := strings.Repeat("letters ", 30)
	var list []hostileInput
	for i := range n {
		in := hostileInput{}
		switch i % 8 {
		case 0:
			in.name, in.reads = "paste", []string{pasteStart + pieces() + pasteEnd}
		case 1:
			in.name, in.reads = "paste that opens a string", []string{pasteStart + "a\r" + openers[r.IntN(len(openers))] + pasteEnd}
		case 2:
			in.name, in.reads = "paste without an end", []string{pasteStart + pieces()}
		case 3:
			in.name, in.reads = "paste without an end that opens a string", []string{pasteStart + "a\r" + openers[r.IntN(len(openers))], "b\r"}
		case 4:
			in.name, in.reads = "paste with end markers inside", []string{pasteStart + pieces() + pasteEnd + typed() + "\ry\r" + pasteEnd + "\r" + pasteEnd}
		case 5:
			in.name, in.reads = "paste without markers", []string{letters + pieces() + "\r" + pieces() + "\r"}
		case 6:
			in.name, in.reads = "open string", []string{openers[r.IntN(len(openers))] + "a"}
		case 7:
			in.name, in.reads = "paste in pieces", []string{pasteStart + pieces(), pieces(), pieces() + pasteEnd, typed() + "\r" + pasteEnd}
		}
		list = append(list, in)
	}
	return list
}

// unaskedServer counts the requests for an answer. Nothing in these tests is meant to ask for one.
func unaskedServer(t *testing.T) (env []string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			io.WriteString(w, `{"object":"list","data":[{"id":"small","object":"model","context_length":8192}]}`)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/chat/completions") {
			asked.Add(1)
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	return []string{"OPENAI_API_KEY=sk-not-a-real-key-0000", "OPENAI_BASE_URL=" + server.URL + "/v1"}, asked
}

// quitHint is what the program answers ctrl+c with when nothing else is left to do.
var quitHint = regexp.MustCompile(`ctrl\+c again (to )?quit`)

// interruptPatience is how long ctrl+c may take on a machine that has other things to do as well. A locked
// keyboard never answers.
const interruptPatience = 30 * time.Second

// TestHostileInputLocksNothing feeds the program hostile pastes and bytes through a pseudo-terminal, each to a
// new program: afterwards ctrl+c is answered, nothing has been sent or stored, and the terminal is as it was.
func TestHostileInputLocksNothing(t *testing.T) {
	n, seed := 16, uint64(1)
	if soak() {
		n, seed = 1200, uint64(time.Now().UnixNano())
	}
	t.Logf("%d inputs, seed %d", n, seed)
	t.Parallel()
	env, asked := unaskedServer(t)
	before := newTerminalState(t)
	var slowest atomic.Int64
	inputs := append(hostileInputs(n, seed),
		hostileInput{"a megabyte without markers", []string{strings.Repeat("a line of a megabyte\r", 50_000)}},
		hostileInput{"a megabyte with markers", []string{pasteStart + strings.Repeat("a line of a megabyte\r", 50_000) + pasteEnd}})
	jobs := make(chan int)
	go func() {
		defer close(jobs)
		for i := range inputs {
			jobs <- i
		}
	}()
	t.Run("group", func(t *testing.T) {
		for worker := range 3 {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				for i := range jobs {
					took := tryHostileInput(t, inputs[i], append(home(t), env...), before)
					for was := slowest.Load(); int64(took) > was && !slowest.CompareAndSwap(was, int64(took)); was = slowest.Load() {
					}
					if n := asked.Load(); n > 0 {
						t.Fatalf("%d requests were sent by %s %q", n, inputs[i].name, inputs[i].reads)
					}
				}
			})
		}
	})
	t.Logf("the slowest answer to ctrl+c took %v", time.Duration(slowest.Load()).Round(time.Millisecond))
}

// tryHostileInput returns how long the program took to answer ctrl+c.
func tryHostileInput(t *testing.T, in hostileInput, env []string, before *term.State) time.Duration {
	t.Helper()
	chat := startIn(t, env, 80, 24, "-m", "openai/small")
	chat.Want("small", "enter send")
	for _, read := range in.reads {
		chat.Send(read)
	}
	chat.Send(ctrlC)
	pressed := time.Now()
	answered := make(chan bool, 1)
	go func() {
		for !quitHint.MatchString(chat.Text()) {
			select {
			case <-chat.Changed():
			case <-chat.Ended(): // what was pasted ended with ctrl+c as well
				answered <- true
				return
			}
		}
		answered <- true
	}()
	select {
	case <-answered:
	case <-time.After(interruptPatience):
		t.Fatalf("ctrl+c is not answered after %s %q; the screen is\n%s", in.name, in.reads, chat.Text())
	}
	took := time.Since(pressed)
	select {
	case <-chat.Ended():
	default:
		io.WriteString(chat.TTY, ctrlC) // it may be ending already
	}
	chat.End()
	if line := resumeLine.FindString(chat.Text()); line != "" {
		t.Fatalf("%s %q stored a session: %q", in.name, in.reads, line)
	}
	wantModesReset(t, fmt.Sprintf("%s %q", in.name, in.reads), chat, before)
	chat.TTY.Close()
	return took
}

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
		if set := bytes.LastIndex(written, []byte(mode.set)); set >= 0 && bytes.LastIndex(written, []byte(mode.reset)) < set {
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
	if err != nil || !regexp.MustCompile(`(^|\s)icanon`).Match(modes) || !regexp.MustCompile(`(^|\s)echo\b`).Match(modes) {
		t.Errorf("the editor's terminal has the modes %s (%v), want icanon and echo", modes, err)
	}
	chat.Send(ctrlC + ctrlC)
	chat.End()
	wantModesReset(t, "ended", chat, before)
}
