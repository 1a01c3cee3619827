package frame

import (
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Section is a labelled section of the first screen.
type Section struct {
	Label string
	Lines []Line
}

// Line is a line of a Section: a prefix, such as a key, and a text, which is wrapped.
type Line struct {
	Prefix, Text string
	Style        lipgloss.Style // of the text
}

const (
	firstIndent = 6  // cells in front of the labels on a wide screen
	labelWidth  = 16 // cells of the column of labels
	leastLabels = 56 // least width at which sections have labels
)

// FirstScreen draws the screen of an empty chat, w by h cells with a left margin of gutter cells: what winnow is for,
// and the sections. If there is little room, the last sections are left out, and then what winnow is for.
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

// view draws the section, with its label beside the first line if w is wide enough.
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
