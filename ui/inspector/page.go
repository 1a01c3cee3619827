package inspector

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"winnow/history"
	"winnow/ui/theme"
)

// Kind is what a paragraph is, which decides how it is drawn.
type Kind uint8

// The kinds. What a color says, a mark left of the text or bold letters say as well.
const (
	Plain   Kind = iota // text that is read, whatever is sent
	Quiet               // the screen's own remarks
	Warning             // the same, where something is wrong
	Verdict             // a verdict in words, in the color of the glyph left of it
	Drawn               // a line of the screen that is drawn already

	// These have a mark on the left of each row.

	Sent   // text of a message that is sent
	Unsent // text that the model does not get
	Marker // text of winnow's own in the place of what is not sent
	Added  // other text that nobody said
)

// Paragraph is a text of one kind. It begins on a line of its own.
type Paragraph struct {
	Kind  Kind
	Mark  string // the glyph of a verdict, left of the first row
	Title string // stands in front of the text
	Text  string
	Aside string // stands at the right end of the first line
}

// Page is a text in paragraphs, on its way to a pager. Secrets are taken out of what is added to it.
type Page struct {
	secrets    theme.Secrets
	hidden     int // how many secrets were taken out
	paragraphs []Paragraph
}

// hide returns a text without its secrets.
func (p *Page) hide(text string) string {
	shown, n := p.secrets.Hide(text)
	p.hidden += n
	return shown
}

// add adds a paragraph.
func (p *Page) add(of Paragraph) {
	of.Title, of.Text = p.hide(of.Title), p.hide(of.Text)
	p.paragraphs = append(p.paragraphs, of)
}

// line adds a line.
func (p *Page) line(k Kind, format string, args ...any) {
	p.add(Paragraph{Kind: k, Text: fmt.Sprintf(format, args...)})
}

// heading adds a title with a blank line above, and remarks about it behind it.
func (p *Page) heading(title string, facts ...string) {
	p.line(Quiet, "")
	p.add(Paragraph{Kind: Quiet, Title: title, Text: "  " + strings.Join(facts, " · ")})
}

// block adds a text, where there is one.
func (p *Page) block(k Kind, text string) {
	if text != "" {
		p.add(Paragraph{Kind: k, Text: text})
	}
}

// message adds the text of a message: what is sent of it, what is not, and what is sent instead.
func (p *Page) message(text string, e history.Entry) {
	secrets := p.secrets.In(text)
	p.hidden += len(secrets)
	at, characters := 0, 0
	take := func(k Kind, end int) {
		from := at
		for ; characters < end && at < len(text); characters++ {
			_, n := utf8.DecodeRuneInString(text[at:])
			at += n
		}
		if shown := theme.Without(secrets, text, from, at); shown != "" {
			p.paragraphs = append(p.paragraphs, Paragraph{Kind: k, Text: shown})
		}
	}
	inserted := e.Inserted
	takeTo := func(k Kind, end int) {
		for ; len(inserted) > 0 && inserted[0].At <= end; inserted = inserted[1:] {
			take(k, inserted[0].At)
			p.insert(inserted[0], e.Cuts)
		}
		take(k, end)
	}
	if !e.Sent() {
		take(Unsent, math.MaxInt)
		return
	}
	for _, c := range e.Cuts {
		takeTo(Sent, c.From)
		takeTo(Unsent, c.To)
	}
	takeTo(Sent, math.MaxInt)
}

// insert adds what is sent beside the text of a message. In the place of a cut it is a marker.
func (p *Page) insert(in history.Insert, cuts []history.Range) {
	added := Paragraph{Kind: Added, Text: in.Text}
	if slices.ContainsFunc(cuts, func(c history.Range) bool { return c.From <= in.At && in.At <= c.To }) {
		added.Kind = Marker
		added.Aside = "added in place, " + theme.Plural(utf8.RuneCountInString(in.Text), "character")
	}
	p.add(added)
}

// text is all of it.
func (p *Page) text() string {
	var b strings.Builder
	for _, of := range p.paragraphs {
		b.WriteString(of.Title + of.Text + "\n")
	}
	return b.String()
}
