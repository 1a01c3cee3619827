package ui

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestFitIsExactlyAsWideAsAsked(t *testing.T) {
	for _, s := range []string{"", "plain", "longer than the width", "漢字漢字漢字", "👩‍💻 works", "a\u070f", "\u0600", "e\u0301"} {
		for width := range 12 {
			if got := ansi.StringWidth(fit(s, width)); got != width {
				t.Errorf("fit(%q, %d) is %d cells wide", s, width, got)
			}
		}
	}
}
