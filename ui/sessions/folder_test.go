package sessions

import (
	"path/filepath"
	"testing"
)

func TestAFolderBelowHomeIsShownWithATilde(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for dir, want := range map[string]string{
		filepath.Join(home, "parser"): filepath.Join("~", "parser"),
		home:                          "~",
		home + "-of-others":           home + "-of-others",
		"/srv/parser":                 "/srv/parser",
	} {
		if got := shortened(dir); got != want {
			t.Errorf("%s is shown as %s, want %s", dir, got, want)
		}
	}
}
