package markdown

import (
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Style is how the parts of a text look. Each colour is "#rrggbb", the number of one of the
// terminal's own, or an attribute that stands in its place: "bold", "faint" or "default", which
// is none. The program's renderer reduces colours to what the terminal can show. Styles are compared
// with ==.
type Style struct {
	Text   string
	Strong string // headings, bold text, code within a sentence
	Muted  string // numbers and bullets of lists, the language of a code block, comments in it
	Faint  string // the line beside a quote, the sign of a wrapped line of code
	Rule   string // the line under the head of a table

	Keyword, String, Function string // of code; they are chosen to be read on the tint

	Tint  string // the ground under code; "" where the terminal shows none: a line or backticks say it then
	Links bool   // the terminal opens links (OSC 8): else the address is shown after the text
}

// Plain writes no escape sequence at all: what a font would say, the signs of Markdown say. It is
// for text that no terminal shows.
var Plain = Style{}

// role is a colour of a Style.
type role uint8

const (
	textRole role = iota
	strongRole
	mutedRole
	faintRole
	ruleRole
	keywordRole
	stringRole
	functionRole
	roles
)

// attrs is a set of attributes.
type attrs uint8

const (
	bold attrs = 1 << iota
	italic
	underlined
	struck
	tinted
	allAttrs
)

// look is how a piece of text looks.
type look struct {
	role  role
	attrs attrs
	link  string // the address that it opens, "" for none
}

// painter writes text in its look. It keeps the sequences that it has made.
type painter struct {
	style Style
	known [int(roles) * int(allAttrs)]string // "" for not made yet, reset for none
}

const reset = "\x1b[m"

// sequence returns the escape sequence that begins a look, "" for none; the link has one of its own.
func (p *painter) sequence(l look) string {
	i := int(l.role)*int(allAttrs) + int(l.attrs)
	if p.known[i] == "" {
		p.known[i] = p.made(l)
	}
	if p.known[i] == reset {
		return ""
	}
	return p.known[i]
}

// made is sequence for a look that is seen for the first time; reset stands for none.
func (p *painter) made(l look) string {
	if p.style == Plain {
		return reset
	}
	var s ansi.Style
	if l.attrs&bold != 0 {
		s = s.Bold()
	}
	if l.attrs&italic != 0 {
		s = s.Italic(true)
	}
	if l.attrs&underlined != 0 {
		s = s.Underline(true)
	}
	if l.attrs&struck != 0 {
		s = s.Strikethrough(true)
	}
	st := p.style
	colours := [roles]string{st.Text, st.Strong, st.Muted, st.Faint, st.Rule, st.Keyword, st.String, st.Function}
	switch colour := colours[l.role]; colour {
	case "", "default":
	case "bold":
		if l.attrs&bold == 0 {
			s = s.Bold()
		}
	case "faint":
		s = s.Faint()
	default:
		s = s.ForegroundColor(lipgloss.Color(colour))
	}
	if l.attrs&tinted != 0 && st.Tint != "" {
		s = s.BackgroundColor(lipgloss.Color(st.Tint))
	}
	return s.String() // of an empty style it is the reset
}

// paint returns text in a look.
func (p *painter) paint(text string, l look) string {
	start := p.sequence(l)
	if start == "" || text == "" {
		return text
	}
	return start + text + reset
}

// tints tells whether code stands on a ground of its own.
func (p *painter) tints() bool { return p.style.Tint != "" }
