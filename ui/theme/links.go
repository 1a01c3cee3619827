package theme

import (
	"slices"
	"strconv"
	"strings"
)

// OpensLinks tells by the environment whether the terminal opens links (OSC 8). Of one that is not known to, and
// behind a multiplexer, which may drop them, it says no: then the address is shown.
func OpensLinks(env func(key string) string) bool {
	term := env("TERM")
	if env("TMUX") != "" || env("STY") != "" || strings.HasPrefix(term, "screen") || strings.HasPrefix(term, "tmux") {
		return false
	}
	if version, err := strconv.Atoi(env("VTE_VERSION")); err == nil {
		return version >= 5000
	}
	if version, err := strconv.Atoi(env("KONSOLE_VERSION")); err == nil {
		return version >= 201200
	}
	for _, key := range []string{"KITTY_WINDOW_ID", "WEZTERM_PANE", "GHOSTTY_RESOURCES_DIR", "WT_SESSION", "DOMTERM"} {
		if env(key) != "" {
			return true
		}
	}
	if slices.Contains([]string{"iTerm.app", "WezTerm", "ghostty", "vscode", "Hyper", "rio", "Tabby", "mintty"},
		env("TERM_PROGRAM")) {
		return true
	}
	name := strings.TrimPrefix(term, "xterm-")
	for _, known := range []string{"kitty", "ghostty", "alacritty", "foot", "contour", "wezterm", "rio"} {
		if name == known || strings.HasPrefix(name, known+"-") {
			return true
		}
	}
	return false
}
