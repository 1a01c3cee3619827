package ui

import (
	"charm.land/lipgloss/v2"

	"winnow/ui/markdown"
)

// theme names the colours of the application: see Palette.
type theme string

// The themes that are more than a palette, and the two that all others are based on. auto is dark
// or light as the terminal answers, and dark until it does.
const (
	autoTheme  theme = "auto"
	darkTheme  theme = "dark"
	lightTheme theme = "light"
	noColour   theme = "none"
)

// styles holds every colour of the application by its role. Nothing is told by colour alone:
// each role has its word or glyph as well.
type styles struct {
	theme    theme
	markdown markdown.Style

	text    lipgloss.Style
	strong  lipgloss.Style
	dim     lipgloss.Style // secondary text
	faint   lipgloss.Style // frames, rules, what is not sent
	accent  lipgloss.Style // titles, the focus, keys in help
	focus   lipgloss.Style // the frame of the focused pane
	frame   lipgloss.Style // the frame of the others
	title   lipgloss.Style // the title in a frame
	chosen  lipgloss.Style // the line under the cursor of a list
	match   lipgloss.Style // the letters that a filter found
	found   lipgloss.Style // what a search found
	hit     lipgloss.Style // the hit that the user is at
	user    lipgloss.Style
	model   lipgloss.Style
	tool    lipgloss.Style
	system  lipgloss.Style
	good    lipgloss.Style
	warn    lipgloss.Style
	bad     lipgloss.Style
	pinned  lipgloss.Style
	cut     lipgloss.Style
	added   lipgloss.Style
	barUsed lipgloss.Style
	barNow  lipgloss.Style // the draft's part of the bar
	barFix  lipgloss.Style // system prompt and tools
	barFree lipgloss.Style
}

// newStyles makes the styles of a theme from its palette. Without colours it takes none.
func newStyles(t theme, p Palette) styles {
	plain := lipgloss.NewStyle()
	if t == noColour {
		return styles{
			theme: t, text: plain, strong: plain.Bold(true), dim: plain, faint: plain,
			accent: plain.Bold(true), focus: plain.Bold(true), frame: plain, title: plain,
			chosen: plain.Reverse(true), match: plain.Underline(true),
			found: plain.Underline(true), hit: plain.Bold(true).Reverse(true),
			user: plain.Bold(true), model: plain.Bold(true), tool: plain, system: plain,
			good: plain, warn: plain.Bold(true), bad: plain.Bold(true),
			pinned: plain, cut: plain, added: plain,
			barUsed: plain, barNow: plain, barFix: plain, barFree: plain,
		}
	}
	in := func(colour string) lipgloss.Style { return plain.Foreground(lipgloss.Color(colour)) }
	on := func(colour string) lipgloss.Style { return plain.Background(lipgloss.Color(colour)) }
	return styles{
		theme:    t,
		markdown: p.markdown(),
		text:     plain,
		strong:   plain.Bold(true),
		dim:      in(p.Dim),
		faint:    in(p.Faint),
		accent:   in(p.Accent).Bold(true),
		focus:    in(p.Focus),
		frame:    in(p.Frame),
		title:    in(p.Dim),
		chosen:   on(p.ChosenBack).Foreground(lipgloss.Color(p.Chosen)),
		found:    on(p.FoundBack).Underline(true),
		hit:      plain.Bold(true).Reverse(true),
		match:    in(p.Accent).Bold(true).Underline(true),
		user:     in(p.User).Bold(true),
		model:    in(p.Model).Bold(true),
		tool:     in(p.Tool),
		system:   in(p.System),
		good:     in(p.Good),
		warn:     in(p.Warn),
		bad:      in(p.Bad),
		pinned:   in(p.Pinned),
		cut:      in(p.Warn),
		added:    in(p.User),
		barUsed:  in(p.Focus),
		barNow:   in(p.User),
		barFix:   in(p.System),
		barFree:  in(p.Frame),
	}
}
