//go:build unix

package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// draw shows a view. It writes only what differs from the last view. While another program has the terminal, it keeps
// the view for later.
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
	// Terminals with synchronized updates show the frame at once. In others, hiding the cursor keeps it from jumping.
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

// window sets the title and the mouse mode if they have changed.
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

// leastScrolled is how many lines must have changed for the renderer to look for moved lines, which takes as long as
// the rest of a frame.
const leastScrolled = 3

// content parses the lines that have changed, and writes those of their cells that differ.
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
			// From now on the renderer writes lines with such characters whole. Its width tables take 2 MB, so they are
			// not loaded before they are needed.
			t.renderer.SetWidthMethod(ansi.WcWidth)
		}
		t.cells.TouchLine(0, y, width)
	}
	t.renderer.SetScrollOptim(changed >= leastScrolled)
	t.renderer.Render(t.cells)
}

// canvas sets cells directly. uv.ScreenBuffer would compare each with its old value, which the renderer does anyway.
type canvas struct{ *uv.Buffer }

// WidthMethod returns how the layout counts cells.
func (canvas) WidthMethod() uv.WidthMethod { return ansi.GraphemeWidth }
