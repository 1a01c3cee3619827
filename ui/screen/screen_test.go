//go:build unix

package screen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// recorded is a terminal that writes to a file.
type recorded struct {
	*terminal
	t    *testing.T
	path string
	seen int
}

// record returns a terminal of w by h cells that is set up.
func record(t *testing.T, w, h int) *recorded {
	t.Helper()
	r := &recorded{t: t, path: filepath.Join(t.TempDir(), "screen")}
	out, err := os.Create(r.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	r.terminal = &terminal{File: out, in: out}
	if err := r.take(); err != nil {
		t.Fatal(err)
	}
	r.message(tea.WindowSizeMsg{Width: w, Height: h})
	return r
}

// written returns what was written since the last call.
func (r *recorded) written() string {
	all, err := os.ReadFile(r.path)
	if err != nil {
		r.t.Fatal(err)
	}
	since := string(all[r.seen:])
	r.seen = len(all)
	return since
}

// page returns a view of h lines, some of them changed, with the cursor in the last one.
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

// Drawing the same view again writes nothing; a changed line or a moved cursor writes few bytes.
func TestOnlyWhatChangesIsWritten(t *testing.T) {
	t.Parallel()
	r := record(t, 300, 100)
	v := page(100, func([]string) {})
	r.draw(v)
	if got := r.written(); !strings.Contains(got, "line 99") {
		t.Fatalf("the first view is written as %q", got)
	}
	r.draw(v)
	if got := r.written(); got != "" {
		t.Errorf("the same view again writes %q", got)
	}
	v = page(100, func(lines []string) { lines[98] = "a new line" })
	r.draw(v)
	if got := r.written(); !strings.Contains(got, "a new line") || strings.Contains(got, "漢") || len(got) > 100 {
		t.Errorf("another line writes %d bytes: %q", len(got), got)
	}
	v.Cursor = tea.NewCursor(4, 99)
	r.draw(v)
	if got := r.written(); got == "" || len(got) > 40 {
		t.Errorf("a moved cursor writes %q", got)
	}
}

// A line with a character of unsure width is written whole, because the positions of its cells are unknown. Any other
// line is written from the first difference.
func TestALineOfUnsureWidthIsWrittenWhole(t *testing.T) {
	t.Parallel()
	for begin, whole := range map[string]bool{"─ é 漢": true, "─ é ": false, "क्षि ": true, "\u0897 ": true} {
		r := record(t, 60, 2)
		r.draw(tea.NewView(begin + "and more of it: one"))
		r.written()
		r.draw(tea.NewView(begin + "and more of it: two"))
		if got := r.written(); strings.Contains(got, "and more") != whole || !strings.Contains(got, "two") {
			t.Errorf("another end of a line with %q writes %q, want all of it: %v", begin, got, whole)
		}
	}
}

// The cells depend on the view alone, not on what was drawn before.
func TestTheCellsAreThoseOfTheView(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom([]string{
		"", "a word ", "\x1b[1;38;2;9;99;199mbold\x1b[m ", "漢字", "👩\u200d👩\u200d👧 ", "e\u0301", "กำ",
		"\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\", "\x1b[48;5;17m ground \x1b[m", "1\ufe0f\u20e3",
		strings.Repeat("long ", 20), "│",
	})
	drawnOn := func(w, h int, v tea.View, before *terminal) *terminal {
		term := before
		if term == nil {
			term = &terminal{}
			term.renderer = uv.NewTerminalRenderer(&term.out, nil)
			term.erase(w, h)
		}
		term.view = v
		term.content()
		return term
	}
	rapid.Check(t, func(t *rapid.T) {
		w, h := 40, 6
		var term *terminal
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			if term != nil && rapid.IntRange(0, 9).Draw(t, "resize") == 0 {
				w, h = rapid.IntRange(1, 60).Draw(t, "width"), rapid.IntRange(1, 12).Draw(t, "height")
				term.erase(w, h)
			}
			lines := make([]string, rapid.IntRange(0, h+1).Draw(t, "lines"))
			for i := range lines {
				lines[i] = strings.Join(rapid.SliceOfN(words, 0, 3).Draw(t, "line"), "")
			}
			v := tea.NewView(strings.Join(lines, "\n"))
			term = drawnOn(w, h, v, term)
			if got, want := term.cells.Render(), drawnOn(w, h, v, nil).cells.Render(); got != want {
				t.Fatalf("the cells of %q are\n%q, want\n%q", v.Content, got, want)
			}
		}
	})
}

// A frame is one synchronized update, during which the cursor is hidden.
func TestAFrameIsOneUpdate(t *testing.T) {
	t.Parallel()
	const hide, show = ansi.ResetModeTextCursorEnable, ansi.SetModeTextCursorEnable
	r := record(t, 40, 4)
	for _, c := range []struct {
		text         string
		cursor       bool
		first, after string
	}{
		{"a", false, "", ""},
		{"b", true, "", show},
		{"c", true, hide, show},
		{"d", false, hide, ""},
		{"d", true, "", show},
	} {
		v := page(4, func(lines []string) { lines[1] = c.text })
		if !c.cursor {
			v.Cursor = nil
		}
		r.written()
		r.draw(v)
		got := r.written()
		first, last := ansi.SetModeSynchronizedOutput+c.first, c.after+ansi.ResetModeSynchronizedOutput
		whole := strings.HasPrefix(got, first) && strings.HasSuffix(got, last)
		if !whole || strings.Contains(got, hide) != (c.first != "") {
			t.Errorf("%q with a cursor %v is written as %q, want %q first and %q last", c.text, c.cursor,
				got, first, last)
		}
	}
}

// While the terminal is released nothing is drawn. Then the newest view is drawn whole, and the modes are set again.
func TestTheTerminalIsGivenBackAndTaken(t *testing.T) {
	t.Parallel()
	r := record(t, 40, 4)
	v := page(4, func([]string) {})
	v.WindowTitle, v.MouseMode = "winnow", tea.MouseModeCellMotion
	r.draw(v)
	r.written()
	r.message(tea.SuspendMsg{})
	left := r.written()
	for _, mode := range []string{
		ansi.PopKittyKeyboard(1), ansi.ResetModifyOtherKeys, ansi.ResetModeAltScreenSaveCursor,
		ansi.SetModeTextCursorEnable, ansi.ResetModeBracketedPaste, ansi.ResetModeFocusEvent,
		ansi.ResetModeMouseButtonEvent, ansi.ResetModeMouseExtSgr, ansi.SetWindowTitle(""),
	} {
		if !strings.Contains(left, mode) {
			t.Errorf("the terminal is given back without %q: %q", mode, left)
		}
	}
	v.Content = "meanwhile\nsomething\nhas\nhappened"
	r.draw(v)
	if got := r.written(); got != "" {
		t.Errorf("without the terminal %q is written", got)
	}
	r.message(tea.ResumeMsg{})
	r.message(tea.WindowSizeMsg{Width: 40, Height: 4})
	r.draw(v)
	back := r.written()
	for _, want := range []string{
		ansi.SetModeAltScreenSaveCursor, ansi.PushKittyKeyboard(1), ansi.SetModeBracketedPaste, ansi.SetModeFocusEvent,
		ansi.SetModeMouseButtonEvent, ansi.SetWindowTitle("winnow"), ansi.SetModeTextCursorEnable,
		"meanwhile", "happened",
	} {
		if !strings.Contains(back, want) {
			t.Errorf("the terminal is taken without %q: %q", want, back)
		}
	}
	r.release()
	r.written()
	r.release()
	r.draw(page(4, func([]string) {}))
	if got := r.written(); got != "" {
		t.Errorf("after the end %q is written", got)
	}
}
