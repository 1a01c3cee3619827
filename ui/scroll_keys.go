package ui

import tea "charm.land/bubbletea/v2"

// scroller is what is longer than the screen.
type scroller interface {
	scroll(by int) // lines
	first()
	last()
}

// scrolled scrolls a text of which h lines are on the screen, and says whether the key was one for that.
// A page keeps a line of the page before.
func (k *KeyMap) scrolled(msg tea.KeyPressMsg, s scroller, h int) bool {
	page := max(1, h-1)
	switch {
	case pressed(msg, k.Down):
		s.scroll(1)
	case pressed(msg, k.Up):
		s.scroll(-1)
	case pressed(msg, k.HalfDown):
		s.scroll(max(1, page/2))
	case pressed(msg, k.HalfUp):
		s.scroll(-max(1, page/2))
	case pressed(msg, k.PageDown):
		s.scroll(page)
	case pressed(msg, k.PageUp):
		s.scroll(-page)
	case pressed(msg, k.Top):
		s.first()
	case pressed(msg, k.Bottom):
		s.last()
	default:
		return false
	}
	return true
}

// allLines is more lines than any list has.
const allLines = 1 << 30

// stride is how many lines a key moves the cursor of a list of which page lines are on the screen, and
// false for a key that does not.
func (k *KeyMap) stride(msg tea.KeyPressMsg, page int) (by int, ok bool) {
	switch {
	case pressed(msg, k.Down, k.Next):
		return 1, true
	case pressed(msg, k.Up, k.Prev):
		return -1, true
	case pressed(msg, k.HalfDown):
		return max(1, page/2), true
	case pressed(msg, k.HalfUp):
		return -max(1, page/2), true
	case pressed(msg, k.PageDown):
		return page, true
	case pressed(msg, k.PageUp):
		return -page, true
	case pressed(msg, k.Top):
		return -allLines, true
	case pressed(msg, k.Bottom):
		return allLines, true
	}
	return 0, false
}
