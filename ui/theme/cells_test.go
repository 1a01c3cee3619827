package theme

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
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
		for x := range 24 {
			screen := []string{Fit(under, 30)}
			Lay(screen, Box{x, 0, 6, 1}, []string{"╭────╮"})
			if got := ansi.StringWidth(screen[0]); got != 30 {
				t.Errorf("a box at %d over %q makes %q, %d cells wide, want 30", x, under, screen[0], got)
			}
			if got := ansi.Strip(screen[0]); ansi.StringWidth(got[:strings.Index(got, "╭")]) != x {
				t.Errorf("a box at %d over %q stands in another column: %q", x, under, got)
			}
		}
	}
}
