//go:build unix

// Package screen runs a Bubble Tea program with a renderer of its own. Bubble Tea's renderer draws on a timer: a typed
// letter waits for the next tick, and the program wakes up 60 times a second at rest. Here a view is built and drawn
// when something has changed, at most once per frame; at rest nothing runs.
package screen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"winnow/ui/input"
)

// The modes of the terminal that a program needs. Both xterm's and Kitty's keyboard protocol are requested; a terminal
// ignores the one that it does not know.
const (
	setModes = ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable + ansi.SetModeBracketedPaste +
		ansi.SetModeFocusEvent + ansi.SetModifyOtherKeys2 + pushKitty
	resetModes = ansi.ResetModifyOtherKeys + popKitty + ansi.ResetModeAltScreenSaveCursor +
		ansi.SetModeTextCursorEnable + ansi.ResetModeBracketedPaste + ansi.ResetModeFocusEvent + noMouse
	mouse   = ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr
	noMouse = ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseExtSgr

	pushKitty, popKitty = "\x1b[>1u", "\x1b[<1u"
)

// terminal is the terminal of the program. It is the Bubble Tea program's output, which passes it to the commands of
// Exec.
type terminal struct {
	*os.File
	in      *os.File
	profile colorprofile.Profile // the colours that it supports

	mu     sync.Mutex  // a command that panics releases the terminal from its own goroutine
	before *term.State // the state to restore; nil if it is restored
	taken  bool        // the program has the terminal, and may draw

	view     tea.View // the last one drawn or to be drawn
	renderer *uv.TerminalRenderer
	out      bytes.Buffer // output of the renderer
	cells    *uv.RenderBuffer
	lines    []string // the view's lines that the cells were parsed from

	title  string // the window title as set in the terminal; likewise the next two
	mouse  tea.MouseMode
	cursor bool
}

// Run runs a root model on a terminal until it quits or ctx ends. However it ends, the terminal is restored.
func Run(ctx context.Context, app tea.Model, in, out *os.File) error {
	reader := &input.Reader{File: in}
	t := &terminal{File: out, in: in, profile: colorprofile.Detect(out, os.Environ())}
	if err := t.take(); err != nil {
		return err
	}
	defer t.release()
	size := t.size()
	program := tea.NewProgram(newFrames(app, t),
		tea.WithContext(ctx), tea.WithInput(reader), tea.WithOutput(t), tea.WithWindowSize(size.Width, size.Height),
		// Bubble Tea's frame ticker cannot be turned off, so it ticks as rarely as possible.
		tea.WithoutRenderer(), tea.WithFPS(1), tea.WithColorProfile(t.profile),
		tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg { return t.message(reader.Message(msg)) }))

	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer close(resized)
	defer signal.Stop(resized)
	go func() {
		for range resized {
			program.Send(t.size())
		}
	}()
	_, err := program.Run()
	return err
}

// size returns the size of the terminal, 0 by 0 if it has none.
func (t *terminal) size() tea.WindowSizeMsg {
	w, h, _ := term.GetSize(t.Fd())
	return tea.WindowSizeMsg{Width: w, Height: h}
}

// message handles the program's messages that are about the terminal. It returns nil for those that go no further.
func (t *terminal) message(msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		t.mu.Lock()
		defer t.mu.Unlock()
		t.erase(msg.Width, msg.Height)
	case tea.RawMsg:
		t.write(fmt.Sprint(msg.Msg))
		return nil
	case tea.SuspendMsg:
		t.release()
	case tea.ResumeMsg:
		if err := t.take(); err != nil {
			return tea.Quit()
		}
		return t.size() // it may have changed
	}
	return msg
}

// take sets up the terminal. The next view is drawn whole.
func (t *terminal) take() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if term.IsTerminal(t.in.Fd()) {
		before, err := term.MakeRaw(t.in.Fd())
		if err != nil {
			return fmt.Errorf("take the terminal: %w", err)
		}
		t.before = before
	}
	t.taken, t.cursor, t.title, t.mouse = true, false, "", tea.MouseModeNone
	t.out.Reset()
	t.renderer = uv.NewTerminalRenderer(&t.out, os.Environ())
	t.renderer.SetColorProfile(t.profile)
	t.renderer.SetBackspace(true)
	t.renderer.SetTabStops(-1)
	t.renderer.SetFullscreen(true)
	t.renderer.SetWidthMethod(ansi.GraphemeWidth) // until content finds a character of unsure width
	size := t.size()
	t.erase(size.Width, size.Height)
	t.write(setModes)
	return nil
}

// release restores the terminal. It may be called several times and from any goroutine.
func (t *terminal) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.taken {
		return
	}
	t.taken = false
	modes := ansi.CursorPosition(1, len(t.lines)) + resetModes // some terminals have no alternate screen
	if t.title != "" {
		modes += ansi.SetWindowTitle("")
	}
	t.write(modes)
	if t.before != nil {
		_ = term.Restore(t.in.Fd(), t.before)
		t.before = nil
	}
}

// erase sets the size, and has the next view drawn whole.
func (t *terminal) erase(width, height int) {
	if t.cells == nil || t.cells.Width() != width || t.cells.Height() != height {
		t.cells = uv.NewRenderBuffer(width, height)
	}
	t.cells.Clear()
	t.lines = make([]string, height)
	t.renderer.Resize(width, height)
	t.renderer.Erase()
}

// write writes to the terminal. Errors are ignored: if the terminal is gone, reading its input ends the program.
func (t *terminal) write(text string) { _, _ = io.WriteString(t.File, text) }

// Exec is tea.ExecProcess for a command that needs the whole terminal, such as an editor. The caller sets its standard
// input and output. It works only under Run.
func Exec(c *exec.Cmd, done tea.ExecCallback) tea.Cmd { return tea.Exec(&borrower{Cmd: c}, done) }

// borrower is a command that runs while the program has released its terminal.
type borrower struct {
	*exec.Cmd
	terminal *terminal
}

// SetStdin does nothing: the caller of Exec has set it.
func (b *borrower) SetStdin(io.Reader) {}

// SetStdout gets the program's output, which is its terminal.
func (b *borrower) SetStdout(w io.Writer) { b.terminal = w.(*terminal) }

// SetStderr sets the command's standard error.
func (b *borrower) SetStderr(w io.Writer) { b.Stderr = w }

// Run releases the terminal, runs the command and takes the terminal again.
func (b *borrower) Run() error {
	b.terminal.release()
	return errors.Join(b.Cmd.Run(), b.terminal.take())
}
