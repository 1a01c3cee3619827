package dialog

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Reader is a dialog with a text to scroll through.
type Reader struct {
	Name string

	stack *Stack
	text  string
	lines viewport.Model
}

// OpenText shows a text under a name.
func (s *Stack) OpenText(name, text string) {
	s.Open(&Reader{
		Name: name, stack: s, text: markdown.Visible(text), lines: viewport.New(),
	})
}

// Update scrolls the text or closes it.
func (r *Reader) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		r.scroll(keymap.Wheel(msg, 3))
	case tea.KeyPressMsg:
		by, scrolls := r.stack.Keys.Stride(msg, max(1, r.lines.Height()-1))
		if r.scroll(by); r.stack.Keys.Pressed(msg, keymap.Back) {
			r.stack.Close(r)
		} else if !scrolls {
			return r.stack.Say(r.stack.Keys.First(keymap.Back) + " closes this.")
		}
	}
	return nil
}

// scroll moves the text by lines, up if negative.
func (r *Reader) scroll(by int) { r.lines.SetYOffset(r.lines.YOffset() + by) }

// Resize sets the size in cells.
func (r *Reader) Resize(w, h int) {
	r.lines.SetHeight(h)
	if w != r.lines.Width() {
		indent := theme.Gutter(w) + 2
		r.lines.SetWidth(w)
		r.lines.SetContentLines(theme.WrapIndented(lipgloss.NewStyle(), r.text, indent, w-indent))
	}
}

// View returns the visible lines.
func (r *Reader) View() (lines []string, x int) { return strings.Split(r.lines.View(), "\n"), -1 }

// Hints returns the keys of the text.
func (r *Reader) Hints() []key.Binding {
	k := &r.stack.Keys
	return []key.Binding{
		k.Hint("scroll", keymap.Down, keymap.Up), k.Hint("ends", keymap.Top, keymap.Bottom),
		k.Hint("close", keymap.Back),
	}
}
