package theme

import (
	"regexp"
	"slices"
	"strings"
)

// linking are the names of terminals that open links, as TERM has them.
var linking = regexp.MustCompile(`^(xterm-)?(kitty|ghostty|alacritty|foot|contour|wezterm|rio)(-|$)`)

// OpensLinks tells by the environment whether the terminal opens links (OSC 8). Of one that is not known to, and
// behind a multiplexer, which may drop them, it says no: then the address is shown.
func OpensLinks(env func(key string) string) bool {
	term := env("TERM")
	if env("TMUX")+env("STY") != "" || strings.HasPrefix(term, "screen") || strings.HasPrefix(term, "tmux") {
		return false
	}
	for key := range strings.FieldsSeq("VTE_VERSION KONSOLE_VERSION KITTY_WINDOW_ID WEZTERM_PANE " +
		"GHOSTTY_RESOURCES_DIR WT_SESSION DOMTERM") {
		if env(key) != "" {
			return true
		}
	}
	programs := strings.Fields("iTerm.app WezTerm ghostty vscode Hyper rio Tabby mintty")
	return linking.MatchString(term) || slices.Contains(programs, env("TERM_PROGRAM"))
}
