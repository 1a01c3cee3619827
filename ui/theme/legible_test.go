package theme

import (
	"cmp"
	"image/color"
	"reflect"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// pages are what the terminals of a theme's users look like, by theme.
var pages = map[Name]string{
	Dark: "#15171b", Light: "#fcfcfa", "gruvbox": "#282828", "nord": "#2e3440", "catppuccin": "#1e1e2e", "solarized-light": "#fdf6e3",
}

// Backgrounds of terminals as they come, and of colour schemes that many people use.
var (
	darkPages  = strings.Fields("#000000 #0c0c0c #15171b #1e1e1e #1d1f21 #222222 #282828 #282c34 #2e3440 #002b36 #300a24 #1a1b26 #24283b #1e1e2e #303446 #333333 #3c3f41")
	lightPages = strings.Fields("#ffffff #fcfcfa #fdf6e3 #eff1f5 #f2f2f2 #eeeeee #fbf1c7 #fffbdd #e1e2e7 #e4e4e4 #d5d6db")
)

var profiles = []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256}

// legible reports every role of a palette that cannot be read, or not be seen, on such a page.
func legible(t *testing.T, name Name, p Palette, page color.Color, profile colorprofile.Profile) {
	t.Helper()
	least := map[string]float64{"faint": leastFaint, "ghost": 1.8, "rule": 1.2, "tint": 1.05, "selection": leastSelection}
	v := reflect.ValueOf(p)
	for i := range v.NumField() {
		c, ok := v.Field(i).Interface().(Colour)
		if !ok {
			continue
		}
		role := v.Type().Field(i).Tag.Get("toml")
		grounds, want := []color.Color{page, p.Tint.shown(profile), p.Selection.shown(profile)}, leastText
		if less, ok := least[role]; ok {
			grounds, want = grounds[:1], less
		}
		for _, ground := range grounds {
			if got := contrast(c.shown(profile), ground); got < want {
				t.Errorf("%s on %v, %v: %s %s on %v has a contrast of %.2f, want %.2f", name, page, profile, role, c.On(profile), ground, got, want)
			}
		}
	}
}

func TestEveryThemeCanBeRead(t *testing.T) {
	t.Parallel()
	for name := range BuiltIn() {
		page, ok := pages[name]
		if !ok {
			t.Errorf("nobody says what background the theme %s is for", name)
			continue
		}
		_, p := Set{}.Palette(name)
		for _, profile := range profiles {
			legible(t, name, p, lipgloss.Color(page), profile)
		}
	}
}

func TestDarkAndLightSuitTheTerminal(t *testing.T) {
	t.Parallel()
	for _, profile := range profiles {
		for _, page := range slices.Concat(darkPages, lightPages) {
			s := Set{Light: slices.Contains(lightPages, page), Background: lipgloss.Color(page), Profile: profile}
			name, p := s.Palette(Auto)
			legible(t, name, p, s.Background, profile)
			if got := contrast(p.Tint.shown(profile), s.Background); got < leastTint {
				t.Errorf("%s on %s, %v: the tint has a contrast of %.2f, want %.2f", name, page, profile, got, leastTint)
			}
		}
	}
}

func TestWhatStandsOutStaysAsItIs(t *testing.T) {
	t.Parallel()
	for name, base := range BuiltIn() {
		if name != Dark && name != Light {
			continue
		}
		for _, profile := range profiles {
			s := Set{Light: name == Light, Background: lipgloss.Color(pages[name]), Profile: profile}
			_, p := s.Palette(name)
			p.Tint, p.Selection = base.Tint, base.Selection
			if p != base {
				t.Errorf("%s on its own page, %v:\n%+v, want\n%+v", name, profile, p, base)
			}
		}
	}
	// The themes that are not the usual one of the terminal, and the colours of the user's own, are nobody else's business.
	s := Set{Background: color.Black, Profile: colorprofile.TrueColor, Own: map[string]Palette{"mine": {You: "#030303", Tint: "#020202"}}}
	if _, p := s.Palette(Light); p != BuiltIn()[Light] {
		t.Errorf("the light theme on a dark page: %+v", p)
	}
	if _, p := s.Palette("mine"); p.You.On(s.Profile) != "#030303" || p.Tint.On(s.Profile) != "#020202" {
		t.Errorf("own colours became %s and %s", p.You, p.Tint)
	}
}

// grey says that a colour has no hue.
func grey(c color.Color) bool {
	r, g, b, _ := c.RGBA()
	return r == g && g == b
}

