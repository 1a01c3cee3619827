package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/markdown"
)

// reader is a text to scroll through.
type reader struct {
	title string
	lines []string // plain or styled, not wrapped yet
	top   int

	wrapped []string // lines at width: a long paste is wrapped once, not at every frame
	width   int
}

func (r *reader) scroll(by int) { r.top = max(0, r.top+by) }

func (r *reader) view(w, h int) []string {
	if r.wrapped == nil || r.width != w {
		r.wrapped, r.width = nil, w
		for _, s := range r.lines {
			for _, line := range wrap(s, max(1, w-2)) {
				r.wrapped = append(r.wrapped, " "+line)
			}
		}
	}
	r.top = max(0, min(r.top, len(r.wrapped)-h))
	return r.wrapped[r.top:min(len(r.wrapped), r.top+h)]
}

// openChip shows a pasted text.
func (m *Model) openChip() tea.Cmd {
	c, ok := m.composer.open()
	if !ok {
		return m.say("The draft holds no long paste; " + firstKey(m.keys.Focus) + " goes to the transcript.")
	}
	m.reader = reader{title: strings.Trim(c.label, "[]"), lines: strings.Split(markdown.Visible(c.text), "\n")}
	m.overlay = textOverlay
	return nil
}
