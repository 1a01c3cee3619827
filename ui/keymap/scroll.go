package keymap

import tea "charm.land/bubbletea/v2"

// Scroller is what is longer than the screen.
type Scroller interface {
	Scroll(by int) // lines
	First()
	Last()
}

// Scrolled scrolls a text of which h lines are on the screen, and says whether the key was one for that.
// A page keeps a line of the page before.
func (m Map) Scrolled(msg tea.KeyPressMsg, s Scroller, h int) bool {
	page := max(1, h-1)
	switch {
	case m.Pressed(msg, Down):
		s.Scroll(1)
	case m.Pressed(msg, Up):
		s.Scroll(-1)
	case m.Pressed(msg, PageDown):
		s.Scroll(page)
	case m.Pressed(msg, PageUp):
		s.Scroll(-page)
	case m.Pressed(msg, Top):
		s.First()
	case m.Pressed(msg, Bottom):
		s.Last()
	default:
		return false
	}
	return true
}

// allLines is more lines than any list has.
const allLines = 1 << 30

// Wheel is how many lines a turn of the wheel moves a list: step down, -step up.
func Wheel(msg tea.MouseWheelMsg, step int) int {
	if msg.Button == tea.MouseWheelUp {
		return -step
	}
	return step
}

// Stride is how many lines a key moves the cursor of a list of which page lines are on the screen, and
// false for a key that does not.
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
		return -allLines, true
	case m.Pressed(msg, Bottom):
		return allLines, true
	}
	return 0, false
}
