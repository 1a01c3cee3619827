package theme

import (
	"strings"
	"testing"
)

func TestOpensLinks(t *testing.T) {
	for env, want := range map[string]bool{
		"":                                       false,
		"TERM=linux":                             false,
		"TERM=xterm-256color":                    false,
		"TERM_PROGRAM=Apple_Terminal":            false,
		"TERM_PROGRAM=iTerm.app":                 true,
		"TERM=xterm-256color VTE_VERSION=7600":   true,
		"TERM=xterm-kitty":                       true,
		"TERM=foot-extra":                        true,
		"TERM=tmux-256color VTE_VERSION=7600":    false,
		"TMUX=/tmp/x TERM=xterm-kitty":           false,
		"TERM=screen.xterm-kitty WEZTERM_PANE=1": false,
	} {
		if got := OpensLinks(func(key string) string {
			_, value, _ := strings.Cut(" "+env, " "+key+"=")
			value, _, _ = strings.Cut(value, " ")
			return value
		}); got != want {
			t.Errorf("OpensLinks with %q is %v, want %v", env, got, want)
		}
	}
}
