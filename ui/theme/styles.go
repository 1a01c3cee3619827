package theme

import (
	"charm.land/lipgloss/v2"

	"winnow/ui/markdown"
)

// Name names the colours of the application: see Palette.
type Name string

// The themes that are more than a palette, and the two that all others are based on. auto is dark
// or light as the terminal answers, and dark until it does.
const (
	Auto  Name = "auto"
	Dark  Name = "dark"
	Light Name = "light"
	None  Name = "none"
)

// Styles holds every colour of the application by its role. Nothing is shown by colour alone:
// each role has its word or glyph as well.
type Styles struct {
	Name     Name
	Markdown markdown.Style

	Text    lipgloss.Style // as the terminal has it
	Strong  lipgloss.Style
	Dim     lipgloss.Style // secondary text
	Faint   lipgloss.Style // frames, rules, what is not sent
	Accent  lipgloss.Style // titles, the focus, keys in help
	Focus   lipgloss.Style // the frame of the focused pane
	Frame   lipgloss.Style // the frame of the others
	Title   lipgloss.Style // the title in a frame
	Chosen  lipgloss.Style // the line under the cursor of a list
	Match   lipgloss.Style // the letters that a filter found
	Found   lipgloss.Style // what a search found
	Hit     lipgloss.Style // the hit that the user is at
	User    lipgloss.Style
	Model   lipgloss.Style
	Tool    lipgloss.Style
	System  lipgloss.Style
	Good    lipgloss.Style
	Warn    lipgloss.Style
	Bad     lipgloss.Style
	Pinned  lipgloss.Style
	Cut     lipgloss.Style
	Added   lipgloss.Style
	BarUsed lipgloss.Style
	BarNow  lipgloss.Style // the draft's part of the bar
	BarFix  lipgloss.Style // system prompt and tools
	BarFree lipgloss.Style
}

// New makes the styles of a theme from its palette. Without colours it takes none.
func New(t Name, p Palette) Styles {
	plain := lipgloss.NewStyle()
	if t == None {
		return Styles{
			Name: t, Strong: plain.Bold(true), Accent: plain.Bold(true), Focus: plain.Bold(true),
			Chosen: plain.Reverse(true), Match: plain.Underline(true),
			Found: plain.Underline(true), Hit: plain.Bold(true).Reverse(true),
			User: plain.Bold(true), Model: plain.Bold(true), Warn: plain.Bold(true), Bad: plain.Bold(true),
		}
	}
	in := func(colour string) lipgloss.Style { return plain.Foreground(lipgloss.Color(colour)) }
	on := func(colour string) lipgloss.Style { return plain.Background(lipgloss.Color(colour)) }
	return Styles{
		Name:     t,
		Markdown: markdown.Style{Heading: p.Heading, Code: p.Code, Link: p.Link, Quote: p.Quote, Muted: p.Muted, Syntax: p.Syntax},
		Strong:   plain.Bold(true),
		Dim:      in(p.Dim),
		Faint:    in(p.Faint),
		Accent:   in(p.Accent).Bold(true),
		Focus:    in(p.Focus),
		Frame:    in(p.Frame),
		Title:    in(p.Dim),
		Chosen:   on(p.ChosenBackground).Foreground(lipgloss.Color(p.Chosen)),
		Found:    on(p.FoundBackground).Underline(true),
		Hit:      plain.Bold(true).Reverse(true),
		Match:    in(p.Accent).Bold(true).Underline(true),
		User:     in(p.User).Bold(true),
		Model:    in(p.Model).Bold(true),
		Tool:     in(p.Tool),
		System:   in(p.System),
		Good:     in(p.Good),
		Warn:     in(p.Warn),
		Bad:      in(p.Bad),
		Pinned:   in(p.Pinned),
		Cut:      in(p.Warn),
		Added:    in(p.User),
		BarUsed:  in(p.Focus),
		BarNow:   in(p.User),
		BarFix:   in(p.System),
		BarFree:  in(p.Frame),
	}
}
