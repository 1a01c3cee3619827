package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// reader is a text to scroll through, over the panes.
type reader struct {
	title string
	*sheet
}

// openReader shows a text.
func (m *Model) openReader(over overlay, title string, p page) {
	m.reader = reader{title, newSheet(p)}
	m.cover(over)
	m.fitReader()
}

// fitReader tells the text its size.
func (m *Model) fitReader() {
	if m.reader.sheet != nil {
		in := m.overlayRoom()
		m.reader.resize(in.w, in.h)
	}
}

// openChip shows what a chip stands for.
func (m *Model) openChip() tea.Cmd {
	c, ok := m.composer.open()
	if !ok {
		return m.say("The draft holds no long paste and no file; " + firstKey(m.keys.Focus) + " goes to the transcript.")
	}
	if c.reading() {
		return m.say("It is still being read.")
	}
	if c.part != nil {
		return m.openFile(*c.part)
	}
	m.openReader(textOverlay, strings.Trim(c.label, "[]"), page{{saidTone, c.text}})
	return nil
}

// readerKey is a key while a text is open.
func (m *Model) readerKey(msg tea.KeyPressMsg) tea.Cmd {
	k := &m.keys
	switch {
	case pressed(msg, k.Back), m.overlay == helpOverlay && pressed(msg, k.Help, k.Ask):
		m.uncover()
	case !k.scrolled(msg, m.reader, m.reader.h):
		return m.say(firstKey(k.Back) + " closes this.")
	}
	return nil
}
