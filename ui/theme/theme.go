// Package theme has what all components draw with: styles by role, functions that fit and wrap text in cells, formatted
// numbers and plurals, the glyphs and words of verdicts, and a text field.
package theme

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
)

// Selection decides the colours: the theme that the user wants, and what the terminal can show.
type Selection struct {
	Custom          map[string]Palette // the user's own themes
	Wanted          Name
	LightBackground bool // the terminal has a light background
	NoColour        bool // no colours at all: NO_COLOR, or the terminal has none
	OpensLinks      bool // the terminal opens links (OSC 8)

	Profile colorprofile.Profile // the colours that the terminal has, 0 for all

	Styles Styles
}

// Restyle sets Styles to those of the wanted theme.
func (t *Selection) Restyle() {
	t.Styles = New(t.palette(t.Wanted))
	t.Styles.Markdown.OpensLinks = t.OpensLinks
}

// palette resolves a theme: auto to dark or light, and an unknown one like auto.
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

// Names returns the names of all themes, winnow's before the user's own.
func Names(own map[string]Palette) []string {
	names := []string{string(Auto), string(Dark), string(Light), string(Terminal), string(None)}
	isOurs := func(name string) bool { return slices.Contains(names, name) }
	return append(names, slices.DeleteFunc(slices.Sorted(maps.Keys(own)), isOurs)...)
}

// linking matches terminals that open links, by TERM or TERM_PROGRAM.
var linking = regexp.MustCompile(`(?i)^(xterm-)?(kitty|ghostty|alacritty|foot|contour|wezterm|rio|iterm\.app|vscode|` +
	`hyper|tabby|mintty)(-|$)`)

// OpensLinks reports whether the terminal opens links (OSC 8), judging by its environment. It is false for unknown
// terminals and within a multiplexer, which may drop links; addresses are then shown in full.
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
