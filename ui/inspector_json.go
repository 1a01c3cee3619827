package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/inspector"
	"winnow/ui/theme"
)

// bodyMsg is the body of a request, laid out for reading.
type bodyMsg struct {
	wish    int
	text    string
	bytes   int // of the body as it is sent
	secrets int // taken out of the text
	err     error
}

// readJSON reads the bytes of the request on show.
func (m *Model) readJSON() tea.Cmd {
	m.inspector.reads = "encoding the request"
	wish, body, secrets := m.inspector.wish, m.body(), m.secrets
	return func() tea.Msg {
		raw, err := body()
		if err != nil {
			return bodyMsg{wish: wish, err: err}
		}
		text, hidden := inspector.LegibleJSON(raw, secrets)
		return bodyMsg{wish: wish, text: text, bytes: len(raw), secrets: hidden}
	}
}

// body gives the bytes of the request on show.
func (m *Model) body() func() ([]byte, error) {
	r, s := m.panel.Shown(), m.session
	if past := r.Past; past != nil {
		return func() ([]byte, error) { return past.Body, nil }
	}
	plan := r.Plan
	return func() ([]byte, error) { return s.Body(plan) }
}

// bodyRead shows the body, with what the proof says of it.
func (m *Model) bodyRead(msg bodyMsg) tea.Cmd {
	in := &m.inspector
	if msg.wish != in.wish {
		return nil
	}
	if msg.err != nil {
		in.reads = ""
		return m.complain(theme.Sentence(msg.err))
	}
	r := m.panel.Shown()
	var p inspector.Page
	switch {
	case r.Past == nil && r.Note != "":
		p.Line(inspector.Warning, "! It would not be sent: %s", theme.OneSentence(r.Note))
	case r.Past == nil && m.turn.busy:
		p.Line(inspector.Quiet, "The body of the request that is being answered: %s, laid out for reading.", theme.Plural(msg.bytes, "byte"))
	case r.Past == nil:
		p.Line(inspector.Quiet, "The body of the request as it would be sent now: %s, laid out for reading.", theme.Plural(msg.bytes, "byte"))
	case r.Past.Proven:
		p.Line(inspector.Quiet, "✓ proven: these %s have the hash of what was sent. They are laid out for reading.", theme.Plural(msg.bytes, "byte"))
	default:
		p.Line(inspector.Warning, "! not proven to be what was sent: %s", theme.OneSentence(r.Past.Doubt))
	}
	if msg.secrets > 0 {
		p.Line(inspector.Warning, "! %s taken out of this view; the request holds what was written.", theme.PluralOf(msg.secrets, "secret is", "secrets are"))
	}
	p.Add(inspector.Quiet, "\n")
	p.Block(inspector.Said, msg.text)
	m.put(inspector.NewPager(p))
	return nil
}
