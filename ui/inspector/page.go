package inspector

import (
	"fmt"
	"strings"

	"winnow/history"
	"winnow/ui/theme"
)

// Kind is what a segment of a text is, which decides how it is drawn.
type Kind uint8

// The kinds. What a color says, a mark left of the text or bold letters say as well.
const (
	Plain   Kind = iota // text that is read, whatever is sent
	Title               // the screen's own headings
	Quiet               // the screen's own remarks
	Warning             // the same, where something is wrong
	Changed             // what only one side of a comparison has
	Glyph               // the glyph of a verdict: it stands left of its line
	Verdict             // a verdict in words, in the color of that glyph
	Aside               // a remark at the right end of its line
	Drawn               // a line of the screen that is drawn already

	// A row that holds one of these has a mark on its left; of several kinds the last one here decides which.

	Sent   // text of a message that is sent
	Unsent // text that the model does not get
	Marker // text of winnow's own in the place of what is not sent
	Added  // other text that nobody said
)

// Segment is a part of a text in one kind. Segments follow each other on one line until one holds a newline.
type Segment struct {
	Kind Kind
	Text string
}

// Page is a text in segments, on its way to a pager.
type Page []Segment

// add adds a text of a kind.
func (p *Page) add(k Kind, text string) {
	if text != "" {
		*p = append(*p, Segment{k, text})
	}
}

// line adds a line.
func (p *Page) line(k Kind, format string, args ...any) { p.add(k, fmt.Sprintf(format, args...)+"\n") }

// heading adds a title with a blank line above, and remarks about it behind it.
func (p *Page) heading(title string, facts ...string) {
	if len(*p) > 0 {
		p.add(Quiet, "\n")
	}
	p.add(Title, title)
	p.line(Quiet, "  %s", strings.Join(facts, " · "))
}

// block adds a text that ends with its line.
func (p *Page) block(k Kind, text string) {
	if text != "" {
		p.add(k, text)
		p.add(Quiet, "\n")
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

// SegmentsOf is a message's text in segments: what is sent, what is not, and what is sent instead.
func SegmentsOf(text string, e history.Entry) (p Page) {
	if !e.Sent() {
		return Page{{Unsent, text}}
	}
	runes, cuts, at := []rune(text), e.Cuts, 0
	take := func(k Kind, end int) {
		end = max(at, min(end, len(runes)))
		p.add(k, string(runes[at:end]))
		at = end
	}
	upTo := func(end int) {
		for len(cuts) > 0 && cuts[0].From < end {
			take(Sent, cuts[0].From)
			take(Unsent, min(end, cuts[0].To))
			if cuts[0].To > end {
				return
			}
			cuts = cuts[1:]
		}
		take(Sent, end)
	}
	for _, in := range e.Inserted {
		upTo(in.At)
		p.add(Added, in.Text)
	}
	upTo(len(runes))
	return p
}

// Hide returns a page without its secrets, and how many they were. The text of a message is searched as one text,
// whatever stands in its cuts, so that a secret in which a cut begins is found as well.
func Hide(s theme.Secrets, p Page) (Page, int) {
	var out Page
	hidden := 0
	for len(p) > 0 {
		n := 1
		for p[0].ofMessage() && n < len(p) && p[n].Kind >= Aside {
			n++
		}
		text := ""
		for _, part := range p[:n] {
			if part.ofMessage() {
				text += part.Text
			}
		}
		secrets, at := s.In(text), 0
		hidden += len(secrets)
		for _, part := range p[:n] {
			if !part.ofMessage() {
				shown, more := s.Hide(part.Text)
				out, hidden = append(out, Segment{part.Kind, shown}), hidden+more
				continue
			}
			out = append(out, Segment{part.Kind, without(part.Text, at, secrets)})
			at += len(part.Text)
		}
		p = p[n:]
	}
	return out, hidden
}

// ofMessage reports whether a segment is a message's own text.
func (s Segment) ofMessage() bool { return s.Kind == Sent || s.Kind == Unsent }

// without is the part of a text that begins at byte at, without the text's secrets. A secret is replaced where it
// begins.
func without(part string, at int, secrets [][2]int) string {
	shown, from := "", 0
	for _, s := range secrets {
		begin, end := max(0, s[0]-at), min(s[1]-at, len(part))
		if begin >= len(part) || end <= 0 {
			continue
		}
		shown += part[from:begin]
		if s[0] >= at {
			shown += theme.Redacted
		}
		from = end
	}
	return shown + part[from:]
}
