package theme

import (
	"image/color"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/ui/uitest"
)

func TestFitIsExactlyAsWideAsAsked(t *testing.T) {
	for _, s := range []string{
		"", "plain", "longer than the width", "漢字漢字漢字", "👩‍💻 works", "a\u070f",
		"\u0600", "e\u0301",
	} {
		for width := range 12 {
			if got := ansi.StringWidth(Fit(s, width)); got != width {
				t.Errorf("fit(%q, %d) is %d cells wide", s, width, got)
			}
		}
	}
}

func TestLayKeepsTheWidthOfTheLine(t *testing.T) {
	for _, under := range []string{
		"", "short", "a line of exactly thirty cells", "漢字漢字漢字漢字漢字漢字漢字漢",
		"draft \u070f\u0600 with signs in it", "👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻",
	} {
		for x := range 25 { // up to the right end
			screen := []string{Fit(under, 30)}
			Overlay(screen, Box{x, 0, 6, 1}, []string{"╭────╮"})
			if got := ansi.StringWidth(screen[0]); got != 30 {
				t.Errorf("a box at %d over %q makes %q, %d cells wide, want 30", x, under, screen[0], got)
			}
			if got := ansi.Strip(screen[0]); ansi.StringWidth(got[:strings.Index(got, "╭")]) != x {
				t.Errorf("a box at %d over %q stands in another column: %q", x, under, got)
			}
		}
	}
}

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

func TestNumbersInWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Thousands(5312), "5,312"},
		{Thousands(-1234567), "−1,234,567"},
		{Signed(37), "+37"},
		{Size(999), "999 B"},
		{Size(8100), "8.1 kB"},
		{Size(2_000_000), "2.0 MB"},
		{Plural(1, "line"), "1 line"},
		{Plural(0, "line"), "0 lines"},
		{PluralOf(2, "secret is", "secrets are"), "2 secrets are"},
		{JoinAnd([]string{"2", "3", "4"}), "2, 3 and 4"},
		{JoinAnd(nil), ""},
		{Duration(1900 * time.Millisecond), "1.9 s"},
		{Duration(185 * time.Second), "3 m 05 s"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestEveryPaletteIsWhole(t *testing.T) {
	roles := BuiltInPalettes()[Dark]
	for name, p := range BuiltInPalettes() {
		if key, wrong := p.Validate(); wrong != "" {
			t.Errorf("%s: %s %s", name, key, wrong)
		}
		for role := range roles {
			if p[role] == "" {
				t.Errorf("the theme %s has no colour for %s", name, role)
			}
		}
	}
}

func TestAThemeOfTheUsersTakesTheRestFromItsBase(t *testing.T) {
	dark, light := BuiltInPalettes()[Dark], BuiltInPalettes()[Light]
	set := Selection{Custom: map[string]Palette{"mine": {"base": "light", "you": "#112233"}, "bare": {"you": "5"}}}
	for _, c := range []struct {
		name      Name
		light     bool
		you, seen string
	}{
		{"mine", false, "#112233", light["seen"]},
		{"bare", true, "5", light["seen"]},
		{"auto", true, light["you"], light["seen"]},
		{"gone", false, dark["you"], dark["seen"]},
	} {
		set.LightBackground = c.light
		if _, p, _ := set.palette(c.name); p["you"] != c.you || p["seen"] != c.seen {
			t.Errorf("theme %q on a light background %v: you %s, seen %s, want %s and %s", c.name, c.light, p["you"],
				p["seen"], c.you, c.seen)
		}
	}
	set.NoColour = true
	if got, _, _ := set.palette("mine"); got != None {
		t.Errorf("where colours are off, the theme mine is %q", got)
	}
}

func TestAPaletteSaysWhatIsWrongWithIt(t *testing.T) {
	for _, c := range []struct {
		p   Palette
		key string
	}{
		{Palette{"base": "grey"}, "base"},
		{Palette{"yuo": "5"}, "yuo"},
		{Palette{"you": "red"}, "you"},
		{Palette{"you": "#12345"}, "you"},
		{Palette{"you": "256"}, "you"},
		{Palette{"you": "#123456 7 8 9"}, "you"},
		{Palette{"base": "light", "you": "#aBcDeF", "cut": "255", "muted": "#123456 247 faint", "seen": "bold"}, ""},
	} {
		if key, wrong := c.p.Validate(); key != c.key || (wrong == "") != (c.key == "") {
			t.Errorf("%+v: %q %q, want %q", c.p, key, wrong, c.key)
		}
	}
}

// luminance is how bright a colour is, 0 to 1, as WCAG 2.1 defines it.
func luminance(c color.Color) float64 {
	linear := func(part uint32) float64 {
		v := float64(part) / 0xffff
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	r, g, b, _ := c.RGBA()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// Texts can be read on the grounds of their theme, and on the backgrounds of terminals as they come and of colour
// schemes that many people use: their contrast is 4.5:1 or more.
func TestTextsCanBeRead(t *testing.T) {
	for name, pages := range map[Name]string{
		Dark:  "#000000 #15171b #1e1e1e #282828 #282c34 #2e3440 #002b36 #1e1e2e #300a24 #333333",
		Light: "#ffffff #fcfcfa #fdf6e3 #eff1f5 #fbf1c7 #f2f2f2",
	} {
		p := BuiltInPalettes()[name]
		for _, profile := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
			shown := func(role string) color.Color {
				return profile.Convert(lipgloss.Color(p.colourFor(profile, role)))
			}
			grounds := []color.Color{shown("tint"), shown("selection")}
			for page := range strings.FieldsSeq(pages) {
				grounds = append(grounds, lipgloss.Color(page))
			}
			for text := range strings.FieldsSeq("text strong muted seen you cut pinned recalled repaired keyword " +
				"string function number") {
				for _, ground := range grounds {
					x, y := luminance(shown(text)), luminance(ground)
					if contrast := (max(x, y) + 0.05) / (min(x, y) + 0.05); contrast < 4.5 {
						t.Errorf("%s, %v: %s on %v has a contrast of %.2f", name, profile, text, ground, contrast)
					}
				}
			}
		}
	}
}

// Greys are exactly grey on a terminal with 256 colours: the colour next to a bluish grey is a teal.
func TestGreysStayGrey(t *testing.T) {
	for _, name := range []Name{Dark, Light} {
		for role := range strings.FieldsSeq("text strong muted faint rule tint selection ghost") {
			c := BuiltInPalettes()[name].colourFor(colorprofile.ANSI256, role)
			if r, g, b, _ := lipgloss.Color(c).RGBA(); r != g || g != b {
				t.Errorf("%s: %s is %s", name, role, c)
			}
		}
	}
}

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
			if !f.HandleKey(uitest.Key(name)) {
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
				f.HandleKey(tea.KeyPressMsg{Code: tea.KeyExtended, Text: rapid.String().Draw(rt, "pasted")})
			} else {
				f.HandleKey(uitest.Key(rapid.SampledFrom(keys).Draw(rt, "key")))
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

func TestWrappedLinesFit(t *testing.T) {
	for _, s := range []string{"\n " + strings.Repeat("x", 18), " " + strings.Repeat("x", 18) + " y", "a\n   " +
		strings.Repeat("日", 9), "\U0001BCA0" + strings.Repeat("x", 18), "\n \U0001BCA0" + strings.Repeat("x", 18)} {
		lines := Wrap(s, 18)
		for _, line := range lines {
			if n := ansi.StringWidth(line); n > 18 {
				t.Errorf("%q wraps to a line of %d cells: %q", s, n, line)
			}
		}
		letters := strings.NewReplacer(" ", "", "\n", "")
		if got, want := letters.Replace(strings.Join(lines, "")), letters.Replace(s); got != want {
			t.Errorf("%q wraps to %q", s, lines)
		}
	}
}

func TestSpeakerIsSafeAndShort(t *testing.T) {
	for role, want := range map[history.Role]string{
		history.User: "you", history.Assistant: "model", history.System: "system", history.Tool: "tool",
		"": "?", "narrator": "narrator", "a\x1b]0;x\x07b": "a␛]0;x␇b", "two\nlines": "two lines",
		"a very long role indeed": "a very long…",
	} {
		if got := Speaker(role); got != want {
			t.Errorf("the speaker of %q is %q, want %q", role, got, want)
		}
	}
}

// A secret at the end of what a line reads is redacted as a whole.
func TestALineShowsNoPartOfASecret(t *testing.T) {
	const secret = "sk-0123456789"
	s := Secrets{Find: func(text string, _ bool) (spans [][2]int) {
		if at := strings.Index(text, secret); at >= 0 {
			spans = append(spans, [2]int{at, at + len(secret)})
		}
		return spans
	}}
	for blanks := range 1100 {
		text := strings.Repeat(" ", blanks) + secret
		if got := strings.TrimSpace(s.RedactLine(text)); got != Redacted && got != "" {
			t.Fatalf("a secret behind %d spaces shows as %q", blanks, got)
		}
	}
}
