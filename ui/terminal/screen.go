//go:build unix

package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// Screen is the terminal that the application is drawn on. It asks for the alternate screen, focus events, bracketed
// paste and unambiguous keys; of a view it shows the content, the cursor, the title and the mouse mode. A nil screen
// shows nothing.
//
// It is the output of the Bubble Tea program, which asks the file for its colours and lends it to other programs.
type Screen struct {
	*os.File
	in      *os.File
	env     uv.Environ
	send    func(tea.Msg)
	resized chan os.Signal // nil before Start

	mu     sync.Mutex
	before *term.State // the terminal as it was; nil where it is as it was
	taken  bool        // it is the application's

	out      bytes.Buffer // what the renderer writes
	renderer *uv.TerminalRenderer
	cells    uv.ScreenBuffer
	lines    []string // what the cells were made from
	previous []string // the same, of the frame before
	profile  colorprofile.Profile
	synced   bool // the terminal shows an update at once: mode 2026
	clusters bool // it counts a character as one, by mode 2027 or without it

	view   tea.View // the newest
	title  string   // the window's, as the terminal knows it, and so are the next two
	mouse  tea.MouseMode
	cursor bool
}

// New returns the screen of a terminal that is read from in and written to out. Nothing is changed before Start.
func New(in, out *os.File) *Screen {
	return &Screen{File: out, in: in, env: os.Environ(), cells: uv.NewScreenBuffer(0, 0)}
}

// Options make a program leave the drawing to the screen. The ticker that Bubble Tea has for drawing cannot be turned
// off; it does nothing, as rarely as it can.
func (s *Screen) Options() []tea.ProgramOption {
	options := []tea.ProgramOption{tea.WithOutput(s), tea.WithoutRenderer(), tea.WithFPS(1)}
	if size, ok := s.size(); ok {
		options = append(options, tea.WithWindowSize(size.Width, size.Height))
	}
	return options
}

// Start takes the terminal. A question, which the terminal may answer, is written before anything else; send is
// called with each new size.
func (s *Screen) Start(question string, send func(tea.Msg)) error {
	resized := make(chan os.Signal, 1)
	s.send, s.resized = send, resized
	modes := ""
	if s.knowsModes() {
		modes = ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.take(question, modes); err != nil {
		return err
	}
	signal.Notify(resized, syscall.SIGWINCH)
	go func() {
		for range resized {
			if size, ok := s.size(); ok {
				send(size)
			}
		}
	}()
	return nil
}

// knowsModes reports whether it is safe to ask the terminal for the modes it knows: some show the question, or answer
// over a slow connection when the program is gone.
func (s *Screen) knowsModes() bool {
	for _, name := range []string{"ghostty", "wezterm", "alacritty", "kitty", "rio"} {
		if strings.Contains(s.env.Getenv("TERM"), name) {
			return true
		}
	}
	_, remote := s.env.LookupEnv("SSH_TTY")
	_, windows := s.env.LookupEnv("WT_SESSION")
	return windows || !remote && !strings.Contains(s.env.Getenv("TERM_PROGRAM"), "Apple")
}

// size is the size of the terminal; ok is false for one that has none.
func (s *Screen) size() (size tea.WindowSizeMsg, ok bool) {
	w, h, err := term.GetSize(s.Fd())
	return tea.WindowSizeMsg{Width: w, Height: h}, err == nil
}

// Take takes the terminal again after Release, and draws what was drawn last.
func (s *Screen) Take() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken || s.resized == nil {
		return nil
	}
	if err := s.take("", ""); err != nil {
		return err
	}
	s.draw()
	if size, ok := s.size(); ok { // it may have changed meanwhile
		go s.send(size)
	}
	return nil
}

