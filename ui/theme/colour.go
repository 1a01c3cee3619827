package theme

import (
	"fmt"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Colour is how one role looks on each kind of terminal, as up to three words: "#rrggbb" for one with 24-bit colours,
// then "0" to "255" for one with 256, then for one with 16 "0" to "15" or an attribute: "bold", "faint" or "default",
// which is none. What is missing for 256 colours follows from the first, and what is missing for 16 is said by the
// theme's base: the nearest of sixteen colours may be any.
type Colour string

// The attributes that stand in the place of a colour.
const (
	asBold    = "bold"
	asFaint   = "faint"
	asDefault = "default"
)

// On is what of a colour counts for a terminal: "#rrggbb", a number or an attribute.
func (c Colour) On(profile colorprofile.Profile) string {
	words := strings.Fields(string(c))
	switch {
	case len(words) == 0:
		return asDefault
	case profile <= colorprofile.ANSI && len(words) > 2:
		return words[2]
	case profile == colorprofile.ANSI256:
		return nearGrey(words[min(1, len(words)-1)])
	}
	return words[0]
}

// over is the colour, with what it does not say, all of it or that for 16 colours, from another one.
func (c Colour) over(base Colour) Colour {
	words, under := strings.Fields(string(c)), strings.Fields(string(base))
	if len(words) == 0 {
		return base
	}
	if len(words) > 2 || !strings.HasPrefix(words[0], "#") || len(under) < 3 {
		return c
	}
	return Colour(words[0] + " " + words[len(words)-1] + " " + under[2])
}

// Shows says that the colour is one on such a terminal, not an attribute or none.
func (c Colour) Shows(profile colorprofile.Profile) bool {
	word := c.On(profile)
	return word != asBold && word != asFaint && word != asDefault
}

// foreground is the style of text in the colour.
func (c Colour) foreground(profile colorprofile.Profile) lipgloss.Style {
	plain := lipgloss.NewStyle()
	switch word := c.On(profile); word {
	case asBold:
		return plain.Bold(true)
	case asFaint:
		return plain.Faint(true)
	case asDefault:
		return plain
	default:
		return plain.Foreground(lipgloss.Color(word))
	}
}

// background is the style of text on the colour.
func (c Colour) background(profile colorprofile.Profile) lipgloss.Style {
	if !c.Shows(profile) {
		return c.foreground(profile)
	}
	return lipgloss.NewStyle().Background(lipgloss.Color(c.On(profile)))
}

// wrong says what is wrong with a colour of the user's own, "" for nothing.
func (c Colour) wrong() string {
	words := strings.Fields(string(c))
	for _, word := range words {
		attribute := word == asBold || word == asFaint || word == asDefault
		if len(words) > 3 || !isColour(word) && !attribute {
			return fmt.Sprintf("is %q; must be a colour such as \"#6fd3c3\", or 0 to 255 in quotes for one of the "+
				"terminal's; "+
				"with more than one, for terminals with 24-bit, 256 and 16 colours: \"#6fd3c3 80 14\"", string(c))
		}
	}
	return ""
}

// isColour says whether a text is "#rrggbb" or a number from 0 to 255.
func isColour(text string) bool {
	if hex, ok := strings.CutPrefix(text, "#"); ok {
		_, err := strconv.ParseUint(hex, 16, 24)
		return err == nil && len(hex) == 6
	}
	n, err := strconv.ParseUint(text, 10, 8)
	return err == nil && strconv.FormatUint(n, 10) == text
}

// greyest is how far the parts of a colour are apart, of 255, so that it still looks grey.
const greyest = 40

// nearGrey is the number of the terminal's grey that is next to a colour that looks grey, and any other colour as it
// is: what converts colours to 256 takes the next one of all, and that is a teal for a bluish grey.
func nearGrey(hex string) string {
	if !strings.HasPrefix(hex, "#") {
		return hex
	}
	r, g, b, _ := lipgloss.Color(hex).RGBA()
	r, g, b = r>>8, g>>8, b>>8
	if max(r, g, b)-min(r, g, b) > greyest {
		return hex
	}
	const first, step, steps = 8, 10, 24 // the greys are 232 to 255, of 8, 18 … 238 parts of 255
	mean := int(r+g+b) / 3
	return strconv.Itoa(232 + min(max(0, (mean-first+step/2)/step), steps-1))
}
