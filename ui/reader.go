package ui

import (
	"strings"

	"winnow/ui/keymap"

	tea "charm.land/bubbletea/v2"
)

// reader is a text to scroll through, over the panes.
type reader struct {
	title string
	*sheet
}

// openReader shows a text.
func (m *Model) openReader(over overlay, title string, p page) {
	m.cover(over)
	*m.textOnTop() = reader{title, newSheet(p)}
	m.fitReader()
}

// textOnTop is the help or, where that is closed, the other text.
func (m *Model) textOnTop() *reader {
	if m.overlay == helpOverlay {
		return &m.help
	}
	return &m.reader
}

// fitReader tells the texts their size.
func (m *Model) fitReader() {
	for _, r := range []*reader{&m.reader, &m.help} {
		if r.sheet != nil {
			in := m.overlayRoom()
			r.resize(in.W, in.H)
		}
	}
}

// openChip shows what a chip stands for.
func (m *Model) openChip() tea.Cmd {
	c, ok := m.composer.open()
	if !ok {
		return m.say("The draft holds no long paste and no file; " + m.keys.First(keymap.Focus) + " goes to the transcript.")
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
	case k.Pressed(msg, keymap.Back), m.overlay == helpOverlay && k.Pressed(msg, keymap.Help, keymap.Ask):
		m.uncover()
	case !k.Scrolled(msg, m.textOnTop(), m.textOnTop().h):
		return m.say(k.First(keymap.Back) + " closes this.")
	}
	return nil
}
