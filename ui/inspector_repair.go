package ui

import (
	"strings"

	"winnow/history"
	"winnow/ui/inspector"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// repairDrawing shows what was mended of the message: what was wrong, and the original against what is
// sent.
func (m *Model) repairDrawing() *inspector.Drawing {
	e, _ := entryOf(m.panel.Shown().Plan, m.inspector.on.message)
	var said strings.Builder
	repairs, hidden := make([]history.Repair, len(e.Repairs)), 0
	for i, r := range e.Repairs {
		r, n := withoutSecrets(m.secrets, r)
		repairs[i] = r
		hidden += n
		said.WriteString(r.Kind + " " + r.What + "\noriginal:\n" + r.Before + "\nsent instead:\n" + r.After + "\n")
	}
	head := ""
	for _, part := range m.hiddenLine(hidden) {
		head += strings.TrimSpace(part.Text)
	}
	return &inspector.Drawing{Said: said.String(), Draw: func(st theme.Styles, w int) []string {
		var lines []string
		if head != "" {
			lines = theme.Indented(st.Warn, head, w)
		}
		lines = append(lines, theme.Indented(st.Dim, "What is stored is never changed. This is what is sent instead, and why.", w)...)
		for _, r := range repairs {
			lines = append(lines, "")
			lines = append(lines, theme.Indented(st.Warn, "⚠ "+r.Kind+" "+markdown.Visible(r.What), w)...)
			if both := inspector.DiffOf(r); !both.Blank() {
				lines = append(lines, both.View(st, w)...)
			}
		}
		return lines
	}}
}
