package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// A session that another window has open is shown here for reading: the composer is closed and says why,
// and what would change the session says so as well. It can be forked, and taken once it is free.

// closedKey is a key in the composer of a session that can only be read.
func (m *Model) closedKey(msg tea.KeyPressMsg) tea.Cmd {
	k := &m.keys
	switch {
	case k.Pressed(msg, keymap.Away):
		return m.forkHere()
	case k.Pressed(msg, keymap.Take):
		return m.current.TakeOver(m.current.Ref)
	case k.Pressed(msg, keymap.Ask):
		return m.openHelp()
	case k.Pressed(msg, keymap.Quit):
		return m.quit()
	case k.Pressed(msg, keymap.Older):
		m.chat.Scroll(-1)
		return nil
	case k.Pressed(msg, keymap.Newer):
		m.chat.Scroll(1)
		return nil
	}
	return m.onlyRead()
}

// onlyRead says why nothing can be changed.
func (m *Model) onlyRead() tea.Cmd { return m.notice.Error(m.keys.Lacks(keymap.NeedOwn)) }

// closedLines are what stands in the place of the draft.
func (m *Model) closedLines(w int) []string {
	k, st := &m.keys, m.themes.Styles
	lines := theme.WrapStyled(st.Text, closedText, w)
	return append(lines, theme.WrapStyled(st.Dim, k.First(keymap.Away)+" forks it · "+k.First(keymap.Take)+" takes it once it is free", w)...)
}

// closedText says why the composer is closed.
const closedText = "Open in another window: here it can be read."
