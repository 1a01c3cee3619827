package ui

import (
	"strings"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// repairDrawing shows what was mended of the message: what was wrong, and the original against what is
// sent.
func (m *Model) repairDrawing() *drawing {
	e, _ := entryOf(m.panel.shown().plan, m.inspector.on.message)
	var said strings.Builder
	for _, r := range e.Repairs {
		said.WriteString(r.Kind + " " + r.What + "\noriginal:\n" + r.Before + "\nsent instead:\n" + r.After + "\n")
	}
	return &drawing{said: said.String(), draw: func(st theme.Styles, w int) []string {
		lines := theme.Indented(st.Dim, "What is stored is never changed. This is what is sent instead, and why.", w)
		for _, r := range e.Repairs {
			lines = append(lines, "")
			lines = append(lines, theme.Indented(st.Warn, "⚠ "+r.Kind+" "+markdown.Visible(r.What), w)...)
			if both := sidesOf(r); !both.blank() {
				lines = append(lines, both.view(st, w)...)
			}
		}
		return lines
	}}
}
