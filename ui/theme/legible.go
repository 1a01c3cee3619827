package theme

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// The least contrast of the roles with what they stand on, as ratios of WCAG 2.1: 1 is none, 21 is black on white.
const (
	leastText      = 4.5 // on the page, the tint and the selection
	leastFaint     = 3
	leastGhost     = 1.9
	leastRule      = 1.35
	leastSelection = 1.15
	leastTint      = 1.08
)

// The shares of the text's colour in the grounds that are mixed from the terminal's background. The selection has less
// of it where text could not be read on it.
const (
	tintShare      = 0.05
	selectionShare = 0.12
	leastShare     = 0.08
	shareStep      = 0.01
)

// on is the palette for a terminal that says what its background is, and shows 24-bit or 256 colours. The grounds are mixed
// from the background. What does not stand out from them, or from the page, becomes lighter or darker until it does.
func (p Palette) on(page color.Color, profile colorprofile.Profile) Palette {
	s := surface{page: page, text: p.Text.shown(profile), profile: profile}
	texts := []*Colour{
		&p.Text, &p.Strong, &p.Muted, &p.Seen, &p.You, &p.Cut, &p.Pinned, &p.Recalled, &p.Repaired,
		&p.Keyword, &p.String, &p.Function, &p.Number,
	}
	readable := func(ground Colour) bool {
		return !slices.ContainsFunc(texts, func(c *Colour) bool { return contrast(c.shown(profile), ground.shown(profile)) < leastText })
	}
	if !s.keeps(p.Tint, leastTint) {
		p.Tint = s.ground(tintShare, leastTint)
	}
	if !s.keeps(p.Selection, leastSelection) {
		share := selectionShare
		for share > leastShare && !readable(s.mixed(share)) {
			share -= shareStep
		}
		p.Selection = s.ground(share, leastSelection)
	}
	for _, c := range texts {
		*c = s.against(*c, p.Selection.shown(profile), leastText)
	}
	p.Faint = s.against(p.Faint, page, leastFaint)
	p.Ghost = s.against(p.Ghost, page, leastGhost)
	p.Rule = s.against(p.Rule, page, leastRule)
	return p
}

// surface is what the colours of a palette are chosen for: the background of a terminal, and the colours that it shows.
type surface struct {
	page    color.Color
	text    color.Color
	profile colorprofile.Profile
}

// dark says that the page is darker than the text.
func (s surface) dark() bool { return luminance(s.page) < luminance(s.text) }

// visible says that a ground has such a contrast with the page, and lies between that and the text.
func (s surface) visible(ground Colour, least float64) bool {
	g := ground.shown(s.profile)
	return contrast(g, s.page) >= least && luminance(g) > luminance(s.page) == s.dark()
}

// keeps says that a ground stays as the palette has it: its number for 256 colours was chosen by eye.
func (s surface) keeps(ground Colour, least float64) bool {
	return s.profile == colorprofile.ANSI256 && s.visible(ground, least)
}

// mixed is the page with a share of the text's colour in it.
func (s surface) mixed(share float64) Colour { return mix(s.page, s.text, share).near(s.profile) }

// ground is the page with at least such a share of the text's colour in it, and with more of it where it would not be seen.
func (s surface) ground(share, least float64) Colour {
	for share < 1 && !s.visible(s.mixed(share), least) {
		share += shareStep
	}
	return s.mixed(share)
}

// against is a colour with so much black or white in it that it has such a contrast with what is behind it.
func (s surface) against(c Colour, behind color.Color, least float64) Colour {
	from, to := c.shown(s.profile), color.Color(color.Black)
	if s.dark() {
		to = color.White
	}
	for share := shareStep; share <= 1 && contrast(c.shown(s.profile), behind) < least; share += shareStep {
		c = mix(from, to, share).near(s.profile)
	}
	return c
}

// mix is one colour with a share of another one in it.
func mix(from, to color.Color, share float64) Colour {
	r, g, b, _ := from.RGBA()
	x, y, z, _ := to.RGBA()
	part := func(from, to uint32) int {
		return int((float64(from)*(1-share)+float64(to)*share)/257 + 0.5)
	}
	return Colour(fmt.Sprintf("#%02x%02x%02x", part(r, x), part(g, y), part(b, z)))
}

// near is a mixed colour as such a terminal has it.
func (c Colour) near(profile colorprofile.Profile) Colour { return Colour(c.On(profile)) }

// shown is the colour as such a terminal shows it.
func (c Colour) shown(profile colorprofile.Profile) color.Color {
	return profile.Convert(lipgloss.Color(c.On(profile)))
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

// contrast is the ratio of two colours as WCAG 2.1 defines it, 1 to 21.
func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
