package theme

import (
	"image/color"
	"math"
	"reflect"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

func TestEveryPaletteIsWhole(t *testing.T) {
	for name, p := range BuiltIn() {
		if key, wrong := p.Check(); wrong != "" {
			t.Errorf("%s: %s %s", name, key, wrong)
		}
		v := reflect.ValueOf(p)
		for i := range v.NumField() {
			if role := v.Type().Field(i).Tag.Get("toml"); v.Field(i).String() == "" && role != "base" {
				t.Errorf("the theme %s has no colour for %s", name, role)
			}
		}
	}
}

func TestAThemeOfTheUsersTakesTheRestFromItsBase(t *testing.T) {
	own := Set{Own: map[string]Palette{"mine": {Base: "light", You: "#112233"}, "bare": {You: "5"}}}
	for _, c := range []struct {
		name      Name
		light     bool
		you, seen Colour
	}{
		{"mine", false, "#112233", BuiltIn()[Light].Seen},
		{"bare", false, "5", BuiltIn()[Dark].Seen},
		{"bare", true, "5", BuiltIn()[Light].Seen},
		{"auto", true, BuiltIn()[Light].You, BuiltIn()[Light].Seen},
		{"", false, BuiltIn()[Dark].You, BuiltIn()[Dark].Seen},
		{"gone", false, BuiltIn()[Dark].You, BuiltIn()[Dark].Seen},
	} {
		own.Light = c.light
		if _, p := own.Palette(c.name); p.You.On(colorprofile.TrueColor) != c.you.On(colorprofile.TrueColor) ||
			p.Seen != c.seen {
			t.Errorf("theme %q on a light background %v: you %s, seen %s, want %s and %s", c.name, c.light, p.You,
				p.Seen, c.you, c.seen)
		}
	}
	if got, _ := (Set{Plain: true, Own: own.Own}).Palette("mine"); got != None {
		t.Errorf("where colours are off, the theme mine is %q", got)
	}
}

func TestAPaletteSaysWhatIsWrongWithIt(t *testing.T) {
	for _, c := range []struct {
		p   Palette
		key string
	}{
		{Palette{Base: "grey"}, "base"},
		{Palette{You: "red"}, "you"},
		{Palette{You: "#12345"}, "you"},
		{Palette{You: "#+12345"}, "you"},
		{Palette{You: "256"}, "you"},
		{Palette{You: "007"}, "you"},
		{Palette{You: "#123456 7 8 9"}, "you"},
		{Palette{Cut: "bald"}, "cut"},
		{Palette{Base: "light", You: "#aBcDeF", Cut: "255", Muted: "#123456 247 faint", Seen: "bold"}, ""},
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
			shown := func(c Colour) color.Color { return profile.Convert(lipgloss.Color(c.On(profile))) }
			grounds := []color.Color{shown(p.Tint), shown(p.Selection)}
			for page := range strings.FieldsSeq(pages) {
				grounds = append(grounds, lipgloss.Color(page))
			}
			for _, text := range []Colour{
				p.Text, p.Strong, p.Muted, p.Seen, p.You, p.Cut, p.Pinned, p.Recalled, p.Repaired,
				p.Keyword, p.String, p.Function, p.Number,
			} {
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

// What is nearly grey is exactly grey on a terminal with 256 colours: the colour next to a bluish grey is a teal.
func TestGreysStayGrey(t *testing.T) {
	for name, p := range BuiltIn() {
		for _, c := range []Colour{
			p.Text, p.Strong, p.Muted, p.Faint, p.Rule, p.Tint, p.Selection,
			p.Ghost, "#9aa0ac",
		} {
			if r, g, b, _ := lipgloss.Color(c.On(colorprofile.ANSI256)).RGBA(); r != g || g != b {
				t.Errorf("%s: %s is %s", name, c, c.On(colorprofile.ANSI256))
			}
		}
	}
}
