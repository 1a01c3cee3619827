package ui

import (
	"slices"

	"winnow/ui/keymap"

	tea "charm.land/bubbletea/v2"
)

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

// cover lays something over the panes. The panel of a narrow screen stays beneath it, and whatever is
// there stays beneath the help.
func (m *Model) cover(o overlay) {
	switch {
	case m.overlay == o:
	case m.overlay != noOverlay && o == helpOverlay, m.overlay == panelOverlay:
		m.beneath = append(m.beneath, m.overlay)
	default:
		m.beneath = nil
	}
	m.overlay = o
}

// uncover takes it away. The draft has no cursor in the transcript.
func (m *Model) uncover() {
	m.overlay = noOverlay
	if n := len(m.beneath); n > 0 {
		m.overlay, m.beneath = m.beneath[n-1], m.beneath[:n-1]
	}
	if m.overlay == noOverlay && m.focus == draftPane {
		m.setFocus(draftPane)
	}
}

// dismiss takes an overlay away, on the screen or beneath the help.
func (m *Model) dismiss(o overlay) {
	if m.overlay == o {
		m.uncover()
		return
	}
	m.beneath = slices.DeleteFunc(m.beneath, func(b overlay) bool { return b == o })
}

// isOpen says whether an overlay is there, on the screen or beneath the help.
func (m *Model) isOpen(o overlay) bool { return m.overlay == o || slices.Contains(m.beneath, o) }

// bare takes away all that covers the panes.
func (m *Model) bare() {
	if m.overlay == helpOverlay {
		m.uncover()
	}
	switch m.overlay {
	case whatifOverlay:
		m.leaveWhatif()
	case inspectorOverlay:
		m.forgetInspected()
	}
	m.beneath = nil
	m.uncover()
}

// overlayKey is a key while something covers the panes: what lies there has all keys.
func (m *Model) overlayKey(msg tea.KeyPressMsg) tea.Cmd {
	k := &m.keys
	switch {
	case m.overlay != helpOverlay && (k.Pressed(msg, keymap.Help) || k.Pressed(msg, keymap.Ask) && !m.typesInOverlay()):
		return m.openHelp()
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

// typesInOverlay says whether a key that is a character would be text: in a field that holds some, or in one
// for a name.
func (m *Model) typesInOverlay() bool {
	switch {
	case m.overlay == sessionsOverlay:
		return m.sessions.edit != nil || m.sessions.filter.Text != ""
	case m.pickerOpen():
		return m.picker.filter.Text != ""
	}
	return false
}
