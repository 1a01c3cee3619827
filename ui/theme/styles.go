package theme

import (
	"cmp"
	_ "embed" // of the themes that come with winnow
	"fmt"
	"image/color"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/pelletier/go-toml/v2"

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
	Name           Name
	HasBackgrounds bool // the terminal shows backgrounds: without them code gets a bar and a selected row is bold
	Markdown       markdown.Style

	Text         lipgloss.Style // answers, values
	Strong       lipgloss.Style // names, headings, the user's words
	Muted        lipgloss.Style // reasons, receipts, labels, what is not sent
	Faint        lipgloss.Style // what carries nothing beside its glyph; never on a tint
	RuleLine     lipgloss.Style // the two rules of the screen
	Tint         lipgloss.Style // the ground under code and chips
	Selected     lipgloss.Style // the row under the cursor of a list
	Ghost        lipgloss.Style // the page behind an overlay
	Seen         lipgloss.Style // what the model sees; the focus
	You          lipgloss.Style // the user's name, the draft's part of the bar
	Cut          lipgloss.Style // what is cut; warnings and questions
	Pinned       lipgloss.Style
	Recalled     lipgloss.Style
	Repaired     lipgloss.Style
	Error        lipgloss.Style
	FilterMatch  lipgloss.Style // the letters that a filter found
	SearchMatch  lipgloss.Style // what a search found
	CurrentMatch lipgloss.Style // the hit that the user is at
	Keyword      lipgloss.Style // of code, on a tint
	String       lipgloss.Style // the same

	signs map[string]lipgloss.Style // of verdicts
}

// New makes the styles of a theme for a terminal: from its palette, where an empty one is that of the built-in theme,
// with the colours that the terminal can show. A profile of 0 is one of a terminal with all colours.
func New(t Name, p Palette, profile colorprofile.Profile) Styles {
	if len(p) == 0 {
		p = BuiltInPalettes()[t]
	}
	on := func(role string) string { return p.colourFor(cmp.Or(profile, colorprofile.TrueColor), role) }
	in := func(role string) lipgloss.Style { return styled(on(role), lipgloss.Style.Foreground) }
	under := func(role string) lipgloss.Style { return styled(on(role), lipgloss.Style.Background) }
	st := Styles{
		Name: t, HasBackgrounds: shows(on("tint")),
		Text: in("text"), Strong: in("strong").Bold(true),
		Muted: in("muted"), Faint: in("faint"), RuleLine: in("rule"), Ghost: in("ghost"),
		Tint: under("tint"), Selected: under("selection"),
		Seen: in("seen"), You: in("you"), Cut: in("cut"),
		Pinned: in("pinned"), Recalled: in("recalled"), Repaired: in("repaired"), Error: in("repaired"),
		Keyword: in("keyword"), String: in("string"),
		FilterMatch: in("seen").Underline(true), SearchMatch: in("cut").Bold(true).Underline(true),
		CurrentMatch: lipgloss.NewStyle().Bold(true).Reverse(true),
		Markdown: markdown.Style{
			Text: on("text"), Strong: on("strong"), Muted: on("muted"), Faint: on("faint"), Rule: on("rule"),
			Keyword: on("keyword"), String: on("string"), Function: on("function"), Number: on("number"),
			Deleted: on("repaired"), Inserted: on("seen"), Tint: strings.TrimPrefix(on("tint"), "default"),
		},
	}
	st.signs = map[string]lipgloss.Style{
		"○": st.Faint, "⊘": st.Faint, "◆": st.Pinned, "◐": st.Cut, "▲": st.Repaired, "↺": st.Recalled,
	}
	return st
}

// CursorRow is the row under the cursor of a list, w cells wide: a bar in its first cell, and the text behind it.
func (st Styles) CursorRow(text string, w int) string {
	return WithBackground(st.Selected, st.Seen.Render("▌")+Fit(text, w-1))
}

// Palette is the colours of a theme by the names of their roles, which themes.toml lists, and under "base" the theme
// that has those which it lacks. No theme paints the background of the page: that is the terminal's.
//
// A colour is up to three words: "#rrggbb" for a terminal with 24-bit colours, then "0" to "255" for one with 256, then
// for one with 16 "0" to "15" or an attribute: "bold", "faint" or "default", which is none.
type Palette map[string]string

//go:embed themes.toml
var themes []byte

// BuiltIn are the palettes that come with winnow, read once. The theme terminal has none of its own: it is dark or
// light in 16 colours.
var BuiltInPalettes = sync.OnceValue(func() map[Name]Palette {
	var palettes map[Name]Palette
	if err := toml.Unmarshal(themes, &palettes); err != nil {
		panic(err) // A test reads them all.
	}
	return palettes
})

// Validate says what is wrong with a palette of the user's own: the key and the rest of a sentence about it, "" for
// nothing.
func (p Palette) Validate() (key, wrong string) {
	const word = `(#[[:xdigit:]]{6}|25[0-5]|2[0-4]\d|1?\d?\d|bold|faint|default)`
	colour := regexp.MustCompile("^" + word + "( +" + word + "){0,2}$")
	roles := BuiltInPalettes()[Dark]
	for _, key := range slices.Sorted(maps.Keys(p)) {
		switch word := p[key]; {
		case key == "base" && Name(word) != Dark && Name(word) != Light:
			return key, fmt.Sprintf(`is %q; must be "dark" or "light"`, word)
		case key != "base" && roles[key] == "":
			return key, "is not a colour of a theme"
		case key != "base" && !colour.MatchString(word):
			return key, fmt.Sprintf(`is %q; must be a colour such as "#6fd3c3", or up to three, for terminals with `+
				`24-bit, 256 and 16 colours: "#6fd3c3 80 14"`, word)
		}
	}
	return "", ""
}

// colourFor is the word of a role's colour that counts for a terminal: one with fewer colours takes a later word.
func (p Palette) colourFor(profile colorprofile.Profile, role string) string {
	words := strings.Fields(cmp.Or(p[role], "default"))
	return words[min(int(colorprofile.TrueColor-profile), len(words)-1)]
}

// shows says that a word is a colour, not an attribute or none.
func shows(word string) bool { return word != "bold" && word != "faint" && word != "default" }

// styled is the style of text in a colour, or on it: set is what lipgloss calls that.
func styled(word string, set func(lipgloss.Style, color.Color) lipgloss.Style) lipgloss.Style {
	style := lipgloss.NewStyle().Bold(word == "bold").Faint(word == "faint")
	if shows(word) {
		style = set(style, lipgloss.Color(word))
	}
	return style
}
