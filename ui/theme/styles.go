package theme

import (
	"cmp"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"winnow/ui/markdown"
)

// Name names the colours of the application: see Palette.
type Name string

// The themes that are more than a palette, and the two that all others are based on. auto is dark
// or light as the terminal answers, and dark until it does; terminal is that in the terminal's own 16 colours.
const (
	Auto     Name = "auto"
	Dark     Name = "dark"
	Light    Name = "light"
	Terminal Name = "terminal"
	None     Name = "none"
)

// Styles holds every colour of the application by its role. Nothing is shown by colour alone:
// each role has its word or glyph as well.
type Styles struct {
	Name     Name
	Tinted   bool // the terminal shows backgrounds: without them code gets a bar and a selected row is bold
	Markdown markdown.Style

	Text     lipgloss.Style // answers, values
	Strong   lipgloss.Style // names, headings, the user's words
	Muted    lipgloss.Style // reasons, receipts, labels, what is not sent
	Faint    lipgloss.Style // what carries nothing beside its glyph; never on a tint
	Lines    lipgloss.Style // the two rules of the screen
	Tint     lipgloss.Style // the ground under code and chips
	Selected lipgloss.Style // the row under the cursor of a list
	Ghost    lipgloss.Style // the page behind an overlay
	Seen     lipgloss.Style // what the model sees; the focus
	You      lipgloss.Style // the user's name, the draft's part of the bar
	Cut      lipgloss.Style // what is cut; warnings and questions
	Pinned   lipgloss.Style
	Recalled lipgloss.Style
	Repaired lipgloss.Style
	Error    lipgloss.Style
	Match    lipgloss.Style // the letters that a filter found
	Found    lipgloss.Style // what a search found
	Hit      lipgloss.Style // the hit that the user is at
	Keyword  lipgloss.Style // of code, on a tint
	String   lipgloss.Style // the same
}

// New makes the styles of a theme for a terminal: from its palette, with the colours that the terminal can show.
// Without colours it keeps bold, underline and faint. A profile of 0 is one of a terminal with all colours.
func New(t Name, p Palette, profile colorprofile.Profile) Styles {
	profile = cmp.Or(profile, colorprofile.TrueColor)
	plain := lipgloss.NewStyle()
	st := Styles{
		Name: t, Strong: plain.Bold(true), Selected: plain.Bold(true),
		Match: plain.Underline(true), Found: plain.Underline(true), Hit: plain.Bold(true).Reverse(true),
	}
	if t == None {
		st.Muted, st.Faint, st.Lines, st.Ghost = plain.Faint(true), plain.Faint(true), plain.Faint(true),
			plain.Faint(true)
		st.You, st.Cut, st.Error = plain.Bold(true), plain.Bold(true), plain.Bold(true)
		st.Markdown = markdown.Style{Strong: asBold, Muted: asFaint, Faint: asFaint, Rule: asFaint}
		return st
	}
	in := func(c Colour) lipgloss.Style { return c.foreground(profile) }
	st.Text, st.Strong = in(p.Text), in(p.Strong).Bold(true)
	st.Muted, st.Faint, st.Lines, st.Ghost = in(p.Muted), in(p.Faint), in(p.Rule), in(p.Ghost)
	st.Tint, st.Selected = p.Tint.background(profile), p.Selection.background(profile)
	st.Tinted = p.Tint.Shows(profile)
	st.Seen, st.You, st.Cut = in(p.Seen), in(p.You), in(p.Cut)
	st.Pinned, st.Recalled, st.Repaired, st.Error = in(p.Pinned), in(p.Recalled), in(p.Repaired), in(p.Repaired)
	st.Keyword, st.String = in(p.Keyword), in(p.String)
	st.Match, st.Found = st.Seen.Underline(true), st.Cut.Bold(true).Underline(true)
	st.Markdown = p.markdown(profile)
	return st
}

// markdown is the part of a palette that rendered Markdown needs.
func (p Palette) markdown(profile colorprofile.Profile) markdown.Style {
	st := markdown.Style{
		Text: p.Text.On(profile), Strong: p.Strong.On(profile), Muted: p.Muted.On(profile),
		Faint: p.Faint.On(profile), Rule: p.Rule.On(profile),
		Keyword: p.Keyword.On(profile), String: p.String.On(profile),
		Function: p.Function.On(profile), Number: p.Number.On(profile),
		Deleted: p.Repaired.On(profile), Inserted: p.Seen.On(profile),
	}
	if p.Tint.Shows(profile) {
		st.Tint = p.Tint.On(profile)
	}
	return st
}
