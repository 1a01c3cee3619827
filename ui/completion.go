package ui

import (
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
