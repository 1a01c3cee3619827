package ui

import (
	"image/color"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/theme"
)

func TestAThemeIsChosenInItsList(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	l.Themes.Wanted, l.Themes.Own = theme.Dark, map[string]theme.Palette{"mine": {"you": "5"}}
	l.restyle()
	l.picks("theme")
	l.shows("the terminal's own sixteen colours")
	l.types("mine")
	l.press("enter")
	l.shows("The theme is mine")
	if l.Themes.Styles.Name != "mine" {
		t.Errorf("the theme is %s, want mine", l.Themes.Styles.Name)
	}
}

func TestTheTerminalsBackgroundDecidesAboutColours(t *testing.T) {
	t.Parallel()
	m := fresh(t, 80, 24)
	m.Themes.Wanted, m.Themes.Plain = theme.Auto, false
	for background, want := range map[color.Color]theme.Name{color.White: theme.Light, color.Black: theme.Dark} {
		if m.Update(tea.BackgroundColorMsg{Color: background}); m.Themes.Styles.Name != want {
			t.Errorf("on %v the theme is %s, want %s", background, m.Themes.Styles.Name, want)
		}
	}
}
