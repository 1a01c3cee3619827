package ui

import (
	tea "charm.land/bubbletea/v2"
)

// popupView draws the completions above the composer.
func (m *Model) popupView() []string {
	popups := m.popups()
	if len(popups) == 0 || m.layout.transcript.h < 4 {
		return nil
	}
	room := min(len(popups), 8, m.layout.transcript.h-2)
	at := min(m.popup, len(popups)-1)
	first, end := around(at, len(popups), room)
	var choices []string
	w := max(0, m.layout.composer.w-2)
	for i := first; i < end; i++ {
		c := popups[i]
		usage := fit(c.label(), min(26, max(8, w/3))) + " "
		if i == at {
			choices = append(choices, m.styles.chosen.Render(fit(" ▸ "+usage+c.Help, w)))
			continue
		}
		choices = append(choices, fit("   "+usage+m.styles.dim.Render(c.Help), w))
	}
	return frame(box{0, 0, m.layout.composer.w, room + 2}, m.border("commands", "tab completes", true), choices)
}

// framedOverlay says that an overlay has room for a frame.
func framedOverlay(b box) bool { return b.h >= 5 && b.w >= 12 }

// overlayBox is where the overlay lies. The themes take little room: what they colour must be seen.
func (m *Model) overlayBox() box {
	b := m.layout.overlay
	if m.overlay != themesOverlay {
		return b
	}
	h := min(b.h, len(m.picker.choices)+3)
	w := min(b.w, 56)
	return box{b.x + b.w - w, b.y + b.h - h, w, h}
}

// overlayRoom is what the overlay has inside its frame.
func (m *Model) overlayRoom() box {
	b := m.overlayBox()
	return b.within(framedOverlay(b))
}

// overlayView draws what covers the panes, with the cursor of its filter line.
func (m *Model) overlayView() ([]string, *tea.Cursor) {
	if m.overlay == inspectorOverlay {
		return m.inspectorView(m.layout.full), nil
	}
	b := m.overlayBox()
	if b.empty() {
		return nil, nil
	}
	framed := framedOverlay(b)
	in := b.within(framed)
	var lines []string
	var cursor *tea.Cursor
	title, right := "", ""
	switch {
	case m.overlay == panelOverlay, m.overlay == whatifOverlay:
		title, right = m.panelTitle(), m.panel.place()
		lines = m.panel.view(m.styles, in.w, in.h, true)
	case m.overlay == ledgerOverlay:
		title, right = "repairs", m.ledger.place()
		lines = m.ledger.view(m.styles, in.w, in.h)
	case m.overlay == sessionsOverlay:
		title, right = m.sessions.title(), m.sessions.place()
		var x int
		lines, x = m.sessions.view(m.styles, in.w, in.h, m.info.ID, m.indexing)
		cursor = tea.NewCursor(in.x+x, in.y)
	case m.pickerOpen():
		title = m.picker.title
		right = thousands(len(m.picker.shown))
		var x int
		lines, x = m.picker.view(m.styles, in.w, in.h)
		cursor = tea.NewCursor(in.x+x, in.y)
	default:
		title, right = m.textOnTop().title, firstKey(m.keys.Back)+" closes"
		lines = m.textOnTop().view(m.styles)
	}
	if !framed {
		return blank(lines, b.w, b.h), cursor
	}
	return frame(b, m.border(title, right, true), lines), cursor
}
