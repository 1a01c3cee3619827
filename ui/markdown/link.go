package markdown

import (
	"fmt"
	"html"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// link adds a link. One that leads nowhere from a terminal is its text.
func (in *inline) link(n ast.Node, destination string) {
	address := Visible(unescaped(destination))
	said := html.UnescapeString(in.plainText(n))
	before := len(in.runs)
	target := safeAddress(address)
	in.linked(target, func() {
		in.children(n)
		if len(in.runs) == before || strings.TrimSpace(said) == "" {
			in.add(address)
			said = address
		}
	})
	if absolute(address) && bare(said) != bare(address) && (!in.style.Links || target == "" || looksLikeAddress(said)) {
		in.add(" (" + address + ")")
	}
}

// linked has f add text that opens an address, "" for none.
func (in *inline) linked(address string, f func()) {
	before := in.look
	if address != "" {
		in.look.attrs |= underlined
		if in.style.Links {
			in.look.link = address
		}
	}
	f()
	in.look = before
}

// autoLink adds an address that stands for itself.
func (in *inline) autoLink(n *ast.AutoLink) {
	address := string(n.URL(in.source))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(address), "mailto:") {
		address = "mailto:" + address
	}
	in.linked(safeAddress(Visible(address)), func() { in.add(Visible(string(n.Label(in.source)))) })
}

// image adds what an image shows, as text.
func (in *inline) image(n ast.Node, destination string) {
	address := Visible(unescaped(destination))
	before := in.look
	in.look.role = mutedRole
	alt := strings.TrimSpace(unescaped(in.plainText(n)))
	if alt == "" {
		alt = address
	}
	target := safeAddress(address)
	in.linked(target, func() { in.add("image: " + alt) })
	if absolute(address) && alt != address && (!in.style.Links || target == "") {
		in.add(" (" + address + ")")
	}
	in.look = before
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

// maxAddress is the longest address that a terminal is asked to open, in bytes; several refuse longer ones.
const maxAddress = 2000

// safeAddress returns an address as a terminal may open it, "" for one that it may not: pages and mail
// alone, and nothing but printable ASCII. Others would start a program of the reader's. An address with a
// control character in it, which Visible has named, is none.
func safeAddress(address string) string {
	u, err := url.Parse(address)
	named := func(r rune) bool { return r == '<' || r >= 0x2400 && r <= 0x2421 }
	if err != nil || len(address) > maxAddress || strings.ContainsFunc(address, named) {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Host == "" {
			return ""
		}
	case "mailto":
	default:
		return ""
	}
	var b strings.Builder
	for i := range len(address) {
		if c := address[i]; c > ' ' && c < 0x7f {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// looksLikeAddress tells whether a reader may take text for an address: then another one behind it is
// shown.
func looksLikeAddress(text string) bool {
	text = strings.TrimSpace(text)
	return strings.Contains(text, "://") || strings.HasPrefix(text, "www.") ||
		!strings.Contains(text, " ") && strings.Contains(strings.Trim(text, "."), ".") && strings.Contains(text, "/") ||
		strings.Contains(text, "@")
}

// bare returns an address without what a reader does not miss: the usual scheme and a slash at
// the end.
func bare(address string) string {
	for _, scheme := range []string{"https://", "mailto:"} {
		address = strings.TrimPrefix(address, scheme)
	}
	return strings.TrimSuffix(address, "/")
}
