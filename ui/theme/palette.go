package theme

import (
	_ "embed" // of the themes that come with winnow
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/pelletier/go-toml/v2"
)

// Palette is the colours of a theme by the names of their roles, which themes.toml lists, and under "base" the theme
// that has those which it lacks. No theme paints the background of the page: that is the terminal's.
//
// A colour is up to three words: "#rrggbb" for a terminal with 24-bit colours, then "0" to "255" for one with 256, then
// for one with 16 "0" to "15" or an attribute: "bold", "faint" or "default", which is none.
type Palette map[string]string

// The attributes that stand in the place of a colour.
const (
	asBold    = "bold"
	asFaint   = "faint"
	asDefault = "default"
)

//go:embed themes.toml
var builtIn []byte

// BuiltIn are the palettes that come with winnow. The theme terminal has none of its own: it is dark or light in 16
// colours.
func BuiltIn() map[Name]Palette {
	var palettes map[Name]Palette
	if err := toml.Unmarshal(builtIn, &palettes); err != nil {
		panic(err) // A test reads them all.
	}
	return palettes
}

// Check says what is wrong with a palette of the user's own: the key and the rest of a sentence about it, "" for
// nothing.
func (p Palette) Check() (key, wrong string) {
	const word = `(#[[:xdigit:]]{6}|25[0-5]|2[0-4]\d|1?\d?\d|bold|faint|default)`
	colour := regexp.MustCompile("^" + word + "( +" + word + "){0,2}$")
	roles := BuiltIn()[Dark]
	for _, key := range slices.Sorted(maps.Keys(p)) {
		switch _, known := roles[key]; {
		case key == "base":
			if base := Name(p[key]); base != Dark && base != Light {
				return key, fmt.Sprintf("is %q; must be \"dark\" or \"light\"", base)
			}
		case !known:
			return key, "is not a colour of a theme"
		case !colour.MatchString(p[key]):
			return key, fmt.Sprintf("is %q; must be a colour such as \"#6fd3c3\", or 0 to 255 in quotes for one of "+
				"the terminal's; with more than one, for terminals with 24-bit, 256 and 16 colours: "+
				"\"#6fd3c3 80 14\"", p[key])
		}
	}
	return "", ""
}

// on is the word of a role's colour that counts for a terminal.
func (p Palette) on(profile colorprofile.Profile, role string) string {
	words := strings.Fields(p[role])
	switch {
	case len(words) == 0:
		return asDefault
	case profile <= colorprofile.ANSI && len(words) > 2:
		return words[2]
	case profile == colorprofile.ANSI256:
		return words[min(1, len(words)-1)]
	}
	return words[0]
}

// shows says that a word is a colour, not an attribute or none.
func shows(word string) bool { return word != asBold && word != asFaint && word != asDefault }

// foreground is the style of text in a colour.
func foreground(word string) lipgloss.Style {
	style := lipgloss.NewStyle().Bold(word == asBold).Faint(word == asFaint)
	if shows(word) {
		style = style.Foreground(lipgloss.Color(word))
	}
	return style
}

// background is the style of text on a colour.
func background(word string) lipgloss.Style {
	if shows(word) {
		return lipgloss.NewStyle().Background(lipgloss.Color(word))
	}
	return foreground(word)
}
