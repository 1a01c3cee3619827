//go:build unix

package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// draw shows a view. It writes what differs from the view before, and nothing where nothing does. A view that comes
// while the terminal is not the program's is drawn when it is again.
func (t *terminal) draw(v tea.View) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.view = v
	if !t.taken || len(t.lines) == 0 {
		return
	}
	t.window()
	t.content()
	if c := v.Cursor; c != nil {
		t.renderer.MoveTo(c.X, c.Y)
	}
	_ = t.renderer.Flush() // into a buffer
	changes, cursor := t.out.String(), v.Cursor != nil
	t.out.Reset()
	if changes == "" && cursor == t.cursor {
		return
	}
	// Terminals that know synchronized updates show them at once. In others the cursor is not seen to jump.
	var text strings.Builder
	text.WriteString(ansi.SetModeSynchronizedOutput)
	if t.cursor {
		text.WriteString(ansi.ResetModeTextCursorEnable)
	}
	text.WriteString(changes)
	if cursor {
		text.WriteString(ansi.SetModeTextCursorEnable)
	}
	text.WriteString(ansi.ResetModeSynchronizedOutput)
	t.cursor = cursor
	t.write(text.String())
}

// window asks for the title, and for the mouse while a button is down, where they are new.
func (t *terminal) window() {
	if title := t.view.WindowTitle; title != t.title {
		t.title = title
		t.out.WriteString(ansi.SetWindowTitle(title))
	}
	if mode := t.view.MouseMode; mode != t.mouse {
		t.mouse = mode
		if mode == tea.MouseModeNone {
			t.out.WriteString(noMouse)
		} else {
			t.out.WriteString(mouse)
		}
	}
}

// leastScrolled is how many lines have to be new for the renderer to look for some that moved, which costs as much as
// all else.
const leastScrolled = 3

// content takes apart the lines that are new, and writes the cells of them that differ.
func (t *terminal) content() {
	rest, changed, width := t.view.Content, 0, t.cells.Width()
	for y := range t.lines {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if line == t.lines[y] {
			continue
		}
		t.lines[y] = line
		changed++
		uv.NewStyledString(line).Draw(canvas{t.cells.Buffer}, uv.Rect(0, y, width, 1))
		if anchor(t.cells.Line(y)) {
			// From now on the renderer writes each line whole that has such characters. It counts them with tables of
			// 2 MB, which a chat without them never builds.
			t.renderer.SetWidthMethod(ansi.WcWidth)
		}
		t.cells.TouchLine(0, y, width)
	}
	t.renderer.SetScrollOptim(changed >= leastScrolled)
	t.renderer.Render(t.cells)
}

// canvas takes cells as they come; uv.ScreenBuffer compares each with the one before, which the renderer does anyway.
type canvas struct{ *uv.Buffer }

// WidthMethod is how the layout counts cells.
func (canvas) WidthMethod() uv.WidthMethod { return ansi.GraphemeWidth }
