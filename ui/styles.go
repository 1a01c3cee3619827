package ui

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// theme is the background that colours are chosen for.
type theme string

// The themes. auto follows the terminal's answer and is dark until it arrives.
const (
	autoTheme  theme = "auto"
	darkTheme  theme = "dark"
	lightTheme theme = "light"
	noColour   theme = "none"
)

// styles holds every colour of the application by its role. Nothing is told by colour alone:
// each role has its word or glyph as well.
type styles struct {
	theme theme

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

// newStyles makes the styles of a theme.
func newStyles(t theme) styles {
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
	pick := lipgloss.LightDark(t != lightTheme)
	c := func(light, dark string) color.Color { return pick(lipgloss.Color(light), lipgloss.Color(dark)) }
	in := func(light, dark string) lipgloss.Style { return plain.Foreground(c(light, dark)) }
	return styles{
		theme:   t,
		text:    plain,
		strong:  plain.Bold(true),
		dim:     in("#5f6470", "#9aa0ac"),
		faint:   in("#7d828e", "#5b606b"),
		accent:  in("#0b6e63", "#6fd3c3").Bold(true),
		focus:   in("#0b8a7c", "#4fb3a5"),
		frame:   in("#c3c7d0", "#444954"),
		title:   in("#5f6470", "#9aa0ac"),
		chosen:  plain.Background(c("#dcefec", "#23403d")).Foreground(c("#0b3a35", "#e6fffb")),
		found:   plain.Underline(true).Background(c("#fff0c2", "#4a3f1d")),
		hit:     plain.Bold(true).Reverse(true),
		match:   in("#0b6e63", "#6fd3c3").Bold(true).Underline(true),
		user:    in("#2458b8", "#82aaff").Bold(true),
		model:   in("#0b6e63", "#6fd3c3").Bold(true),
		tool:    in("#8a5a00", "#e0b26a"),
		system:  in("#6b4fa0", "#b39ddb"),
		good:    in("#2c7a2c", "#8fd18f"),
		warn:    in("#96600a", "#f0c070"),
		bad:     in("#b3261e", "#ff8a80"),
		pinned:  in("#6b4fa0", "#c3a6ff"),
		cut:     in("#96600a", "#f0c070"),
		added:   in("#2458b8", "#82aaff"),
		barUsed: in("#0b8a7c", "#4fb3a5"),
		barNow:  in("#2458b8", "#82aaff"),
		barFix:  in("#6b4fa0", "#b39ddb"),
		barFree: in("#c3c7d0", "#444954"),
	}
}
