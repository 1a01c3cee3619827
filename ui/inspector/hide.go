package inspector

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Hide returns a page without its secrets and with as many segments, and how many they were. What is sent of a
// message and what is not are one text, whatever was put between them, so that a secret in which a cut begins is
// found as well.
func Hide(s theme.Secrets, p Page) (Page, int) {
	var out Page
	hidden := 0
	for len(p) > 0 {
		n := 1
		for ofMessage(p[0].Kind) && n < len(p) && (ofMessage(p[n].Kind) || putIn(p[n].Kind)) {
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
				out = append(out, Segment{part.Kind, inserted})
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
func ofMessage(t Kind) bool { return t == Sent || t == Unsent }

// putIn reports whether a kind is that of what stands in a message's text.
func putIn(t Kind) bool { return t == Added || t == Marker || t == Aside }

// without adds a segment that begins at byte at of a text, with a sign where one of the text's spans begins.
// It returns the spans that go on after it or begin there.
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
	*p = append(*p, Segment{part.Kind, b.String()})
	return spans
}

// withoutSecrets is a repair as it is shown: its texts without secrets, and how many they were.
func withoutSecrets(s theme.Secrets, r history.Repair) (history.Repair, int) {
	hidden := 0
	for _, text := range []*string{&r.Cause.Text, &r.Before, &r.After} {
		n := 0
		*text, n = s.Hide(*text)
		hidden += n
	}
	return r, hidden
}

// hiddenLine says how many secrets a page does not show.
func (in *Model) hiddenLine(n int) Page {
	var p Page
	if n > 0 {
		p.Line(Warning, "! %s hidden in this view; %s shows possible secrets.",
			theme.PluralOf(n, "secret is", "secrets are"), in.Keys.First(keymap.Reveal))
	}
	return p
}

// maxAtOnce is the largest page, in bytes, that is searched for secrets before anything else happens.
const maxAtOnce = 64 << 10

// putPage shows a page without its secrets, from a segment on, -1 for the top.
func (in *Model) putPage(p Page, first int) tea.Cmd {
	size := 0
	for _, part := range p {
		size += len(part.Text)
	}
	number, s := in.Number, in.Secrets
	hide := func() pageMsg {
		page, hidden := Hide(s, p)
		return pageMsg{Answer{Number: number}, page, hidden, first}
	}
	if size <= maxAtOnce || s.Find == nil {
		in.showPage(hide())
		return nil
	}
	in.reads = "reading the text"
	return func() tea.Msg { return hide() }
}

// showPage shows a page, above the history of its message where it is the text of one.
func (in *Model) showPage(msg pageMsg) {
	head := in.hiddenLine(msg.hidden)
	s := NewPager(append(head, msg.page...))
	if msg.first >= 0 {
		s.Show(msg.first + len(head))
	}
	e, judged := in.Plan.EntryOf(in.On.Message)
	s.Wide = judged && e.Role != history.User && e.Role != history.Assistant
	if in.On.Added > 0 || in.At != TextView {
		in.put(s)
		return
	}
	r := &Reading{Pager: s, more: in.Keys.First(keymap.ReadOn)}
	if in.Past == nil && judged {
		r.next, r.saved = &e, in.Plan.Sum.Tokens(e.TokensBefore)-in.Plan.Sum.Tokens(e.TokensAfter)
	}
	if before, ok := in.shown.(*Reading); ok && before.message == in.On.Message {
		r.past = before.past
	}
	r.message = in.On.Message
	in.put(r)
}
