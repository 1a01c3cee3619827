package ui

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"
)

func TestFieldIsEditedWhereTheCursorStands(t *testing.T) {
	for _, c := range []struct {
		text string
		keys string
		want string // | is the cursor
	}{
		{"bread", "backspace", "brea|"},
		{"bread", "home x", "x|bread"},
		{"bread", "left left delete", "bre|d"},
		{"two words", "ctrl+w", "two |"},
		{"two words  ", "ctrl+w", "two |"},
		{"two words", "alt+backspace ctrl+w", "|"},
		{"two words", "left ctrl+u", "|s"},
		{"two words", "home ctrl+right", "two| words"},
		{"two words", "ctrl+left ctrl+left right", "t|wo words"},
		{"日本語", "left backspace", "日|語"},
		{"a👩‍🚀b", "left backspace", "a|b"},
		{"", "backspace delete left right ctrl+w", "|"},
	} {
		f := fieldOf(c.text)
		for _, name := range strings.Fields(c.keys) {
			if !f.typed(keyNamed(name)) {
				t.Errorf("%q: %s is no key of the line", c.text, name)
			}
		}
		if got := f.text[:f.at] + "|" + f.text[f.at:]; got != c.want {
			t.Errorf("%q after %s: got %q, want %q", c.text, c.keys, got, c.want)
		}
	}
}

func TestFieldHoldsOneLineAndShowsItsCursor(t *testing.T) {
	keys := []string{"backspace", "delete", "left", "right", "home", "end", "ctrl+w", "ctrl+left", "ctrl+right", "x", "space"}
	rapid.Check(t, func(rt *rapid.T) {
		f := fieldOf(rapid.String().Draw(rt, "text"))
		for range rapid.IntRange(0, 20).Draw(rt, "n") {
			if rapid.Bool().Draw(rt, "paste") {
				f.typed(tea.KeyPressMsg{Code: tea.KeyExtended, Text: rapid.String().Draw(rt, "pasted")})
			} else {
				f.typed(keyNamed(rapid.SampledFrom(keys).Draw(rt, "key")))
			}
			w := rapid.IntRange(1, 30).Draw(rt, "w")
			shown, x := f.view(w)
			switch {
			case f.at < 0 || f.at > len(f.text) || !utf8.ValidString(f.text) || !utf8.ValidString(f.text[:f.at]):
				rt.Fatalf("the cursor is at byte %d of %q", f.at, f.text)
			case strings.ContainsAny(f.text, "\n\r\t\x1b"):
				rt.Fatalf("the line is %q", f.text)
			case x < 0 || x >= w || fitWidth(shown) > w:
				rt.Fatalf("in %d cells %q shows as %q with the cursor in cell %d", w, f.text, shown, x)
			}
		}
	})
}
