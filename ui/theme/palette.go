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
		switch word := p[key]; {
		case key == "base" && Name(word) != Dark && Name(word) != Light:
			return key, fmt.Sprintf("is %q; must be \"dark\" or \"light\"", word)
		case key != "base" && roles[key] == "":
			return key, "is not a colour of a theme"
		case key != "base" && !colour.MatchString(word):
			return key, fmt.Sprintf("is %q; must be a colour such as \"#6fd3c3\", or 0 to 255 in quotes for one of "+
				"the terminal's; with more than one, for terminals with 24-bit, 256 and 16 colours: "+
				"\"#6fd3c3 80 14\"", word)
		}
	}
	return "", ""
}

// on is the word of a role's colour that counts for a terminal: one with fewer colours takes a later word.
func (p Palette) on(profile colorprofile.Profile, role string) string {
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
