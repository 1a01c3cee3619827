package ui

import (
	"image/color"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestTheTerminalsBackgroundDecidesAboutColours(t *testing.T) {
	for _, c := range []struct {
		fgbg  string
		light bool
	}{
		{"", false},
		{"15;0", false},
		{"0;15", true},
		{"0;default;15", true},
		{"0;7", true},
		{"7;8", false},
		{"12;default", false},
		{"0;", false},
		{"15", true},
		{"0;-1", false},
		{"0;99", false},
	} {
		m := fresh(t, 80, 24)
		m.Update(tea.EnvMsg{"COLORFGBG=" + c.fgbg})
		if m.themes.Light != c.light {
			t.Errorf("with COLORFGBG=%s the background is light: %t, want %t", c.fgbg, m.themes.Light, c.light)
		}
	}
	m := fresh(t, 80, 24)
	m.Update(tea.EnvMsg{"COLORFGBG=0;15"})
	m.Update(tea.BackgroundColorMsg{Color: color.Black})
	if m.themes.Light {
		t.Error("the terminal's own answer does not count")
	}
}
