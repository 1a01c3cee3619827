package ui

import (
	"strings"

	"winnow/llm"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/notice"
	"winnow/ui/theme"
)

// first is what an empty chat shows.
func (s screen) first(w, h int) []string {
	choice := s.m.current.Choice
	if choice.Ref != s.m.current.Ref {
		choice.Ref, choice.Reason = s.m.current.Ref, ""
	}
	return firstScreen(s.st, s.m.keys, choice, s.m.notice.Is(notice.Unreachable), w, h)
}

// firstScreen says which model answers, why, and how to choose another.
func firstScreen(st theme.Styles, k keymap.Map, c llm.Choice, unreachable bool, w, h int) []string {
	how := c.Hint
	if how == "" {
		how = k.First(keymap.Models) + " chooses another model"
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
	does, why := " answers", c.Reason
	if unreachable {
		does, why = " is not available", "chosen "+c.Reason
	}
	add("  ", st.Strong.Render(markdown.OneLine(c.Ref, 80))+does)
	if c.Reason != "" {
		add("  ", st.Muted.Render(markdown.Visible(why)))
	}
	add("  ", st.Muted.Render(markdown.Visible(how)))
	if h >= 9 {
		lines = append(lines, "")
		add("  ", "Write a message below. What the model sees of this conversation, and why, is always one key away: "+
			k.First(keymap.Context)+".")
		if c.Ref == "guide" || strings.HasPrefix(c.Ref, "guide/") {
			add("  ", st.Muted.Render("The guide is no language model: it answers from winnow's own documentation. Ask it how winnow works."))
		}
	}
	pad := max(0, (h-len(lines))/3)
	return append(make([]string, pad), lines...)
}
