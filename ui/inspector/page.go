package inspector

import (
	"fmt"
	"math"
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
	runes, inserted, at := []rune(text), e.Inserted, 0
	take := func(k Kind, end int) {
		end = max(at, min(end, len(runes)))
		p.add(k, string(runes[at:end]))
		at = end
	}
	upTo := func(k Kind, end int) {
		for ; len(inserted) > 0 && inserted[0].At <= end; inserted = inserted[1:] {
			take(k, inserted[0].At)
			p.add(Added, inserted[0].Text)
		}
		take(k, end)
	}
	for _, c := range e.Cuts {
		upTo(Sent, c.From)
		upTo(Unsent, c.To)
	}
	upTo(Sent, math.MaxInt)
	return p
}

// Hide returns a page without its secrets, and how many they were. It is searched as one text without what stands in
// the cuts of a message, so that a secret in which a cut begins is found as well. Each is replaced where it begins.
func Hide(s theme.Secrets, p Page) (Page, int) {
	inCut := func(k Kind) bool { return k == Marker || k == Added || k == Aside }
	var text strings.Builder
	for _, part := range p {
		if !inCut(part.Kind) {
			text.WriteString(part.Text)
		}
	}
	secrets := s.In(text.String())
	hidden, out, at := len(secrets), make(Page, 0, len(p)), 0
	for _, part := range p {
		if inCut(part.Kind) {
			shown, n := s.Hide(part.Text)
			out, hidden = append(out, Segment{part.Kind, shown}), hidden+n
			continue
		}
		shown, from, end := "", at, at+len(part.Text)
		for len(secrets) > 0 && secrets[0][0] < end {
			if begin := secrets[0][0]; begin >= at {
				shown += part.Text[from-at:begin-at] + theme.Redacted
			}
			from = min(end, secrets[0][1])
			if secrets[0][1] > end {
				break // It goes on in the next part.
			}
			secrets = secrets[1:]
		}
		out = append(out, Segment{part.Kind, shown + part.Text[from-at:]})
		at = end
	}
	return out, hidden
}
