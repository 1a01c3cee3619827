package markdown

import (
	"html"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// noAddress is a destination that glamour does not show.
const noAddress = "#"

// sanitizeLink leaves c the address that is shown after its text: an absolute one that the text does
// not already say. A relative address leads nowhere from a terminal.
func (d *doc) sanitizeLink(c *ast.Link) {
	text := html.UnescapeString(d.plainText(c))
	d.sanitize(c)
	shown := Visible(string(c.Destination))
	if strings.TrimSpace(text) == "" {
		if !c.HasChildren() {
			c.AppendChild(c, d.text(literal(shown)))
		}
		text = shown
	}
	c.Destination = []byte(noAddress)
	if absolute(shown) && bare(text) != bare(shown) {
		c.Destination = []byte(shown)
	}
}

// sanitizeImage is sanitizeLink for an image, which glamour shows by its text and its address.
func (d *doc) sanitizeImage(c *ast.Image) {
	text := d.plainText(c)
	d.sanitize(c)
	shown := Visible(string(c.Destination))
	if strings.TrimSpace(text) == "" {
		c.AppendChild(c, d.text(literal(shown)))
		shown = ""
	}
	c.Destination = nil
	if absolute(shown) {
		c.Destination = []byte(shown)
	}
}

// plainText returns the text inside n as it is written there, without marks.
func (d *doc) plainText(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.Write(c.Segment.Value(d.source))
		case *ast.AutoLink:
			b.Write(c.Label(d.source))
		default:
			b.WriteString(d.plainText(c))
		}
	}
	return b.String()
}

// absolute tells whether address leads somewhere by itself.
func absolute(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.IsAbs()
}

// bare returns an address without what a reader does not miss: the usual scheme and a slash at
// the end.
func bare(address string) string {
	for _, scheme := range []string{"https://", "mailto:"} {
		address = strings.TrimPrefix(address, scheme)
	}
	return strings.TrimSuffix(address, "/")
}
