package inspector

import (
	"strings"

	"winnow/ui/theme"
)

// Hide hides secrets in a page. What is said and what the model does not get of it are one text, whatever
// was put between them, so that a secret in which a cut begins is found as well.
func Hide(s theme.Secrets, p Page) (Page, int) {
	var out Page
	hidden := 0
	for len(p) > 0 {
		n := 1
		for ofMessage(p[0].Kind) && n < len(p) && (ofMessage(p[n].Kind) || p[n].Kind == Added) {
			n++
		}
		var text strings.Builder
		for _, part := range p[:n] {
			if ofMessage(part.Kind) || n == 1 {
				text.WriteString(part.Text)
			}
		}
		spans, at := s.In(text.String()), 0
		hidden += len(spans)
		for _, part := range p[:n] {
			if n > 1 && !ofMessage(part.Kind) {
				inserted, more := s.Hide(part.Text)
				out.Add(part.Kind, inserted)
				hidden += more
				continue
			}
			spans = out.without(part, at, spans)
			at += len(part.Text)
		}
		p = p[n:]
	}
	return out, hidden
}

// ofMessage reports whether a kind is that of a message's own text.
func ofMessage(t Kind) bool { return t == Said || t == Unsent }

// without adds a segment that begins at byte at of a text, with a sign where one of the text's spans begins.
// It returns the spans that go on or begin behind it.
func (p *Page) without(part Segment, at int, spans [][2]int) [][2]int {
	end, from := at+len(part.Text), at
	var b strings.Builder
	for len(spans) > 0 && spans[0][0] < end {
		if spans[0][0] >= at {
			b.WriteString(part.Text[from-at:spans[0][0]-at] + theme.Redacted)
		}
		if from = min(spans[0][1], end); spans[0][1] > end {
			break
		}
		spans = spans[1:]
	}
	b.WriteString(part.Text[from-at:])
	p.Add(part.Kind, b.String())
	return spans
}

// HideEach hides secrets in every segment by itself: a page with as many segments.
func HideEach(s theme.Secrets, p Page) (Page, int) {
	out, hidden := make(Page, len(p)), 0
	for i, part := range p {
		text, n := s.Hide(part.Text)
		out[i] = Segment{part.Kind, text}
		hidden += n
	}
	return out, hidden
}
