package markdown

import (
	"charm.land/glamour/v2/ansi"
)

// Style is the colours that text is rendered in, each "#rrggbb" or the number of one of the
// terminal's own. The program's renderer reduces them to what the terminal can show. Styles are
// compared with ==.
type Style struct {
	Heading, Code, Link, Quote, Muted string

	Syntax string // the name of Chroma's style for code blocks
}

// Plain writes no escape sequence at all: what colour would say, its signs say.
var Plain = Style{}

// config is the style as glamour takes it. The document has no colour and no margin: with a colour
// glamour pads every line with coloured spaces, five times the bytes for nothing to see.
func (s Style) config() ansi.StyleConfig {
	c := ansi.StyleConfig{
		H1:    ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: "# "}},
		H2:    ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: "## "}},
		H3:    ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: "### "}},
		H4:    ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: "#### "}},
		H5:    ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: "##### "}},
		H6:    ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: "###### "}},
		Table: ansi.StyleTable{CenterSeparator: new("┼"), ColumnSeparator: new("│"), RowSeparator: new("─")},
	}
	c.ImageText.Format = "image: {{.text}}"
	if s == Plain {
		c.Strikethrough = ansi.StylePrimitive{BlockPrefix: "~~", BlockSuffix: "~~"}
		c.Code.StylePrimitive = ansi.StylePrimitive{Prefix: "`", Suffix: "`"}
		return c
	}
	c.Heading.StylePrimitive = ansi.StylePrimitive{Bold: new(true), Color: &s.Heading}
	c.Emph = ansi.StylePrimitive{Italic: new(true)}
	c.Strong = ansi.StylePrimitive{Bold: new(true)}
	c.Strikethrough = ansi.StylePrimitive{CrossedOut: new(true)}
	c.Code.StylePrimitive = ansi.StylePrimitive{Color: &s.Code}
	c.LinkText = ansi.StylePrimitive{Color: &s.Link, Underline: new(true)}
	c.Link = ansi.StylePrimitive{Color: &s.Muted}
	c.Image = ansi.StylePrimitive{Color: &s.Muted}
	c.ImageText.Color = &s.Muted
	return c
}
