package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// readerOverlay is a text to scroll through.
type readerOverlay struct {
	replaces
	name string
	*inspector.Pager
}

func (r *readerOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	if by := scrolledBy(msg); by != 0 {
		r.Scroll(by)
	}
	key, ok := msg.(tea.KeyPressMsg)
	k := &m.keys
	switch {
	case !ok:
	case k.Pressed(key, keymap.Back):
		m.uncover()
	case !k.Scrolled(key, r, r.H):
		return m.notice.Say(k.First(keymap.Back) + " closes this.")
	}
	return nil
}

func (r *readerOverlay) view(m *Model, in theme.Box) ([]string, *tea.Cursor) {
	r.Resize(in.W, in.H)
	return r.Pager.View(m.themes.Styles), nil
}

func (r *readerOverlay) title(m *Model) (string, string) {
	return r.name, ""
}

func (r *readerOverlay) hints(m *Model) []keymap.Hint {
	k := &m.keys
	return []keymap.Hint{
		k.Hint("scroll", keymap.Down, keymap.Up),
		k.Hint("ends", keymap.Top, keymap.Bottom),
		k.Hint("close", keymap.Back),
	}
}
