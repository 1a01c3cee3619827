package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// popupView draws the completions above the composer.
func (m *Model) popupView() []string {
	popups := m.popups()
	if len(popups) == 0 || m.layout.transcript.H < 4 {
		return nil
	}
	room := min(len(popups), 8, m.layout.transcript.H-2)
	at := min(m.popup, len(popups)-1)
	first, end := theme.Around(at, len(popups), room)
	var choices []string
	w := max(0, m.layout.composer.W-2)
	for i := first; i < end; i++ {
		c := popups[i]
		usage := theme.Fit(c.label(), min(26, max(8, w/3))) + " "
		if i == at {
			choices = append(choices, m.styles.Chosen.Render(theme.Fit(" ▸ "+usage+c.Help, w)))
			continue
		}
		choices = append(choices, theme.Fit("   "+usage+m.styles.Dim.Render(c.Help), w))
	}
	return theme.Frame(theme.Box{X: 0, Y: 0, W: m.layout.composer.W, H: room + 2}, m.border("commands", "tab completes", true), choices)
}

// framedOverlay says that an overlay has room for a frame.
func framedOverlay(b theme.Box) bool { return b.H >= 5 && b.W >= 12 }

// overlayBox is where the overlay lies. The themes take little room: what they colour must be seen.
func (m *Model) overlayBox() theme.Box {
	b := m.layout.overlay
	if m.overlay != themesOverlay {
		return b
	}
	h := min(b.H, len(m.picker.choices)+3)
	w := min(b.W, 56)
	return theme.Box{X: b.X + b.W - w, Y: b.Y + b.H - h, W: w, H: h}
}

// overlayRoom is what the overlay has inside its frame.
func (m *Model) overlayRoom() theme.Box {
	b := m.overlayBox()
	return b.Within(framedOverlay(b))
}

// overlayView draws what covers the panes, with the cursor of its filter line.
func (m *Model) overlayView() ([]string, *tea.Cursor) {
	if m.overlay == inspectorOverlay {
		return m.inspectorView(m.layout.full), nil
	}
	b := m.overlayBox()
	if b.Empty() {
		return nil, nil
	}
	framed := framedOverlay(b)
	in := b.Within(framed)
	var lines []string
	var cursor *tea.Cursor
	title, right := "", ""
	switch {
	case m.overlay == panelOverlay, m.overlay == whatifOverlay:
		title, right = m.panelTitle(), m.panel.place()
		lines = m.panel.view(m.styles, in.W, in.H, true)
	case m.overlay == ledgerOverlay:
		title, right = "repairs", m.ledger.place()
		lines = m.ledger.view(m.styles, in.W, in.H)
	case m.overlay == sessionsOverlay:
		title, right = m.sessions.title(), m.sessions.place()
		var x int
		lines, x = m.sessions.view(m.styles, in.W, in.H, m.info.ID, m.indexing)
		cursor = tea.NewCursor(in.X+x, in.Y)
	case m.pickerOpen():
		title = m.picker.title
		right = theme.Thousands(len(m.picker.shown))
		var x int
		lines, x = m.picker.view(m.styles, in.W, in.H)
		cursor = tea.NewCursor(in.X+x, in.Y)
	default:
		title, right = m.textOnTop().title, m.keys.First(keymap.Back)+" closes"
		lines = m.textOnTop().view(m.styles)
	}
	if !framed {
		return theme.Blank(lines, b.W, b.H), cursor
	}
	return theme.Frame(b, m.border(title, right, true), lines), cursor
}
