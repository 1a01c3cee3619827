// Package frame draws what surrounds the panes: the header, the hints, the border of a floating box and the dimmed
// backdrop behind it, and the first screen. It is given texts and sizes, and knows no session.
package frame

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Model holds the use of the mouse and the backdrop. Its zero value leaves the mouse to the terminal.
type Model struct {
	Mouse bool // winnow handles the mouse, not the terminal

	backdrop []string // the dimmed screen as it was when a box began to float, nil for none
	width    int      // of the screen that the backdrop was made for
	colour   theme.Name
}

// Backdrop returns the dimmed lines behind a floating box, on a screen of w by h cells. Draw is called once, when the
// box opens, and again if the size or the theme changes, until DropBackdrop.
func (m *Model) Backdrop(st theme.Styles, w, h int, draw func() []string) []string {
	if len(m.backdrop) != h || m.width != w || m.colour != st.Name {
		m.backdrop, m.width, m.colour = draw(), w, st.Name
		for i, s := range m.backdrop {
			m.backdrop[i] = st.Ghost.Render(ansi.Strip(s))
		}
	}
	return slices.Clone(m.backdrop)
}

// DropBackdrop forgets the backdrop, because no box floats any more.
func (m *Model) DropBackdrop() { m.backdrop = nil }

// Bordered draws lines into a box with a border.
func Bordered(st theme.Styles, b theme.Box, lines []string) []string {
	in := b.Inner(true)
	edge := st.Faint.Render("│")
	out := []string{st.Faint.Render("╭" + strings.Repeat("─", in.W) + "╮")}
	for _, s := range theme.FitLines(lines, in.W, in.H) {
		out = append(out, edge+s+edge)
	}
	return append(out, st.Faint.Render("╰"+strings.Repeat("─", in.W)+"╯"))
}

// leastTitle is how many cells the title keeps before the model is shortened too.
const leastTitle = 8

// Header returns the top line, w cells wide: the name of the program, a title, the model, and numbers at the right end.
// If there is little room, the title is shortened first, then the model, and the numbers never.
func Header(st theme.Styles, title, model, numbers string, w int) string {
	margin := strings.Repeat(" ", theme.Gutter(w))
	left := margin + st.Seen.Bold(true).Render("winnow") + "  "
	end := margin
	if theme.Width(numbers) > 0 {
		end = "   " + numbers + margin
	}
	room := max(0, w-theme.Width(left)-theme.Width(end))
	if n := max(room-leastTitle-2, room/2); theme.Width(model) > n {
		model = markdown.Truncate(model, n, "…")
	}
	if n := max(0, room-theme.Width(model)-2); theme.Width(title) > n {
		title = shortened(title, n)
	}
	return theme.Spread(left+title, model+end, w)
}

// Crumb separates the title of a conversation from the name of the part that is shown, as in "Title › message 3".
const Crumb = " › "

// shortened cuts a title to at most n cells. If it has a Crumb, the part before that is cut first.
func shortened(title string, n int) string {
	whole, part, ok := strings.Cut(title, Crumb)
	if room := n - theme.Width(Crumb+part); ok && room > 1 {
		return markdown.Truncate(whole, room, "…") + Crumb + part
	}
	return markdown.Truncate(title, n, "…")
}

// TooSmall returns the top line, width cells wide, of a screen below the least size of w by h cells.
func TooSmall(st theme.Styles, w, h, width int) string {
	return theme.Fit(st.Cut.Render(fmt.Sprintf("winnow needs %d×%d", w, h)), width)
}

// The most hints on a line, and on one below narrowHints cells.
const (
	mostHints   = 5
	fewHints    = 3
	narrowHints = 60
)

// Hints returns the bottom line, w cells wide: at most five hints, and a state at the right end. If there is little
// room, hints are dropped from the right, but never the last one, which says how to leave or where to find more.
func Hints(st theme.Styles, hints []key.Binding, state string, w int) string {
	margin := strings.Repeat(" ", theme.Gutter(w))
	most := mostHints
	if w < narrowHints {
		most = fewHints
	}
	last := len(hints) - 1
	if last < 0 {
		return theme.Spread("", state+margin, w)
	}
	keys := help.New()
	keys.ShortSeparator = "   "
	keys.Styles = help.Styles{ShortKey: st.Text, ShortDesc: st.Muted}
	for n := min(last, most-1); ; n-- {
		line := margin + keys.ShortHelpView(append(slices.Clone(hints[:n]), hints[last]))
		used := theme.Width(line) + theme.Width(margin)
		fits := used <= w && (state == "" || used+theme.Width(state)+2 <= w)
		switch {
		case !fits && n > 0:
		case state == "", !fits && theme.Width(line) > w/2:
			return theme.Fit(line, w)
		default:
			return theme.Spread(line, markdown.Truncate(state, max(0, w-used-1), "…")+margin, w)
		}
	}
}
