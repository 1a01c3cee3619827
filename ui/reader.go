package ui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// readerOverlay is a text to scroll through.
type readerOverlay struct {
	replaces
	name  string
	text  string
	lines viewport.Model
}

func newReader(name, text string) *readerOverlay {
	return &readerOverlay{name: name, text: markdown.Visible(text), lines: viewport.New()}
}

func (r *readerOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	r.Scroll(scrolledBy(msg))
	key, ok := msg.(tea.KeyPressMsg)
	k := &m.keys
	switch {
	case !ok:
	case k.Pressed(key, keymap.Back):
		m.uncover()
	case !k.Scrolled(key, r, r.lines.Height()):
		return m.notice.Say(k.First(keymap.Back) + " closes this.")
	}
	return nil
}

// Scroll moves the text by so many lines, up where they are less than 0.
func (r *readerOverlay) Scroll(by int) { r.lines.SetYOffset(r.lines.YOffset() + by) }

// First shows the beginning of the text.
func (r *readerOverlay) First() { r.lines.GotoTop() }

// Last shows the end of the text.
func (r *readerOverlay) Last() { r.lines.GotoBottom() }

func (r *readerOverlay) view(_ *Model, in theme.Box) ([]string, *tea.Cursor) {
	if in.W != r.lines.Width() {
		indent := strings.Repeat(" ", theme.Gutter(in.W)+2)
		lines := theme.Wrap(r.text, max(1, in.W-2*len(indent)))
		for i := range lines {
			lines[i] = indent + lines[i]
		}
		r.lines.SetWidth(in.W)
		r.lines.SetContentLines(lines)
	}
	r.lines.SetHeight(in.H)
	return strings.Split(r.lines.View(), "\n"), nil
}

func (r *readerOverlay) title(*Model) (string, string) { return r.name, "" }

func (r *readerOverlay) hints(m *Model) []key.Binding {
	k := &m.keys
	return []key.Binding{
		k.Hint("scroll", keymap.Down, keymap.Up),
		k.Hint("ends", keymap.Top, keymap.Bottom),
		k.Hint("close", keymap.Back),
	}
}