// What is nearly grey is exactly grey where there are 256 colours, and no colour at all but the black, white and greys
// where there are 16; what has a meaning by its hue keeps one.
func TestGreysStayGreyAndHuesStayHues(t *testing.T) {
	t.Parallel()
	greys := strings.Fields("text strong muted faint rule tint selection ghost")
	hues := strings.Fields("seen you cut pinned recalled repaired")
	for _, light := range []bool{false, true} {
		for name := range BuiltIn() {
			_, p := Set{Light: light}.Palette(name)
			v := reflect.ValueOf(p)
			for i := range v.NumField() {
				c, ok := v.Field(i).Interface().(Colour)
				if !ok {
					continue
				}
				role := v.Type().Field(i).Tag.Get("toml")
				cream := name == "gruvbox" && (role == "text" || role == "strong") // as it is known
				if got := c.shown(colorprofile.ANSI256); !cream && slices.Contains(greys, role) != grey(got) && (slices.Contains(greys, role) || slices.Contains(hues, role)) {
					t.Errorf("%s with 256 colours: %s is %s, %v", name, role, c.On(colorprofile.ANSI256), got)
				}
				few := c.On(colorprofile.ANSI)
				switch {
				case slices.Contains(greys, role):
					ok = slices.Contains(strings.Fields("default bold faint 8"), few)
				case slices.Contains(hues, role):
					ok = slices.Contains(strings.Fields("1 2 3 4 5 6 9 12 13 14 bold"), few)
				default:
					ok = few == asDefault
				}
				if !ok {
					t.Errorf("%s with 16 colours: %s is %s", name, role, few)
				}
			}
		}
	}
}

// What each role writes to a terminal with few colours or none.
func TestRolesWithFewColours(t *testing.T) {
	t.Parallel()
	style := func(name Name, s Set) Styles {
		s.Wanted = name
		s.Restyle()
		return s.Styles
	}
	few := Set{Profile: colorprofile.ANSI}
	columns := []Styles{
		style(Dark, few), style(Light, few), style("gruvbox", few),
		style(Terminal, Set{Profile: colorprofile.TrueColor, Light: true, Background: color.White}),
		style(Dark, Set{Profile: colorprofile.ASCII, Plain: true}),
	}
	for _, c := range []struct {
		role string
		of   func(Styles) lipgloss.Style
		want string // dark, light, gruvbox with 16 colours, the theme terminal on a light page, NO_COLOR
	}{
		{"text", func(s Styles) lipgloss.Style { return s.Text }, "- - - - -"},
		{"strong", func(s Styles) lipgloss.Style { return s.Strong }, "1 1 1 1 1"},
		{"muted", func(s Styles) lipgloss.Style { return s.Muted }, "2 2 2 2 2"},
		{"faint", func(s Styles) lipgloss.Style { return s.Faint }, "90 90 90 90 2"},
		{"lines", func(s Styles) lipgloss.Style { return s.Lines }, "90 90 90 90 2"},
		{"ghost", func(s Styles) lipgloss.Style { return s.Ghost }, "90 90 90 90 2"},
		{"tint", func(s Styles) lipgloss.Style { return s.Tint }, "- - - - -"},
		{"selected", func(s Styles) lipgloss.Style { return s.Selected }, "1 1 1 1 1"},
		{"seen", func(s Styles) lipgloss.Style { return s.Seen }, "32 32 32 32 -"},
		{"you", func(s Styles) lipgloss.Style { return s.You }, "94 34 94 34 1"},
		{"cut", func(s Styles) lipgloss.Style { return s.Cut }, "33 1 33 1 1"},
		{"pinned", func(s Styles) lipgloss.Style { return s.Pinned }, "95 35 95 35 -"},
		{"recalled", func(s Styles) lipgloss.Style { return s.Recalled }, "96 36 96 36 -"},
		{"repaired", func(s Styles) lipgloss.Style { return s.Repaired }, "91 31 91 31 -"},
		{"error", func(s Styles) lipgloss.Style { return s.Error }, "91 31 91 31 1"},
		{"match", func(s Styles) lipgloss.Style { return s.Match }, "4;32;4 4;32;4 4;32;4 4;32;4 4;4"},
		{"found", func(s Styles) lipgloss.Style { return s.Found }, "1;4;33;4 1;4;4 1;4;33;4 1;4;4 4;4"},
		{"hit", func(s Styles) lipgloss.Style { return s.Hit }, "1;7 1;7 1;7 1;7 1;7"},
		{"keyword", func(s Styles) lipgloss.Style { return s.Keyword }, "- - - - -"},
	} {
		var got []string
		for _, st := range columns {
			if st.Tinted {
				t.Fatalf("%s has tints", st.Name)
			}
			opens, _, _ := strings.Cut(c.of(st).Render("x"), "x")
			got = append(got, cmp.Or(strings.TrimSuffix(strings.TrimPrefix(opens, "\x1b["), "m"), "-"))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s is %s, want %s", c.role, got, c.want)
		}
	}
}
