package frame

import (
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Part is one labelled part of the first screen.
type Section struct {
	Label string
	Lines []Line
}

// Line is a line of a part, with what stands before its text.
type Line struct {
	Prefix, Text string
	Style        lipgloss.Style // of the text
}

const (
	firstIndent = 6  // cells in front of the labels on a screen with room
	labelWidth  = 16 // of the labels' column
	leastLabels = 56 // from this width the parts have labels
)

// First draws what an empty chat shows into w by h cells, gutter cells from the left: what winnow is for, and the
// parts. Where there is little room, that and then the last parts are left out.
func FirstScreen(st theme.Styles, gutter, w, h int, parts ...Section) []string {
	indent := gutter + 2
	if w >= theme.NarrowScreen {
		indent = gutter + firstIndent
	}
	room := max(1, w-indent)
	lines := append([]string{
		st.Seen.Render("●  ●  ●") + st.Cut.Render("  ◐  ◐") + st.Faint.Render("  ○  ○"), "",
		st.Strong.Render("See what the model sees."),
	}, theme.WrapStyled(st.Muted, "Every message is sent whole, cut or dropped. winnow shows which, and why.", room)...)
	head := len(lines) + 1
	for i, p := range parts {
		block := p.view(st, room)
		if i > 0 && len(lines)-head+len(block)+2 > h {
			break
		}
		lines = append(append(lines, ""), block...)
	}
	if len(lines) > h {
		lines = lines[head:]
	}
	lines = lines[:max(0, min(h, len(lines)))]
	for i, s := range lines {
		if s != "" {
			lines[i] = markdown.Truncate(strings.Repeat(" ", indent)+s, w, "…")
		}
	}
	return append(make([]string, min(2, max(0, (h-len(lines))/3))), lines...)
}

// view draws the part, with its label beside the first line where there is room for that.
func (p Section) view(st theme.Styles, w int) (lines []string) {
	label := st.Muted.Render(theme.Fit(p.Label, labelWidth))
	if w < leastLabels {
		label = ""
	}
	for _, l := range p.Lines {
		for _, s := range theme.WrapStyled(l.Style, l.Text, max(1, w-theme.Width(label)-theme.Width(l.Prefix))) {
			lines = append(lines, label+l.Prefix+s)
			label = strings.Repeat(" ", theme.Width(label))
		}
	}
	return lines
}
