package theme

import (
	"cmp"
	"maps"
	"slices"

	"github.com/charmbracelet/colorprofile"
)

// Set is what decides the colours: what the user wants, and what the terminal can show.
type Set struct {
	Own    map[string]Palette
	Wanted Name
	Light  bool // the terminal's background is light
	Plain  bool // no colours, whatever is wanted: NO_COLOR, or a terminal without them
	Links  bool // the terminal opens links

	Profile colorprofile.Profile // the colours that the terminal can show, 0 for all

	Styles Styles
}

// Restyle makes the styles of the wanted theme.
func (t *Set) Restyle() {
	t.Styles = New(t.palette(t.Wanted))
	t.Styles.Markdown.Links = t.Links
}

// palette is what a theme comes to: auto is one of two, and a theme that does not exist is auto.
func (t Set) palette(name Name) (Name, Palette, colorprofile.Profile) {
	themes, usual := BuiltIn(), Dark
	if t.Light {
		usual = Light
	}
	own, ok := t.Own[string(name)]
	switch {
	case t.Plain || name == None:
		return None, themes[None], t.Profile
	case name == Terminal:
		return name, themes[usual], colorprofile.ANSI
	case ok:
		p := themes[cmp.Or(Name(own["base"]), usual)]
		maps.Copy(p, own)
		return name, p, t.Profile
	case name == Dark, name == Light:
		usual = name
	}
	return usual, themes[usual], t.Profile
}

// described is what the themes that come with winnow are for.
var described = map[Name]string{
	Auto:     "dark or light, as the terminal is",
	Dark:     "for a dark background",
	Light:    "for a light background",
	Terminal: "the terminal's own sixteen colours",
	None:     "no colours",
}

// Description says what a theme is for.
func Description(name string) string { return cmp.Or(described[Name(name)], "yours") }

// Names are all themes that can be chosen: winnow's, then the user's own.
func Names(own map[string]Palette) []string {
	names := []string{string(Auto), string(Dark), string(Light), string(Terminal), string(None)}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
