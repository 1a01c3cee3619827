package keymap

import tea "charm.land/bubbletea/v2"

// AllLines is more lines than anything has that is scrolled.
const AllLines = 1 << 30

// Wheel is how many lines a turn of the wheel moves a list: step down, -step up.
func Wheel(msg tea.MouseWheelMsg, step int) int {
	if msg.Button == tea.MouseWheelUp {
		return -step
	}
	return step
}

// Stride is how many lines a key scrolls a text, or moves the cursor of a list, of which page lines are on the screen:
// AllLines to an end. It is false for a key that does not.
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
