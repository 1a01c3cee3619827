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
	Tried  Name // the one that is tried out, "" for none
	Light  bool // the terminal's background is light
	Plain  bool // no colours, whatever is wanted: NO_COLOR, or a terminal without them
	Links  bool // the terminal opens links

	Profile colorprofile.Profile // the colours that the terminal can show, 0 for all

	Styles Styles
}

// Shown is the theme that is tried out, else the wanted one.
func (t Set) Shown() Name { return cmp.Or(t.Tried, t.Wanted) }

// Restyle makes the styles of the theme that is shown.
func (t *Set) Restyle() {
	name, p := t.Palette(t.Shown())
	profile := t.Profile
	if name == Terminal {
		profile = colorprofile.ANSI
	}
	t.Styles = New(name, p, profile)
	t.Styles.Markdown.Links = t.Links
}

// Names are the names of the themes that come with winnow, in the order in which they are offered.
func Names() []string {
	return []string{string(Auto), string(Dark), string(Light), string(Terminal), string(None)}
}

// Names are all themes that can be chosen: winnow's, then the user's own.
func (t Set) Names() []string {
	names := Names()
	for _, name := range slices.Sorted(maps.Keys(t.Own)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Palette is the colours of a theme, and the theme that it comes to: auto is one of two, and one that
// does not exist is auto. A theme of the user's own goes before one of winnow's with its name.
func (t Set) Palette(name Name) (Name, Palette) {
	themes := BuiltIn()
	p, ok := t.Own[string(name)]
	if !ok {
		p, ok = themes[name]
	}
	switch {
	case t.Plain || name == None:
		return None, Palette{}
	case ok:
		return name, p.over(themes[Name(p.Base)]).over(themes[t.usual()])
	case name == Terminal:
		return Terminal, themes[t.usual()]
	}
	return t.usual(), themes[t.usual()]
}

// usual is the theme for the terminal's background.
func (t Set) usual() Name {
	if t.Light {
		return Light
	}
	return Dark
}

// Description says what a theme is for.
func (t Set) Description(name Name) string {
	_, own := t.Own[string(name)]
	switch {
	case own:
		return "yours"
	case name == Auto:
		return "dark or light, as the terminal is"
	case name == None:
		return "no colours"
	case name == Terminal:
		return "the terminal's own sixteen colours"
	case name == Light:
		return "for a light background"
	}
	return "for a dark background"
}
