package ui

import (
	"strings"

	"winnow/ui/inspector"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// repairDrawing shows what was mended of the message: what was wrong, and the original against what is
// sent.
func (m *Model) repairDrawing() *inspector.Drawing {
	e, _ := entryOf(m.panel.Shown().Plan, m.inspector.on.message)
	var said strings.Builder
	for _, r := range e.Repairs {
		said.WriteString(r.Kind + " " + r.What + "\noriginal:\n" + r.Before + "\nsent instead:\n" + r.After + "\n")
	}
	return &inspector.Drawing{Said: said.String(), Draw: func(st theme.Styles, w int) []string {
		lines := theme.Indented(st.Dim, "What is stored is never changed. This is what is sent instead, and why.", w)
		for _, r := range e.Repairs {
			lines = append(lines, "")
			lines = append(lines, theme.Indented(st.Warn, "⚠ "+r.Kind+" "+markdown.Visible(r.What), w)...)
			if both := inspector.DiffOf(r); !both.Blank() {
				lines = append(lines, both.View(st, w)...)
			}
		}
		return lines
	}}
}
