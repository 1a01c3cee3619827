package ui

import (
	"strings"

	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// firstScreen says which model answers, why, and how to choose another.
func (m *Model) firstScreen(w, h int) []string {
	st := m.styles
	c := m.options.Choice
	if c.Ref != m.ref {
		c.Ref, c.Why = m.ref, ""
	}
	how := c.How
	if how == "" {
		how = m.keys.First(keymap.Models) + " chooses another model"
	}
	var lines []string
	add := func(lead string, text string) {
		for i, s := range theme.Wrap(text, max(1, w-4)) {
			if i == 0 {
				s = lead + s
			} else {
				s = "  " + s
			}
			lines = append(lines, " "+s)
		}
	}
	does, why := " answers", c.Why
	if m.unreachable {
		does, why = " is not available", "chosen "+c.Why
	}
	add("  ", st.Strong.Render(markdown.OneLine(c.Ref, 80))+does)
	if c.Why != "" {
		add("  ", st.Dim.Render(markdown.Visible(why)))
	}
	add("  ", st.Dim.Render(markdown.Visible(how)))
	if h >= 9 {
		lines = append(lines, "")
		add("  ", "Write a message below. What the model sees of this conversation, and why, is always one key away: "+
			m.keys.First(keymap.Context)+".")
		if m.ref == "guide" || strings.HasPrefix(m.ref, "guide/") {
			add("  ", st.Dim.Render("The guide is no language model: it answers from winnow's own documentation. Ask it how winnow works."))
		}
	}
	pad := max(0, (h-len(lines))/3)
	return append(make([]string, pad), lines...)
}
