package keymap

import tea "charm.land/bubbletea/v2"

// AllLines is more lines than any text or list has.
const AllLines = 1 << 30

// Wheel returns how many lines a wheel event scrolls: step, or -step for up.
func Wheel(msg tea.MouseWheelMsg, step int) int {
	if msg.Button == tea.MouseWheelUp {
		return -step
	}
	return step
}

// Stride returns by how many lines a key scrolls a text or moves a cursor, if page lines are visible: up if negative,
// AllLines to an end. It returns false for a key that does neither.
func (m Map) Stride(msg tea.KeyPressMsg, page int) (by int, ok bool) {
	switch {
	case m.Pressed(msg, Down, Next):
		return 1, true
	case m.Pressed(msg, Up, Prev):
		return -1, true
	case m.Pressed(msg, PageDown):
		return page, true
	case m.Pressed(msg, PageUp):
		return -page, true
	case m.Pressed(msg, Top):
		return -AllLines, true
	case m.Pressed(msg, Bottom):
		return AllLines, true
	}
	return 0, false
}
