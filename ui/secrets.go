package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// redactedSign is what stands where a secret was.
const redactedSign = "[redacted]"

// secrets hides secrets in titles, lists and views of requests. The transcript shows what was said as it
// was said. A known key stays hidden, and what looks like a secret is shown while revealed.
type secrets struct {
	find     func(text string, shapes bool) [][2]int // as in Options; nil finds none
	revealed bool
}

func (s secrets) in(text string) [][2]int {
	if s.find == nil || text == "" {
		return nil
	}
	return s.find(text, !s.revealed)
}

// hide returns a text without its secrets, and how many they were.
func (s secrets) hide(text string) (string, int) {
	spans := s.in(text)
	if len(spans) == 0 {
		return text, 0
	}
	var b strings.Builder
	last := 0
	for _, span := range spans {
		b.WriteString(text[last:span[0]] + redactedSign)
		last = span[1]
	}
	return b.String() + text[last:], len(spans)
}

// line is hide for the beginning of a text that is shown in one line: it looks no further than a line is
// long, however long the text is.
func (s secrets) line(text string) string {
	const most = 1 << 10
	hidden, _ := s.hide(text[:min(len(text), most)])
	return hidden
}

// page hides secrets in a page. What is said and what the model does not get of it are one text, whatever
// was put between them, so that a secret in which a cut begins is found as well.
func (s secrets) page(p page) (page, int) {
	var out page
	hidden := 0
	for len(p) > 0 {
		n := 1
		for ofMessage(p[0].tone) && n < len(p) && (ofMessage(p[n].tone) || p[n].tone == addedTone) {
			n++
		}
		var text strings.Builder
		for _, part := range p[:n] {
			if ofMessage(part.tone) || n == 1 {
				text.WriteString(part.text)
			}
		}
		spans, at := s.in(text.String()), 0
		hidden += len(spans)
		for _, part := range p[:n] {
			if n > 1 && !ofMessage(part.tone) {
				inserted, more := s.hide(part.text)
				out.add(part.tone, inserted)
				hidden += more
				continue
			}
			spans = out.without(part, at, spans)
			at += len(part.text)
		}
		p = p[n:]
	}
	return out, hidden
}

// ofMessage reports whether a tone is that of a message's own text.
func ofMessage(t tone) bool { return t == saidTone || t == unsentTone }

// without adds a passage that begins at byte at of a text, with a sign where one of the text's spans begins.
// It returns the spans that go on or begin behind it.
func (p *page) without(part passage, at int, spans [][2]int) [][2]int {
	end, from := at+len(part.text), at
	var b strings.Builder
	for len(spans) > 0 && spans[0][0] < end {
		if spans[0][0] >= at {
			b.WriteString(part.text[from-at:spans[0][0]-at] + redactedSign)
		}
		if from = min(spans[0][1], end); spans[0][1] > end {
			break
		}
		spans = spans[1:]
	}
	b.WriteString(part.text[from-at:])
	p.add(part.tone, b.String())
	return spans
}

// each hides secrets in every passage by itself: a page with as many passages.
func (s secrets) each(p page) (page, int) {
	out, hidden := make(page, len(p)), 0
	for i, part := range p {
		text, n := s.hide(part.text)
		out[i] = passage{part.tone, text}
		hidden += n
	}
	return out, hidden
}

// reveal shows what looks like a secret, or hides it again.
func (m *Model) reveal() tea.Cmd {
	m.secrets.revealed = !m.secrets.revealed
	m.panel.secrets, m.panel.gists = m.secrets, nil
	l := &m.sessions
	l.secrets = m.secrets
	for i := range l.lines {
		elsewhere := l.lines[i].elsewhere
		l.lines[i] = lineOfSession(m.secrets, l.lines[i].Session)
		l.lines[i].elsewhere = elsewhere
	}
	l.fill(l.lines)
	said := "What looks like a secret is hidden."
	if m.secrets.revealed {
		said = "What looks like a secret is shown; " + firstKey(m.keys.Reveal) + " hides it."
	}
	return tea.Batch(m.say(said), m.lookAgain())
}

// hiddenLine says how many secrets a page does not show.
func (m *Model) hiddenLine(n int) page {
	var p page
	if n > 0 {
		p.line(warnTone, "! %s hidden in this view; %s shows what only looks like one.", pluralOf(n, "secret is", "secrets are"), firstKey(m.keys.Reveal))
	}
	return p
}

// mostAtOnce is the largest page, in bytes, that is searched for secrets before anything else happens.
const mostAtOnce = 64 << 10

// pageMsg is a page whose secrets are hidden.
type pageMsg struct {
	wish   int
	page   page
	hidden int
	first  int // the passage to begin at, -1 for the top
}

// putPage shows a page without its secrets. From the passage that it is to begin at, -1 for the top, every
// passage is a text of its own.
func (m *Model) putPage(p page, first int) tea.Cmd {
	size := 0
	for _, part := range p {
		size += len(part.text)
	}
	wish, s := m.inspector.wish, m.secrets
	hide := func() pageMsg {
		if first >= 0 {
			hidden, n := s.each(p)
			return pageMsg{wish, hidden, n, first}
		}
		hidden, n := s.page(p)
		return pageMsg{wish, hidden, n, first}
	}
	if size <= mostAtOnce || s.find == nil {
		return m.pageHidden(hide())
	}
	m.inspector.reads = "reading the text"
	return func() tea.Msg { return hide() }
}

func (m *Model) pageHidden(msg pageMsg) tea.Cmd {
	if msg.wish != m.inspector.wish {
		return nil
	}
	head := m.hiddenLine(msg.hidden)
	s := newSheet(append(head, msg.page...))
	if msg.first >= 0 {
		s.show(msg.first + len(head))
	}
	m.put(s)
	return nil
}
