package ui

import tea "charm.land/bubbletea/v2"

func (m *Model) resize(msg tea.WindowSizeMsg) tea.Cmd {
	m.width, m.height = msg.Width, msg.Height
	m.arrange()
	return nil
}

// arrange lays out the screen anew and tells the parts their sizes.
func (m *Model) arrange() {
	m.composer.Resize(max(1, m.draftWidth()), max(1, m.height/3))
	m.layout = layoutFor(wants{
		width: m.width, height: m.height, draft: m.composerLines(),
		alert: len(m.alertLines(mostAlert)), panel: m.wishPanel,
	})
	in := m.layout.transcript.Within(m.layout.framed)
	m.chat.Resize(in.W, in.H)
	m.fitInspector()
	m.fitReaders()
}

// composerLines is how many lines the composer takes.
func (m *Model) composerLines() int {
	if m.elsewhere {
		return len(m.closedLines(m.draftWidth()))
	}
	return m.composer.Lines()
}

// draftWidth is the width of the text area: the composer without its frame and margin.
func (m *Model) draftWidth() int {
	l := layoutFor(wants{width: m.width, height: m.height, draft: 1, panel: m.wishPanel})
	return l.composer.Within(l.framed).W - 2
}
