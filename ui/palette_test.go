package ui

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"winnow/ui/theme"
)

func TestEveryPaletteIsWhole(t *testing.T) {
	for name, p := range theme.BuiltIn() {
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
	own := theme.Set{Own: map[string]theme.Palette{"mine": {Base: "light", You: "#112233"}, "nord": {You: "5"}}}
	for _, c := range []struct {
		name      theme.Name
		light     bool
		you, seen theme.Colour
	}{
		{"mine", false, "#112233", theme.BuiltIn()[theme.Light].Seen},
		{"nord", false, "5", theme.BuiltIn()[theme.Dark].Seen},
		{"nord", true, "5", theme.BuiltIn()[theme.Light].Seen},
		{"auto", true, theme.BuiltIn()[theme.Light].You, theme.BuiltIn()[theme.Light].Seen},
		{"", false, theme.BuiltIn()[theme.Dark].You, theme.BuiltIn()[theme.Dark].Seen},
		{"gone", false, theme.BuiltIn()[theme.Dark].You, theme.BuiltIn()[theme.Dark].Seen},
	} {
		own.Light = c.light
		if _, p := own.Palette(c.name); p.You.On(colorprofile.TrueColor) != c.you.On(colorprofile.TrueColor) || p.Seen != c.seen {
			t.Errorf("theme %q on a light background %v: you %s, seen %s, want %s and %s", c.name, c.light, p.You, p.Seen, c.you, c.seen)
		}
	}
	if got, _ := (theme.Set{Plain: true, Own: own.Own}).Palette("mine"); got != theme.None {
		t.Errorf("where colours are off, the theme mine is %q", got)
	}
}

func TestAPaletteSaysWhatIsWrongWithIt(t *testing.T) {
	for _, c := range []struct {
		p   theme.Palette
		key string
	}{
		{theme.Palette{Base: "grey"}, "base"},
		{theme.Palette{You: "red"}, "you"},
		{theme.Palette{You: "#12345"}, "you"},
		{theme.Palette{You: "#+12345"}, "you"},
		{theme.Palette{You: "256"}, "you"},
		{theme.Palette{You: "007"}, "you"},
		{theme.Palette{You: "#123456 7 8 9"}, "you"},
		{theme.Palette{Cut: "bald"}, "cut"},
		{theme.Palette{Base: "light", You: "#aBcDeF", Cut: "255", Muted: "#123456 247 faint", Seen: "bold"}, ""},
	} {
		if key, wrong := c.p.Check(); key != c.key || (wrong == "") != (c.key == "") {
			t.Errorf("%+v: %q %q, want %q", c.p, key, wrong, c.key)
		}
	}
}

func TestThemesAreTriedOutInTheirList(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	l.themes.Wanted = theme.Dark
	l.restyle()
	l.types("/theme")
	l.press("enter")
	l.shows("solarized-light")
	l.press("down")
	if l.themes.Styles.Name == theme.Dark {
		t.Error("the theme under the cursor is not tried out")
	}
	l.press("esc")
	if l.themes.Styles.Name != theme.Dark {
		t.Errorf("esc left the theme %s", l.themes.Styles.Name)
	}
	l.types("/theme nord")
	l.press("enter")
	l.shows("The theme is nord")
	if l.themes.Styles.Name != "nord" {
		t.Errorf("the theme is %s, want nord", l.themes.Styles.Name)
	}
	l.types("/theme pink")
	l.press("enter")
	l.shows("There is no theme pink")
	if names := theme.Names(); !slices.Contains(names, "nord") || strings.Join(names[:2], " ") != "auto dark" {
		t.Errorf("the themes are offered as %v", names)
	}
}
