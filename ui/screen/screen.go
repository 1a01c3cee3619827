//go:build unix

// Package screen shows a Bubble Tea program on the terminal, in the place of Bubble Tea's own renderer. That one sleeps
// until its next frame, so that a letter waits for it, and wakes up for each frame as long as the program runs. Here a
// view is built and drawn when something happened, at most once a frame; at rest nothing happens.
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

// The modes of the terminal that a program needs. Both ways to tell keys apart are asked for, xterm's and Kitty's; a
// terminal takes the one that it knows.
const (
	setModes = ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable + ansi.SetModeBracketedPaste +
		ansi.SetModeFocusEvent + ansi.SetModifyOtherKeys2 + pushKitty
	resetModes = ansi.ResetModifyOtherKeys + popKitty + ansi.ResetModeAltScreenSaveCursor +
		ansi.SetModeTextCursorEnable + ansi.ResetModeBracketedPaste + ansi.ResetModeFocusEvent + noMouse
	mouse   = ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr
	noMouse = ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseExtSgr

	pushKitty, popKitty = "\x1b[>1u", "\x1b[<1u"
)

// terminal is the terminal that a program is shown on. It is the output of the Bubble Tea program, which lends it to
// other programs; see Exec.
type terminal struct {
	*os.File
	in      *os.File
	profile colorprofile.Profile // the colours that it has

	mu     sync.Mutex  // a command that panics gives the terminal back, whatever the program does meanwhile
	before *term.State // the terminal as it was; nil where it is as it was
	taken  bool        // it is the program's

	view     tea.View // the newest
	renderer *uv.TerminalRenderer
	out      bytes.Buffer // what the renderer writes
	cells    *uv.RenderBuffer
	lines    []string // what the cells were made from

	title  string // the window's, as the terminal knows it, and so are the next two
	mouse  tea.MouseMode
	cursor bool
}

// Run shows an application on a terminal until it ends or ctx does, and gives the terminal back however it ends.
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
		// Bubble Tea's ticker for drawing cannot be turned off. It does nothing, as rarely as it can.
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

// size is the size of the terminal, 0 by 0 for one that has none.
func (t *terminal) size() tea.WindowSizeMsg {
	w, h, _ := term.GetSize(t.Fd())
	return tea.WindowSizeMsg{Width: w, Height: h}
}

// message takes from the messages of a program what is about the terminal.
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
		return t.size() // it may be another one
	}
	return msg
}

// take sets the terminal up for drawing. The next view is drawn whole.
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
	t.renderer.SetWidthMethod(ansi.GraphemeWidth) // until content finds a character that terminals count otherwise
	size := t.size()
	t.erase(size.Width, size.Height)
	t.write(setModes)
	return nil
}

// release gives the terminal back as it was. It may be called several times, and from any goroutine.
func (t *terminal) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.taken {
		return
	}
	t.taken = false
	modes := ansi.CursorPosition(1, len(t.lines)) + resetModes // some terminals have no alternate screen to leave
	if t.title != "" {
		modes += ansi.SetWindowTitle("")
	}
	t.write(modes)
	if t.before != nil {
		_ = term.Restore(t.in.Fd(), t.before)
		t.before = nil
	}
}

// erase forgets what the terminal shows.
func (t *terminal) erase(width, height int) {
	if t.cells == nil || t.cells.Width() != width || t.cells.Height() != height {
		t.cells = uv.NewRenderBuffer(width, height)
	}
	t.cells.Clear()
	t.lines = make([]string, height)
	t.renderer.Resize(width, height)
	t.renderer.Erase()
}

// write writes to the terminal. One that is gone ends the program by its input.
func (t *terminal) write(text string) { _, _ = io.WriteString(t.File, text) }

// Exec is tea.ExecProcess for a command that has the terminal to itself, as an editor does: what it reads and writes is
// set. It works under Run alone.
func Exec(c *exec.Cmd, done tea.ExecCallback) tea.Cmd { return tea.Exec(&borrower{Cmd: c}, done) }

// borrower is a command that runs while the program does without its terminal.
type borrower struct {
	*exec.Cmd
	terminal *terminal
}

// SetStdin does nothing.
func (b *borrower) SetStdin(io.Reader) {}

// SetStdout is given the output of the program.
func (b *borrower) SetStdout(w io.Writer) { b.terminal = w.(*terminal) }

// SetStderr sets where the command writes its errors.
func (b *borrower) SetStderr(w io.Writer) { b.Stderr = w }

// Run runs the command.
func (b *borrower) Run() error {
	b.terminal.release()
	return errors.Join(b.Cmd.Run(), b.terminal.take())
}
