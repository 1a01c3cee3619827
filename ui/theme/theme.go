// Package theme holds what every part of the screen draws with: colours by role, styles, the arithmetic of
// cells, numbers and plurals in words, the signs of verdicts, and a line to type in. It knows no session, no
// keys and no part of the screen.
package theme

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
)

// Selection is what decides the colours: what the user wants, and what the terminal can show.
type Selection struct {
	Custom          map[string]Palette
	Wanted          Name
	LightBackground bool // the terminal's background is light
	NoColour        bool // no colours, whatever is wanted: NO_COLOR, or a terminal without them
	OpensLinks      bool // the terminal opens links

	Profile colorprofile.Profile // the colours that the terminal can show, 0 for all

	Styles Styles
}

// Restyle makes the styles of the wanted theme.
func (t *Selection) Restyle() {
	t.Styles = New(t.palette(t.Wanted))
	t.Styles.Markdown.OpensLinks = t.OpensLinks
}

// palette is what a theme comes to: auto is one of two, and a theme that does not exist is auto.
func (t Selection) palette(name Name) (Name, Palette, colorprofile.Profile) {
	themes, usual := BuiltInPalettes(), Dark
	if t.LightBackground {
		usual = Light
	}
	own, ok := t.Custom[string(name)]
	switch {
	case t.NoColour || name == None:
		return None, themes[None], t.Profile
	case name == Terminal:
		return name, themes[usual], colorprofile.ANSI
	case ok:
		p := maps.Clone(themes[cmp.Or(Name(own["base"]), usual)])
		maps.Copy(p, own)
		return name, p, t.Profile
	case name == Dark, name == Light:
		usual = name
	}
	return usual, themes[usual], t.Profile
}

// Names are all themes that can be chosen: winnow's, then the user's own.
func Names(own map[string]Palette) []string {
	names := []string{string(Auto), string(Dark), string(Light), string(Terminal), string(None)}
	isOurs := func(name string) bool { return slices.Contains(names, name) }
	return append(names, slices.DeleteFunc(slices.Sorted(maps.Keys(own)), isOurs)...)
}

// linking are the names of terminals that open links, as TERM or TERM_PROGRAM has them.
var linking = regexp.MustCompile(`(?i)^(xterm-)?(kitty|ghostty|alacritty|foot|contour|wezterm|rio|iterm\.app|vscode|` +
	`hyper|tabby|mintty)(-|$)`)

// OpensLinks tells by the environment whether the terminal opens links (OSC 8). Of one that is not known to, and
// behind a multiplexer, which may drop them, it says no: then the address is shown.
func OpensLinks(env func(key string) string) bool {
	term := env("TERM")
	if env("TMUX")+env("STY") != "" || strings.HasPrefix(term, "screen") || strings.HasPrefix(term, "tmux") {
		return false
	}
	known := ""
	for key := range strings.FieldsSeq("VTE_VERSION KONSOLE_VERSION KITTY_WINDOW_ID WEZTERM_PANE " +
		"GHOSTTY_RESOURCES_DIR WT_SESSION DOMTERM") {
		known += env(key)
	}
	return known != "" || linking.MatchString(term) || linking.MatchString(env("TERM_PROGRAM"))
}