// take sets up the terminal for drawing, between two other things that are written.
func (s *Screen) take(first, last string) error {
	if term.IsTerminal(s.in.Fd()) {
		before, err := term.MakeRaw(s.in.Fd())
		if err != nil {
			return fmt.Errorf("take the terminal: %w", err)
		}
		s.before = before
	}
	s.taken, s.cursor, s.title, s.mouse = true, false, "", tea.MouseModeNone
	s.out.Reset()
	s.renderer = uv.NewTerminalRenderer(&s.out, s.env)
	s.renderer.SetColorProfile(s.profile)
	s.renderer.SetBackspace(true)
	s.renderer.SetTabStops(-1)
	s.renderer.SetScrollOptim(true)
	s.renderer.SetFullscreen(true)
	s.renderer.SetRelativeCursor(false)
	s.count()
	s.erase(s.cells.Width(), s.cells.Height())

	modes := ansi.ResetModifyOtherKeys + ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable +
		ansi.SetModeBracketedPaste + ansi.SetModeFocusEvent +
		// Both ways to tell keys apart are asked for. A terminal takes what it knows.
		ansi.SetModifyOtherKeys2 + ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes) + ansi.RequestKittyKeyboard
	if s.clusters {
		modes += ansi.SetModeUnicodeCore
	}
	return s.write(first + modes + last)
}

// Release gives the terminal back as it was. What is drawn meanwhile is seen after Take.
func (s *Screen) Release() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.taken {
		return nil
	}
	s.taken = false
	s.renderer.MoveTo(0, max(0, s.cells.Height()-1)) // for terminals without an alternate screen
	_ = s.renderer.Flush()
	modes := ansi.ResetModifyOtherKeys + ansi.PopKittyKeyboard(1) + s.out.String() + ansi.ResetModeAltScreenSaveCursor +
		ansi.SetModeTextCursorEnable + ansi.ResetModeBracketedPaste + ansi.ResetModeFocusEvent
	if s.mouse != tea.MouseModeNone {
		modes += ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr
	}
	if s.title != "" {
		modes += ansi.SetWindowTitle("")
	}
	if s.clusters {
		modes += ansi.ResetModeUnicodeCore
	}
	err := s.write(modes)
	if s.before != nil {
		err = errors.Join(err, term.Restore(s.in.Fd(), s.before))
		s.before = nil
	}
	return err
}

// Close gives the terminal back for good, and leaves the file open. It may be called several times, and from any
// goroutine.
func (s *Screen) Close() error {
	if s == nil {
		return nil
	}
	err := s.Release()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.resized != nil {
		signal.Stop(s.resized)
		close(s.resized)
		s.resized = nil
	}
	return err
}

// Message takes from the messages of a program what is about the terminal. It is called before the program sees them.
func (s *Screen) Message(msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.mu.Lock()
		s.erase(msg.Width, msg.Height)
		s.mu.Unlock()
	case tea.ColorProfileMsg:
		s.mu.Lock()
		if s.profile != msg.Profile {
			s.profile = msg.Profile
			s.renderer.SetColorProfile(s.profile)
			s.erase(s.cells.Width(), s.cells.Height()) // what was drawn has other colours
		}
		s.mu.Unlock()
	case tea.ModeReportMsg:
		s.mu.Lock()
		s.synced = s.synced || msg.Mode == ansi.ModeSynchronizedOutput && msg.Value == ansi.ModeReset
		s.mu.Unlock()
	case tea.RawMsg:
		s.mu.Lock()
		defer s.mu.Unlock()
		_ = s.write(fmt.Sprint(msg.Msg))
		return nil
	case tea.SuspendMsg:
		_ = s.Release() // a terminal that is gone needs nothing
	case tea.ResumeMsg:
		if err := s.Take(); err != nil {
			return tea.Quit()
		}
	}
	return msg
}

// CountClusters says that the terminal counts a character as one, whatever it is made of.
func (s *Screen) CountClusters() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clusters {
		return
	}
	s.clusters = true
	s.count()
	s.lines = nil
	_ = s.write(ansi.SetModeUnicodeCore)
}

// count sets how cells are counted.
func (s *Screen) count() {
	s.cells.Method = ansi.WcWidth
	if s.clusters {
		s.cells.Method = ansi.GraphemeWidth
	}
	s.renderer.SetWidthMethod(s.cells.Method)
	s.renderer.SetGraphemeWidth(s.clusters)
}

// erase forgets what the terminal shows: the next view is drawn whole.
func (s *Screen) erase(width, height int) {
	s.cells.RenderBuffer = uv.NewRenderBuffer(width, height)
	s.lines = make([]string, height)
	s.renderer.Resize(width, height)
	s.renderer.Erase()
}

// write writes to the terminal, past what is drawn.
func (s *Screen) write(text string) error {
	if _, err := s.File.WriteString(text); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return nil
}
