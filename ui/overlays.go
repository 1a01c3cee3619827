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
	panelOverlay
	textOverlay
	ledgerOverlay
	whatifOverlay // the dials, in the panel where that is on the screen
	inspectorOverlay
)

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
	case m.pickerOpen():
		return m.pickerKey(msg)
	}
	return m.readerKey(msg)
}
