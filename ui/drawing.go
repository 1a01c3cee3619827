package ui

import (
	"winnow/ui/theme"
)

// drawing is lines that are drawn for a width, to scroll through. Unlike a sheet it is drawn as a
// whole, so it is for what is short.
type drawing struct {
	draw  func(st theme.Styles, w int) []string
	said  string // what it says, as text
	lines []string
	theme theme.Name
	top   int
	w, h  int
}

func (d *drawing) resize(w, h int) {
	if w != d.w {
		d.lines = nil
	}
	d.w, d.h = w, h
}

func (d *drawing) Scroll(by int)  { d.top = max(0, min(d.top+by, len(d.lines)-d.h)) }
func (d *drawing) First()         { d.top = 0 }
func (d *drawing) Last()          { d.Scroll(len(d.lines)) }
func (d *drawing) place() int     { return d.top }
func (d *drawing) goTo(place int) { d.top = max(0, place) }
func (d *drawing) text() string   { return d.said }

func (d *drawing) view(st theme.Styles) []string {
	if d.lines == nil || d.theme != st.Name {
		d.lines, d.theme = d.draw(st, d.w), st.Name
	}
	d.Scroll(0)
	return d.lines[d.top:min(len(d.lines), d.top+d.h)]
}

func (d *drawing) position() string {
	if len(d.lines) <= d.h {
		return ""
	}
	return theme.Thousands(min(100, (d.top+d.h)*100/len(d.lines))) + " %"
}
