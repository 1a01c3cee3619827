// Package frame draws what stands around the panes: the header, the hints, the border of what floats over the page and
// the pale page behind it, and what an empty chat shows. It knows no session: it gets texts and sizes.
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

// Model is what the terminal is used for, and the page behind what floats over it. Its zero value has no mouse.
type Model struct {
	Mouse bool // the mouse is the application's, and not the terminal's

	backdrop []string // the page as it was when something began to float over it, nil for none
	width    int      // of the screen that it was made for
	colour   theme.Name
}

// Ghost is the page behind what floats over it, on a screen of w by h cells: pale, and as it was when that opened,
// until Settle. Draw draws the page.
func (m *Model) Backdrop(st theme.Styles, w, h int, draw func() []string) []string {
	if len(m.backdrop) != h || m.width != w || m.colour != st.Name {
		m.backdrop, m.width, m.colour = draw(), w, st.Name
		for i, s := range m.backdrop {
			m.backdrop[i] = st.Ghost.Render(ansi.Strip(s))
		}
	}
	return slices.Clone(m.backdrop)
}

// Settle forgets the pale page: nothing floats over the page any more.
func (m *Model) DropBackdrop() { m.backdrop = nil }

// Float draws lines into a box with rounded corners.
func Bordered(st theme.Styles, b theme.Box, lines []string) []string {
	in := b.Inner(true)
	edge := st.Faint.Render("│")
	out := []string{st.Faint.Render("╭" + strings.Repeat("─", in.W) + "╮")}
	for _, s := range theme.Blank(lines, in.W, in.H) {
		out = append(out, edge+s+edge)
	}
	return append(out, st.Faint.Render("╰"+strings.Repeat("─", in.W)+"╯"))
}

// leastTitle is how many cells of the title stay in front of the model, where there is a choice.
const leastTitle = 8

// Header is the line at the top: the name of the program, a title that gives way where there is little room, the model,
// which gives way then, and at the right end numbers, which never do.
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

// Crumb stands between the title of a conversation and the part of it that is shown.
const Crumb = " › "

// shortened is a title in at most n cells: of one with a part the conversation's own gives way first.
func shortened(title string, n int) string {
	whole, part, ok := strings.Cut(title, Crumb)
	if room := n - theme.Width(Crumb+part); ok && room > 1 {
		return markdown.Truncate(whole, room, "…") + Crumb + part
	}
	return markdown.Truncate(title, n, "…")
}

// TooSmall is the line at the top of a screen that is smaller than it should be: it says how large.
func TooSmall(st theme.Styles, w, h, width int) string {
	return theme.Fit(st.Cut.Render(fmt.Sprintf("winnow needs %d×%d", w, h)), width)
}

// The most hints on a line, and on a narrow one.
const (
	mostHints   = 5
	fewHints    = 3
	narrowHints = 60
)

// Hints is the line at the bottom: as many hints as fit, at most five, and a state at its right end. The last hint
// stays: it says how to leave, or where the rest is.
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
