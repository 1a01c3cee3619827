package theme

import "testing"

func TestOpensLinks(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{map[string]string{"TERM": "xterm-256color"}, false},
		{map[string]string{"TERM": "linux"}, false},
		{nil, false},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, false},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, true},
		{map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "7600"}, true},
		{map[string]string{"TERM": "xterm-256color", "KONSOLE_VERSION": "230401"}, true},
		{map[string]string{"TERM": "xterm-kitty"}, true},
		{map[string]string{"TERM": "foot-extra"}, true},
		{map[string]string{"TERM": "alacritty"}, true},
		{map[string]string{"TERM": "xterm-256color", "WT_SESSION": "x"}, true},
		{map[string]string{"TERM": "tmux-256color", "TMUX": "/tmp/x", "VTE_VERSION": "7600"}, false},
		{map[string]string{"TERM": "screen.xterm-kitty", "KITTY_WINDOW_ID": "1"}, false},
	} {
		if got := OpensLinks(func(key string) string { return c.env[key] }); got != c.want {
			t.Errorf("OpensLinks with %v is %v, want %v", c.env, got, c.want)
		}
	}
}
