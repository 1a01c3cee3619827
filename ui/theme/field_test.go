package theme

import (
	"strings"
	"testing"
	"unicode/utf8"

	"winnow/ui/uitest"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"
)

func TestFieldIsEditedWhereTheCursorStands(t *testing.T) {
	for _, c := range []struct {
		text string
		keys string
		want string // | is the cursor
	}{
		{"bread", "home x", "x|bread"},
		{"bread", "left left delete", "bre|d"},
		{"two words", "ctrl+w", "two |"},
		{"two words", "alt+backspace ctrl+w", "|"},
		{"two words", "left ctrl+u", "|s"},
		{"two words", "home ctrl+right", "two| words"},
		{"two words", "ctrl+left ctrl+left right", "t|wo words"},
		{"日本語", "left backspace", "日|語"},
		{"", "backspace delete left right ctrl+w", "|"},
	} {
		f := NewField(c.text)
		for _, name := range strings.Fields(c.keys) {
			if !f.Typed(uitest.Key(name)) {
				t.Errorf("%q: %s is no key of the line", c.text, name)
			}
		}
		line := []rune(f.Text())
		at := f.input.Position()
		if got := string(line[:at]) + "|" + string(line[at:]); got != c.want {
			t.Errorf("%q after %s: got %q, want %q", c.text, c.keys, got, c.want)
		}
	}
}

func TestFieldHoldsOneLineAndShowsItsCursor(t *testing.T) {
	keys := []string{
		"backspace", "delete", "left", "right", "home", "end", "ctrl+w", "ctrl+left", "ctrl+right", "x", "space",
	}
	rapid.Check(t, func(rt *rapid.T) {
		f := NewField(rapid.String().Draw(rt, "text"))
		for range rapid.IntRange(0, 20).Draw(rt, "n") {
			if rapid.Bool().Draw(rt, "paste") {
				f.Typed(tea.KeyPressMsg{Code: tea.KeyExtended, Text: rapid.String().Draw(rt, "pasted")})
			} else {
				f.Typed(uitest.Key(rapid.SampledFrom(keys).Draw(rt, "key")))
			}
			w := rapid.IntRange(1, 30).Draw(rt, "w")
			shown, x := f.View(w)
			switch {
			case !utf8.ValidString(f.Text()) || strings.ContainsAny(f.Text(), "\n\r\t\x1b"):
				rt.Fatalf("the line is %q", f.Text())
			case x < 0 || x >= w || Width(shown) > w:
				rt.Fatalf("in %d cells %q shows as %q with the cursor in cell %d", w, f.Text(), shown, x)
			}
		}
	})
}
