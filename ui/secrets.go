package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// withoutSecrets is a repair as it is shown: its texts without secrets, and how many they were.
func withoutSecrets(s theme.Secrets, r history.Repair) (history.Repair, int) {
	hidden := 0
	for _, text := range []*string{&r.What, &r.Before, &r.After} {
		n := 0
		*text, n = s.Hide(*text)
		hidden += n
	}
	return r, hidden
}

// reveal shows what looks like a secret, or hides it again.
func (m *Model) reveal() tea.Cmd {
	m.secrets.Revealed = !m.secrets.Revealed
	m.panel.Reveal(m.secrets)
	m.ledger.secrets, m.ledger.drawn = m.secrets, nil
	m.sessions.Reveal(m.secrets)
	said := "What looks like a secret is hidden."
	if m.secrets.Revealed {
		said = "What looks like a secret is shown; " + m.keys.First(keymap.Reveal) + " hides it."
	}
	return tea.Batch(m.say(said), m.lookAgain())
}

// hiddenLine says how many secrets a page does not show.
func (m *Model) hiddenLine(n int) inspector.Page {
	var p inspector.Page
	if n > 0 {
		p.Line(inspector.Warning, "! %s hidden in this view; %s shows what only looks like one.", theme.PluralOf(n, "secret is", "secrets are"), m.keys.First(keymap.Reveal))
	}
	return p
}

// mostAtOnce is the largest page, in bytes, that is searched for secrets before anything else happens.
const mostAtOnce = 64 << 10

// pageMsg is a page whose secrets are hidden.
type pageMsg struct {
	reading int
	page    inspector.Page
	hidden  int
	first   int // the passage to begin at, -1 for the top
}

// putPage shows a page without its secrets. From the passage that it is to begin at, -1 for the top, every
// passage is a text of its own.
func (m *Model) putPage(p inspector.Page, first int) tea.Cmd {
	size := 0
	for _, part := range p {
		size += len(part.Text)
	}
	reading, s := m.inspector.reading, m.secrets
	hide := func() pageMsg {
		if first >= 0 {
			hidden, n := inspector.HideEach(s, p)
			return pageMsg{reading, hidden, n, first}
		}
		hidden, n := inspector.Hide(s, p)
		return pageMsg{reading, hidden, n, first}
	}
	if size <= mostAtOnce || s.Find == nil {
		return m.pageHidden(hide())
	}
	m.inspector.reads = "reading the text"
	return func() tea.Msg { return hide() }
}

func (m *Model) pageHidden(msg pageMsg) tea.Cmd {
	if msg.reading != m.inspector.reading {
		return nil
	}
	head := m.hiddenLine(msg.hidden)
	s := inspector.NewPager(append(head, msg.page...))
	if msg.first >= 0 {
		s.Show(msg.first + len(head))
	}
	m.put(s)
	return nil
}
