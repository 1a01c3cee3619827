package inspector

import (
	"fmt"
	"strings"
)

// Page is a text on its way to a pager.
type Page []Segment

// Add adds a text of a kind.
func (p *Page) Add(t Kind, text string) {
	if text != "" {
		*p = append(*p, Segment{t, text})
	}
}

// Line adds a line; a text of others is made safe by the pager.
func (p *Page) Line(t Kind, format string, args ...any) {
	p.Add(t, fmt.Sprintf(format, args...)+"\n")
}

// Heading adds a title with a blank line above, and remarks about it behind it.
func (p *Page) Heading(title string, facts ...string) {
	if len(*p) > 0 {
		p.Add(Quiet, "\n")
	}
	p.Add(Title, title)
	if len(facts) > 0 {
		p.Add(Quiet, "  "+strings.Join(facts, " · "))
	}
	p.Add(Quiet, "\n")
}

// Block adds a text that ends with its line.
func (p *Page) Block(t Kind, text string) {
	if text != "" {
		p.Add(t, text)
		p.Add(Quiet, "\n")
	}
}

// text is all of it.
func (p Page) text() string {
	var b strings.Builder
	for _, s := range p {
		b.WriteString(s.Text)
	}
	return b.String()
}
