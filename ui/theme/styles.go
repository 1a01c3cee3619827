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

// Name is the name of a theme. See Palette.
type Name string

// Built-in themes. Auto is dark or light, depending on the terminal's background, and dark until that is known.
// Terminal uses the 16 colours of the terminal; none has no colours.
const (
	Auto     Name = "auto"
	Dark     Name = "dark"
	Light    Name = "light"
	Terminal Name = "terminal"
	None     Name = "none"
)

// Styles are the styles of all parts of the screen by role. Nothing is shown by colour alone: each role has its word or
// glyph as well.
type Styles struct {
	Name           Name
	HasBackgrounds bool // the terminal shows backgrounds; otherwise code gets a bar
	Markdown       markdown.Style

	Text         lipgloss.Style // answers, values
	Strong       lipgloss.Style // names, headings, the user's words
	Muted        lipgloss.Style // reasons, receipts, labels, unsent messages
	Faint        lipgloss.Style // decoration; never on Tint
	RuleLine     lipgloss.Style // horizontal and vertical rules
	Tint         lipgloss.Style // the background of code and chips
	Selected     lipgloss.Style // the background of the row under a list's cursor
	Ghost        lipgloss.Style // the screen behind a dialog
	Seen         lipgloss.Style // what the model sees, and the focus
	You          lipgloss.Style // the user's name, the draft's part of the bar
	Cut          lipgloss.Style // cut messages, warnings and questions
	Pinned       lipgloss.Style
	Recalled     lipgloss.Style
	Repaired     lipgloss.Style
	Error        lipgloss.Style
	FilterMatch  lipgloss.Style // letters that match a filter
	SearchMatch  lipgloss.Style // matches of a search
	CurrentMatch lipgloss.Style // the current match of a search
	Keyword      lipgloss.Style // of code, on Tint
	String       lipgloss.Style // of code, on Tint

	signs map[string]lipgloss.Style // by the glyph of a verdict
}

// New returns the styles of a theme. An empty palette stands for that of the built-in theme. Profile is what the
// terminal can show, 0 for all colours.
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
		"○": st.Faint, "⊘": st.Faint, "◆": st.Pinned, "◐": st.Cut, "▲": st.Repaired, "↺": st.Recalled, "⇄": st.Recalled,
		"~": st.Repaired, "!": st.Cut, "❄": st.You, "✂": st.Cut,
	}
	return st
}

// CursorRow draws the row under the cursor of a list in w cells: a bar in the first cell, then the text.
func (st Styles) CursorRow(text string, w int) string {
	return WithBackground(st.Selected, st.Seen.Render("▌")+Fit(text, w-1))
}

// Palette has the colours of a theme by role; themes.toml lists the roles. The key "base" names the theme, dark or
// light, that provides the missing ones. The background of the screen is always the terminal's.
//
// A colour is up to three words: "#rrggbb" for terminals with 24-bit colours, "0" to "255" for those with 256, and "0"
// to "15" or an attribute for those with 16. The attributes are "bold", "faint" and "default", which is none.
type Palette map[string]string

//go:embed themes.toml
var themes []byte

// BuiltInPalettes returns the palettes of dark, light and none. The theme terminal has none of its own: it is dark or
// light in 16 colours.
var BuiltInPalettes = sync.OnceValue(func() map[Name]Palette {
	var palettes map[Name]Palette
	if err := toml.Unmarshal(themes, &palettes); err != nil {
		panic(err) // Tests read the embedded file.
	}
	return palettes
})

// Validate checks a user's palette. It returns the first wrong key and the rest of a sentence about it, "" for none.
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

// colourFor returns the word of a role's colour for a terminal. Terminals with fewer colours take later words.
func (p Palette) colourFor(profile colorprofile.Profile, role string) string {
	words := strings.Fields(cmp.Or(p[role], "default"))
	return words[min(int(colorprofile.TrueColor-profile), len(words)-1)]
}

// shows reports whether a word is a colour, not an attribute.
func shows(word string) bool { return word != "bold" && word != "faint" && word != "default" }

// styled returns the style of a colour. Set sets the foreground or the background.
func styled(
	word string, set func(lipgloss.Style, color.Color) lipgloss.Style,
) lipgloss.Style {
	style := lipgloss.NewStyle().Bold(word == "bold").Faint(word == "faint")
	if shows(word) {
		style = set(style, lipgloss.Color(word))
	}
	return style
}
