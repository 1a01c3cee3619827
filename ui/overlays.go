package ui

import tea "charm.land/bubbletea/v2"

// overlay is what covers the panes.
type overlay int

// The overlays.
const (
	noOverlay overlay = iota
	helpOverlay
	paletteOverlay
	modelsOverlay
	sessionsOverlay
	promptsOverlay
	editsOverlay
	forksOverlay
	themesOverlay
	personasOverlay
	panelOverlay
	textOverlay
	ledgerOverlay
	whatifOverlay // the dials, in the panel where that is on the screen
	inspectorOverlay
)

// cover lays something over the panes. The panel of a narrow screen stays beneath it.
func (m *Model) cover(o overlay) {
	m.beneath = noOverlay
	if m.overlay == panelOverlay && o != panelOverlay {
		m.beneath = panelOverlay
	}
	m.overlay = o
}

// uncover takes it away. The draft has no cursor in the transcript.
func (m *Model) uncover() {
	m.overlay, m.beneath = m.beneath, noOverlay
	if m.overlay == noOverlay && m.focus == draftPane {
		m.setFocus(draftPane)
	}
}

// bare takes away all that covers the panes.
func (m *Model) bare() {
	switch m.overlay {
	case whatifOverlay:
		m.leaveWhatif()
	case inspectorOverlay:
		m.forgetInspected()
	}
	m.beneath = noOverlay
	m.uncover()
}

// overlayKey is a key while something covers the panes: what lies there has all keys.
func (m *Model) overlayKey(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case m.overlay == whatifOverlay:
		return m.whatifKey(msg)
	case m.overlay == ledgerOverlay:
		return m.ledgerKey(msg)
	case m.overlay == inspectorOverlay:
		return m.inspectorKey(msg)
	case m.overlay == panelOverlay:
		return m.narrowPanelKey(msg)
	case m.overlay == sessionsOverlay:
		return m.sessionsKey(msg)
	case m.pickerOpen():
		return m.pickerKey(msg)
	}
	return m.readerKey(msg)
}
