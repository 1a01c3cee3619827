package inspector

import (
	"winnow/ui/theme"
)

// drawing is lines that are drawn for a width, to scroll through. Unlike a pager it is drawn as a
// whole, so it is for what is short.
type drawing struct {
	Draw  func(st theme.Styles, w int) []string
	Said  string // what it says, as text
	lines []string
	theme theme.Name
	top   int
	w, h  int
}

// Resize is as Content has it.
func (d *drawing) Resize(w, h int) {
	if w != d.w {
		d.lines = nil
	}
	d.w, d.h = w, h
}

// Page is as Content has it.
func (d *drawing) Page() int { return d.h }

// Scroll is as Content has it.
func (d *drawing) Scroll(by int) { d.top = max(0, min(d.top+by, len(d.lines)-d.h)) }

// First is as Content has it.
func (d *drawing) First() { d.top = 0 }

// Last is as Content has it.
func (d *drawing) Last() { d.Scroll(len(d.lines)) }

// Offset is as Content has it.
func (d *drawing) Offset() int { return d.top }

// GoTo is as Content has it.
func (d *drawing) GoTo(offset int) { d.top = max(0, offset) }

// Text is as Content has it.
func (d *drawing) Text() string { return d.Said }

// View is as Content has it.
func (d *drawing) View(st theme.Styles) []string {
	if d.lines == nil || d.theme != st.Name {
		d.lines, d.theme = d.Draw(st, d.w), st.Name
	}
	d.Scroll(0)
	return d.lines[d.top:min(len(d.lines), d.top+d.h)]
}

// Position is as Content has it.
func (d *drawing) Position() string {
	if len(d.lines) <= d.h {
		return ""
	}
	return theme.Thousands(min(100, (d.top+d.h)*100/len(d.lines))) + " %"
}
