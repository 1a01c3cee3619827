package theme

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

func TestEveryPaletteIsWhole(t *testing.T) {
	roles := BuiltIn()[Dark]
	for name, p := range BuiltIn() {
		if key, wrong := p.Check(); wrong != "" {
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
	dark, light := BuiltIn()[Dark], BuiltIn()[Light]
	set := Set{Own: map[string]Palette{"mine": {"base": "light", "you": "#112233"}, "bare": {"you": "5"}}}
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
		set.Light = c.light
		if _, p, _ := set.palette(c.name); p["you"] != c.you || p["seen"] != c.seen {
			t.Errorf("theme %q on a light background %v: you %s, seen %s, want %s and %s", c.name, c.light, p["you"],
				p["seen"], c.you, c.seen)
		}
	}
	set.Plain = true
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
		if key, wrong := c.p.Check(); key != c.key || (wrong == "") != (c.key == "") {
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
		p := BuiltIn()[name]
		for _, profile := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
			shown := func(role string) color.Color { return profile.Convert(lipgloss.Color(p.on(profile, role))) }
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
			c := BuiltIn()[name].on(colorprofile.ANSI256, role)
			if r, g, b, _ := lipgloss.Color(c).RGBA(); r != g || g != b {
				t.Errorf("%s: %s is %s", name, role, c)
			}
		}
	}
}
