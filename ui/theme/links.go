package theme

import (
	"slices"
	"strings"
)

// OpensLinks tells by the environment whether the terminal opens links (OSC 8). Of one that is not known to, and
// behind a multiplexer, which may drop them, it says no: then the address is shown.
func OpensLinks(env func(key string) string) bool {
	term := env("TERM")
	if env("TMUX") != "" || env("STY") != "" || strings.HasPrefix(term, "screen") || strings.HasPrefix(term, "tmux") {
		return false
	}
	for key := range strings.FieldsSeq("VTE_VERSION KONSOLE_VERSION KITTY_WINDOW_ID WEZTERM_PANE " +
		"GHOSTTY_RESOURCES_DIR WT_SESSION DOMTERM") {
		if env(key) != "" {
			return true
		}
	}
	programs := strings.Fields("iTerm.app WezTerm ghostty vscode Hyper rio Tabby mintty")
	terminals := strings.Fields("kitty ghostty alacritty foot contour wezterm rio")
	name, _, _ := strings.Cut(strings.TrimPrefix(term, "xterm-"), "-")
	return slices.Contains(programs, env("TERM_PROGRAM")) || slices.Contains(terminals, name)
}
