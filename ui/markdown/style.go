package markdown

import (
	"charm.land/glamour/v2/ansi"
)

// Style says for which background text is rendered.
type Style int

// The styles. Plain writes no escape sequence at all: what colour would say, its signs say.
const (
	Dark Style = iota
	Light
	Plain
)

// palette holds the colours of a style as 24-bit values, which the program's renderer brings
// down to what the terminal can show.
type palette struct {
	heading, code, link, quote, muted string
	chroma                            string // the name of chroma's style for code blocks
}

// palette returns the colours of s; those of Plain are empty.
func (s Style) palette() palette {
	switch s {
	case Dark:
		return palette{heading: "#8ab4f8", code: "#f2b880", link: "#7fc8c8", quote: "#a0a8b8", muted: "#8a8f98", chroma: "github-dark"}
	case Light:
		return palette{heading: "#1a4fa3", code: "#9a3d00", link: "#00666b", quote: "#555f6b", muted: "#6a717a", chroma: "github"}
	}
	return palette{}
}

// config is what glamour is told. The document has no colour and no margin: with a colour
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
	p := s.palette()
	c.Heading.StylePrimitive = ansi.StylePrimitive{Bold: new(true), Color: &p.heading}
	c.Emph = ansi.StylePrimitive{Italic: new(true)}
	c.Strong = ansi.StylePrimitive{Bold: new(true)}
	c.Strikethrough = ansi.StylePrimitive{CrossedOut: new(true)}
	c.Code.StylePrimitive = ansi.StylePrimitive{Color: &p.code}
	c.LinkText = ansi.StylePrimitive{Color: &p.link, Underline: new(true)}
	c.Link = ansi.StylePrimitive{Color: &p.muted}
	c.Image = ansi.StylePrimitive{Color: &p.muted}
	c.ImageText.Color = &p.muted
	return c
}
