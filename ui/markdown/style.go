package markdown

import (
	"charm.land/glamour/v2/ansi"
	"charm.land/lipgloss/v2"
	xansi "github.com/charmbracelet/x/ansi"
)

// Style is how the parts of a text look. Each colour is "#rrggbb", the number of one of the terminal's own, or an
// attribute that stands in its place: "bold", "faint" or "default", which is none. The program's renderer reduces
// colours to what the terminal can show. The zero Style has attributes alone.
type Style struct {
	Text   string
	Strong string // headings, bold text, code within a sentence
	Muted  string // numbers and bullets of lists, the language of a code block, comments in it
	Faint  string // the line beside a quote, the line beside code without a ground
	Rule   string // the line under the head of a table

	// Of code. They are chosen to be read on the tint.
	Keyword, String, Function, Number string
	Deleted, Inserted                 string // the lines of a diff

	Tint  string // the ground under code; "" where the terminal shows none: a line or backticks mark code then
	Links bool   // the terminal opens links (OSC 8): else the address is shown after the text
}

// ink is the escape sequence that begins a colour, "" for none.
type ink string

// newInk returns the ink of a colour on a ground, "" for no ground.
func newInk(colour, ground string) ink {
	var s xansi.Style
	switch colour {
	case "", "default":
	case "bold":
		s = s.Bold()
	case "faint":
		s = s.Faint()
	default:
		s = s.ForegroundColor(lipgloss.Color(colour))
	}
	if ground != "" {
		s = s.BackgroundColor(lipgloss.Color(ground))
	}
	if len(s) == 0 {
		return ""
	}
	return ink(s.String())
}

func (i ink) paint(text string) string {
	if i == "" || text == "" {
		return text
	}
	return string(i) + text + xansi.ResetStyle
}

// leaves returns the style for glamour. It is not faint anywhere, because glamour ignores that.
func (s Style) leaves() ansi.StyleConfig {
	yes := true
	block := func(colour string, bold, underlined *bool) (b ansi.StyleBlock) {
		b.Bold, b.Underline = bold, underlined
		switch colour {
		case "", "default", "faint":
		case "bold":
			b.Bold = &yes
		default:
			b.Color = &colour
		}
		return b
	}
	styles := ansi.StyleConfig{
		Document:      block(s.Text, nil, nil),
		H1:            block(s.Strong, &yes, &yes),
		H2:            block(s.Strong, &yes, nil),
		H3:            block(s.Text, &yes, nil),
		Strong:        block(s.Strong, &yes, nil).StylePrimitive,
		Emph:          ansi.StylePrimitive{Italic: &yes},
		Strikethrough: ansi.StylePrimitive{CrossedOut: &yes},
		LinkText:      ansi.StylePrimitive{Underline: &yes},
	}
	if s.Tint != "" {
		styles.Code = block(s.Strong, nil, nil)
		styles.Code.BackgroundColor = &s.Tint
	}
	return styles
}
