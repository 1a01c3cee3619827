package frame

import (
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// First is what an empty chat shows: which model answers and why, and what to try.
type First []Part

// Part is one labelled part of the first screen.
type Part struct {
	Label string
	Lines []Line
	Rank  int // the parts of the highest rank are the first to go where there is little room
}

// Line is a line of a part: a name in bold, a text, and in a second column what it does; or a remark.
type Line struct {
	Name, Text, Does string
	Remark           string
	Yours            bool // the text is a message that the user may send
}

const (
	firstIndent = 6  // cells in front of the labels on a screen with room
	labelWidth  = 16 // of the labels' column
	doesColumn  = 10 // of a line's first column where it has a second
	leastLabels = 56 // from this width the parts have labels
)

// View draws it into w by h cells, gutter cells from the left.
func (f First) View(st theme.Styles, gutter, w, h int) []string {
	indent := gutter + 2
	if w >= 90 {
		indent = gutter + firstIndent
	}
	room := max(1, w-indent)
	mark := []string{st.Seen.Render("●  ●  ●") + st.Cut.Render("  ◐  ◐") + st.Faint.Render("  ○  ○")}
	claim := append([]string{st.Strong.Render(theme.Fit("See what the model sees.", min(room, 24)))},
		theme.WrapStyled(st.Muted, "Every message is sent whole, cut or dropped. winnow shows which, and why.",
			room)...)
	blocks := []block{{mark, 4}, {claim, 3}}
	for _, p := range f {
		blocks = append(blocks, block{p.view(st, room), p.Rank})
	}
	lines := stack(blocks, h)
	for i, s := range lines {
		if s != "" {
			lines[i] = markdown.Truncate(strings.Repeat(" ", indent)+s, w, "…")
		}
	}
	return append(make([]string, min(2, max(0, (h-len(lines))/3))), lines...)
}

// block is lines that stand together, and their rank.
type block struct {
	lines []string
	rank  int
}

// stack is the blocks below each other in at most h lines, with a blank line between them where there is room. The
// blocks of the highest rank are left out first, and of equal ones the last.
func stack(blocks []block, h int) []string {
	for {
		var tight, loose []string
		worst := 0
		for i, b := range blocks {
			if b.rank >= blocks[worst].rank {
				worst = i
			}
			if i > 0 {
				loose = append(loose, "")
			}
			tight, loose = append(tight, b.lines...), append(loose, b.lines...)
		}
		switch {
		case len(loose) <= h:
			return loose
		case len(blocks) <= 2 && len(tight) <= h:
			return tight
		case len(blocks) <= 1:
			return tight[:max(0, min(len(tight), h))]
		}
		blocks = append(blocks[:worst:worst], blocks[worst+1:]...)
	}
}

func (p Part) view(st theme.Styles, w int) []string {
	label := 0
	if w >= leastLabels {
		label = labelWidth
	}
	var lines []string
	for _, l := range p.Lines {
		lines = append(lines, l.view(st, max(1, w-label))...)
	}
	for i := range lines {
		lead := strings.Repeat(" ", label)
		if i == 0 && label > 0 {
			lead = st.Muted.Render(theme.Fit(p.Label, label))
		}
		lines[i] = lead + lines[i]
	}
	return lines
}

// view wraps each of the line's texts by itself, and styles each line of it.
func (l Line) view(st theme.Styles, w int) []string {
	switch {
	case l.Remark != "":
		return theme.WrapStyled(st.Muted, l.Remark, w)
	case l.Yours:
		lines := theme.WrapStyled(st.Text, l.Text, max(1, w-2))
		for i := range lines {
			lines[i] = st.You.Render("▌") + " " + lines[i]
		}
		return lines
	case l.Does != "":
		return []string{st.Text.Render(theme.Fit(l.Text, doesColumn)) + st.Muted.Render(l.Does)}
	case l.Name == "":
		return theme.WrapStyled(st.Text, l.Text, w)
	}
	return emphasised(st.Strong, st.Text, l.Name, l.Text, w)
}

// emphasised wraps a text that begins with a name, in a style of its own.
func emphasised(first, rest lipgloss.Style, name, text string, w int) []string {
	lines, left := theme.Wrap(name+text, w), len(name)
	for i, s := range lines {
		n := min(left, len(s))
		left -= n
		lines[i] = rest.Render(s[n:])
		if n > 0 {
			lines[i] = first.Render(s[:n]) + lines[i]
		}
	}
	return lines
}
