//go:build unix

package terminal

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Draw shows a view. It writes what differs from the view before, and nothing where nothing does.
func (s *Screen) Draw(v tea.View) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view = v
	s.draw()
}

func (s *Screen) draw() {
	if !s.taken || s.cells.Height() == 0 {
		return
	}
	s.window()
	s.content()
	if c := s.view.Cursor; c != nil {
		s.renderer.MoveTo(c.X, c.Y)
	}
	_ = s.renderer.Flush() // into a buffer
	text := s.frame(s.out.String(), s.view.Cursor != nil)
	s.out.Reset()
	if text != "" {
		_ = s.write(text) // a terminal that is gone ends the program by its input
	}
}

// window asks for the title and the mouse mode where they are new.
func (s *Screen) window() {
	if t := s.view.WindowTitle; t != s.title {
		s.title = t
		_, _ = s.out.WriteString(ansi.SetWindowTitle(t))
	}
	if m := s.view.MouseMode; m != s.mouse {
		s.mouse = m
		_, _ = s.out.WriteString(ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr)
		switch m {
		case tea.MouseModeCellMotion:
			_, _ = s.out.WriteString(ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr)
		case tea.MouseModeAllMotion:
			_, _ = s.out.WriteString(ansi.SetModeMouseAnyEvent + ansi.SetModeMouseExtSgr)
		}
	}
}

// content takes apart the lines that are new, and writes the cells of them that differ.
func (s *Screen) content() {
	changed := s.lines == nil
	if changed {
		s.lines = make([]string, s.cells.Height())
		s.cells.Clear()
	}
	s.previous = append(s.previous[:0], s.lines...)
	rest := s.view.Content
	for y := range s.lines {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if line == s.lines[y] {
			continue
		}
		changed, s.lines[y] = true, line
		w := s.cells.Width()
		uv.NewStyledString(line).Draw(canvas{s.cells.Buffer, s.cells.Method}, uv.Rect(0, y, w, 1))
		s.cells.TouchLine(0, y, w)
	}
	if changed {
		s.renderer.SetScrollOptim(scrolled(s.previous, s.lines))
		s.renderer.Render(s.cells.RenderBuffer)
	}
}

// canvas takes cells as they come. Those of a screen buffer are compared with the cells before, which the renderer does
// anyway.
type canvas struct {
	*uv.Buffer
	method ansi.Method
}

// WidthMethod is how cells are counted.
func (c canvas) WidthMethod() uv.WidthMethod { return c.method }

// leastScrolled is how many lines have to move together for the terminal to be asked to move them.
const leastScrolled = 3

// scrolled says that neighbouring lines stand elsewhere now. The renderer looks for them cell by cell, which costs as
// much as all else, and beside a panel that stays there are none.
func scrolled(before, after []string) bool {
	at := make(map[string]int, len(before))
	for y, line := range before {
		if line != after[y] {
			at[line] = y
		}
	}
	run, by := 0, 0
	for y, line := range after {
		from, moved := at[line]
		switch {
		case !moved || line == before[y]:
			run = 0
		case run > 0 && y-from == by:
			run++
		default:
			run, by = 1, y-from
		}
		if run == leastScrolled {
			return true
		}
	}
	return false
}

// frame is what is written for a frame whose changes are given: the terminal shows them at once, or without the cursor,
// so that it is not seen to jump.
func (s *Screen) frame(changes string, cursor bool) string {
	before := s.cursor
	s.cursor = cursor
	first, last := "", ""
	if before && (!cursor || !s.synced && changes != "") {
		first = ansi.ResetModeTextCursorEnable
	}
	if cursor && (!before || first != "") {
		last = ansi.SetModeTextCursorEnable
	}
	if s.synced && changes != "" {
		return ansi.SetModeSynchronizedOutput + first + changes + last + ansi.ResetModeSynchronizedOutput
	}
	return first + changes + last
}
