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

// described are the themes that come with winnow, in the order in which they are offered, and what each is for.
var described = [][2]string{
	{string(Auto), "dark or light, as the terminal is"},
	{string(Dark), "for a dark background"},
	{string(Light), "for a light background"},
	{string(Terminal), "the terminal's own sixteen colours"},
	{string(None), "no colours"},
}

// Names are the names of the themes that come with winnow.
func Names() (names []string) {
	for _, theme := range described {
		names = append(names, theme[0])
	}
	return names
}

// Names are all themes that can be chosen: winnow's, then the user's own.
func (t Set) Names() []string {
	own := maps.Clone(t.Own)
	for _, name := range Names() {
		delete(own, name)
	}
	return slices.Concat(Names(), slices.Sorted(maps.Keys(own)))
}

// Description says what a theme is for.
func (t Set) Description(name Name) string {
	for _, theme := range described {
		if theme[0] == string(name) {
			return theme[1]
		}
	}
	return "yours"
}
