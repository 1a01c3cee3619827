//go:build unix

package terminal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// recorded is a screen whose terminal is a file, and what was written to it.
type recorded struct {
	*Screen
	t    interface{ Fatal(...any) }
	path string
	seen int
}

// record starts a screen of w by h cells.
func record(t interface {
	Fatal(...any)
	TempDir() string
	Cleanup(func())
}, w, h int,
) *recorded {
	r := &recorded{t: t, path: filepath.Join(t.TempDir(), "screen")}
	out, err := os.Create(r.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	r.Screen = New(out, out)
	if err := r.Start("", func(tea.Msg) {}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	r.Message(tea.WindowSizeMsg{Width: w, Height: h})
	return r
}

// written is what was written since it was asked last.
func (r *recorded) written() string {
	all, err := os.ReadFile(r.path)
	if err != nil {
		r.t.Fatal(err)
	}
	since := string(all[r.seen:])
	r.seen = len(all)
	return since
}

// page is a view of h lines, with the cursor in the last one.
func page(h int, change func(lines []string)) tea.View {
	lines := make([]string, h)
	for i := range lines {
		lines[i] = fmt.Sprintf("\x1b[1mline %d\x1b[m of a page that has 漢字 and 👍 in it", i)
	}
	change(lines)
	v := tea.NewView(strings.Join(lines, "\n"))
	v.Cursor = tea.NewCursor(3, h-1)
	return v
}

// A view that is drawn again writes nothing, a letter more writes few bytes, and a cursor that moves fewer.
func TestOnlyWhatChangesIsWritten(t *testing.T) {
	t.Parallel()
	for _, clusters := range []bool{false, true} {
		r := record(t, 300, 100)
		if clusters {
			r.CountClusters()
		}
		v := page(100, func([]string) {})
		r.Draw(v)
		if got := r.written(); !strings.Contains(got, "line 99") {
			t.Fatalf("the first view is written as %q", got)
		}
		r.Draw(v)
		if got := r.written(); got != "" {
			t.Errorf("the same view again writes %q", got)
		}
		v = page(100, func(lines []string) { lines[98] = "a new line" })
		r.Draw(v)
		if got := r.written(); !strings.Contains(got, "a new line") || strings.Contains(got, "漢") || len(got) > 100 {
			t.Errorf("another line writes %d bytes: %q", len(got), got)
		}
		v.Cursor = tea.NewCursor(4, 99)
		r.Draw(v)
		if got := r.written(); got == "" || len(got) > 30 {
			t.Errorf("a moved cursor writes %q", got)
		}
	}
}

// What was drawn before the colours of the terminal are known is drawn again in them.
func TestAViewIsDrawnAgainInTheColoursOfTheTerminal(t *testing.T) {
	t.Parallel()
	r := record(t, 40, 3)
	v := tea.NewView("\x1b[38;2;140;207;163mwinnow\x1b[m\n\n")
	r.Draw(v)
	r.written()
	r.Message(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	r.Draw(v)
	if got := r.written(); !strings.Contains(got, "38;2;140;207;163") {
		t.Errorf("with colours the same view writes %q", got)
	}
	r.Message(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	r.Draw(v)
	if got := r.written(); got != "" {
		t.Errorf("the same colours again write %q", got)
	}
}

// Whatever was drawn before, the cells are those of the whole view.
func TestTheCellsAreThoseOfTheView(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom([]string{
		"", "a word ", "\x1b[1;38;2;9;99;199mbold\x1b[m ", "漢字", "👩\u200d👩\u200d👧 ", "e\u0301", "กำ", "\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\",
		"\x1b[48;5;17m ground \x1b[m", "1\ufe0f\u20e3", strings.Repeat("long ", 20), "│",
	})
	rapid.Check(t, func(t *rapid.T) {
		s := New(nil, nil)
		s.renderer = uv.NewTerminalRenderer(&s.out, nil)
		w, h := 40, 6
		s.erase(w, h)
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "before") {
			case 0:
				w, h = rapid.IntRange(1, 60).Draw(t, "width"), rapid.IntRange(1, 12).Draw(t, "height")
				s.erase(w, h)
			case 1:
				s.clusters = true
				s.count()
				s.lines = nil
			}
			lines := make([]string, rapid.IntRange(0, h+1).Draw(t, "lines"))
			for i := range lines {
				lines[i] = strings.Join(rapid.SliceOfN(words, 0, 3).Draw(t, "line"), "")
			}
			s.view.Content = strings.Join(lines, "\n")
			s.content()

			whole := uv.NewScreenBuffer(w, h)
			whole.Method = s.cells.Method
			uv.NewStyledString(s.view.Content).Draw(whole, whole.Bounds())
			if got, want := s.cells.Buffer.Render(), whole.Buffer.Render(); got != want {
				t.Fatalf("the cells of %q are\n%q, want\n%q", s.view.Content, got, want)
			}
		}
	})
}

// Without synchronized updates, the cursor is not seen to move through what is drawn; with them, a frame is one.
func TestAFrameAndItsCursor(t *testing.T) {
	t.Parallel()
	const hide, show, begin, end = ansi.ResetModeTextCursorEnable, ansi.SetModeTextCursorEnable, ansi.SetModeSynchronizedOutput, ansi.ResetModeSynchronizedOutput
	for _, c := range []struct {
		synced, before, after bool
		changes, want         string
	}{
		{false, false, false, "x", "x"},
		{false, false, true, "x", "x" + show},
		{false, true, true, "x", hide + "x" + show},
		{false, true, false, "x", hide + "x"},
		{false, true, true, "", ""},
		{false, true, false, "", hide},
		{false, false, true, "", show},
		{true, false, false, "x", begin + "x" + end},
		{true, false, true, "x", begin + "x" + show + end},
		{true, true, true, "x", begin + "x" + end},
		{true, true, false, "x", begin + hide + "x" + end},
		{true, true, true, "", ""},
		{true, true, false, "", hide},
		{true, false, true, "", show},
	} {
		s := &Screen{synced: c.synced, cursor: c.before}
		if got := s.frame(c.changes, c.after); got != c.want || s.cursor != c.after {
			t.Errorf("synchronized %v, cursor %v then %v, %q: %q, want %q", c.synced, c.before, c.after, c.changes, got, c.want)
		}
	}
}

// While the terminal is given back nothing is drawn; then the newest view is drawn whole, with its modes.
func TestTheTerminalIsGivenBackAndTaken(t *testing.T) {
	t.Parallel()
	r := record(t, 40, 4)
	v := page(4, func([]string) {})
	v.WindowTitle, v.MouseMode = "winnow", tea.MouseModeCellMotion
	r.Draw(v)
	r.written()
	r.Message(tea.SuspendMsg{})
	left := r.written()
	for _, mode := range []string{
		ansi.PopKittyKeyboard(1), ansi.ResetModifyOtherKeys, ansi.ResetModeAltScreenSaveCursor, ansi.SetModeTextCursorEnable,
		ansi.ResetModeBracketedPaste, ansi.ResetModeFocusEvent, ansi.ResetModeMouseButtonEvent, ansi.ResetModeMouseExtSgr, ansi.SetWindowTitle(""),
	} {
		if !strings.Contains(left, mode) {
			t.Errorf("the terminal is given back without %q: %q", mode, left)
		}
	}
	v.Content = "meanwhile\nsomething\nhas\nhappened"
	r.Draw(v)
	if got := r.written(); got != "" {
		t.Errorf("without the terminal %q is written", got)
	}
	r.Message(tea.ResumeMsg{})
	back := r.written()
	for _, want := range []string{
		ansi.SetModeAltScreenSaveCursor, ansi.PushKittyKeyboard(1), ansi.SetModeBracketedPaste, ansi.SetModeFocusEvent,
		ansi.SetModeMouseButtonEvent, ansi.SetWindowTitle("winnow"), ansi.SetModeTextCursorEnable, "meanwhile", "happened",
	} {
		if !strings.Contains(back, want) {
			t.Errorf("the terminal is taken without %q: %q", want, back)
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	r.written()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	r.Draw(page(4, func([]string) {}))
	if err := r.Take(); err != nil {
		t.Error(err)
	}
	if got := r.written(); got != "" {
		t.Errorf("after the end %q is written", got)
	}
}

// What is not drawn goes to the terminal at once, and the program does not hear of it.
func TestRawTextIsWritten(t *testing.T) {
	t.Parallel()
	r := record(t, 40, 4)
	r.written()
	if msg := r.Message(tea.RawMsg{Msg: "\a"}); msg != nil {
		t.Errorf("the program hears of %v", msg)
	}
	if got := r.written(); got != "\a" {
		t.Errorf("%q is written, want the bell", got)
	}
}
