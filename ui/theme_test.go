package ui

import (
	"image/color"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/theme"
)

func TestThemesAreTriedOutInTheirList(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	l.themes.Wanted, l.themes.Own = theme.Dark, map[string]theme.Palette{"mine": {"you": "5"}}
	l.restyle()
	l.picks("theme")
	l.shows("the terminal's own sixteen colours")
	l.press("down")
	if l.themes.Styles.Name == theme.Dark {
		t.Error("the theme under the cursor is not tried out")
	}
	l.press("esc")
	if l.themes.Styles.Name != theme.Dark {
		t.Errorf("esc left the theme %s", l.themes.Styles.Name)
	}
	l.picks("theme")
	l.types("mine")
	l.press("enter")
	l.shows("The theme is mine")
	if l.themes.Styles.Name != "mine" {
		t.Errorf("the theme is %s, want mine", l.themes.Styles.Name)
	}
}

func TestTheTerminalsBackgroundDecidesAboutColours(t *testing.T) {
	t.Parallel()
	m := fresh(t, 80, 24)
	m.themes.Wanted, m.themes.Plain = theme.Auto, false
	for background, want := range map[color.Color]theme.Name{color.White: theme.Light, color.Black: theme.Dark} {
		if m.Update(tea.BackgroundColorMsg{Color: background}); m.themes.Styles.Name != want {
			t.Errorf("on %v the theme is %s, want %s", background, m.themes.Styles.Name, want)
		}
	}
}
