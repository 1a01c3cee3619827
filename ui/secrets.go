package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// hidePage hides secrets in a page. What is said and what the model does not get of it are one text, whatever
// was put between them, so that a secret in which a cut begins is found as well.
func hidePage(s theme.Secrets, p page) (page, int) {
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
		spans, at := s.In(text.String()), 0
		hidden += len(spans)
		for _, part := range p[:n] {
			if n > 1 && !ofMessage(part.tone) {
				inserted, more := s.Hide(part.text)
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
			b.WriteString(part.text[from-at:spans[0][0]-at] + theme.Redacted)
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

// hideEach hides secrets in every passage by itself: a page with as many passages.
func hideEach(s theme.Secrets, p page) (page, int) {
	out, hidden := make(page, len(p)), 0
	for i, part := range p {
		text, n := s.Hide(part.text)
		out[i] = passage{part.tone, text}
		hidden += n
	}
	return out, hidden
}

// reveal shows what looks like a secret, or hides it again.
func (m *Model) reveal() tea.Cmd {
	m.secrets.Revealed = !m.secrets.Revealed
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
	if m.secrets.Revealed {
		said = "What looks like a secret is shown; " + m.keys.First(keymap.Reveal) + " hides it."
	}
	return tea.Batch(m.say(said), m.lookAgain())
}

// hiddenLine says how many secrets a page does not show.
func (m *Model) hiddenLine(n int) page {
	var p page
	if n > 0 {
		p.line(warnTone, "! %s hidden in this view; %s shows what only looks like one.", theme.PluralOf(n, "secret is", "secrets are"), m.keys.First(keymap.Reveal))
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
			hidden, n := hideEach(s, p)
			return pageMsg{wish, hidden, n, first}
		}
		hidden, n := hidePage(s, p)
		return pageMsg{wish, hidden, n, first}
	}
	if size <= mostAtOnce || s.Find == nil {
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
