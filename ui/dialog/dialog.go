// Package dialog shows what covers the panes: lists to choose from, texts to read, the list of chats, the inspector and
// the help. It places a dialog, draws it and passes it the keys. What a dialog does is up to its owner.
package dialog

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/ui/app"
	"winnow/ui/frame"
	"winnow/ui/layout"
	"winnow/ui/list"
	"winnow/ui/theme"
)

// Dialog covers the panes.
type Dialog interface {
	Update(msg tea.Msg) tea.Cmd // a key, a paste, a new size, or the mouse, relative to the dialog's corner
	Resize(w, h int)
	View() (lines []string, x int) // the cursor is at column x of the first line; -1 hides it
	Hints() []key.Binding          // for the footer
}

// typist is a dialog with a text field at its top. Types reports whether character keys are text now.
type typist interface{ Types() bool }

// Stack holds the open dialogs: one, and possibly the help on top of it. The top one gets all keys and the mouse.
type Stack struct {
	*app.Shared
	Closed func(Dialog) // called when a dialog has closed

	dialog, help Dialog // nil for none
}

// Top returns the top dialog, nil for none.
func (s *Stack) Top() Dialog {
	if s.help != nil {
		return s.help
	}
	return s.dialog
}

// IsOpen reports whether a dialog is open, on top or not.
func (s *Stack) IsOpen(d Dialog) bool { return d == s.dialog || d == s.help }

// Open shows a dialog in place of those that are open. Closed is not called for these.
func (s *Stack) Open(d Dialog) { s.dialog, s.help = d, nil }

// Close closes a dialog, on top or not.
func (s *Stack) Close(d Dialog) {
	switch d {
	case s.dialog:
		s.dialog = nil
	case s.help:
		s.help = nil
	}
	s.Closed(d)
}

// Clear closes all dialogs.
func (s *Stack) Clear() {
	for s.Top() != nil {
		s.Close(s.Top())
	}
}

// OpenList shows a list. Chosen is called with the value of the item that the user chooses.
func (s *Stack) OpenList(l *list.Model, chosen func(value string) tea.Cmd) {
	s.Open(&Picker{Model: l, stack: s, chosen: chosen})
}

// TakesText reports whether a key is text for the top dialog.
func (s *Stack) TakesText(msg tea.KeyPressMsg) bool {
	t, ok := s.Top().(typist)
	return ok && t.Types() && msg.Text != ""
}

// HelpOpen reports whether the help is open, which is always on top.
func (s *Stack) HelpOpen() bool { return s.help != nil }

// Floats reports whether the top dialog is a box that floats over the dimmed panes, and does not replace them.
func (s *Stack) Floats() bool {
	_, list := s.dialog.(*Picker)
	return list && s.help == nil
}

// Update passes a key, a paste, a new size or the mouse to the top dialog. Clicks outside of it are ignored.
func (s *Stack) Update(msg tea.Msg, l layout.Layout) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok {
		_, in := s.Box(l)
		if !in.Holds(click.X, click.Y) {
			return nil
		}
		click.X, click.Y = click.X-in.X, click.Y-in.Y
		msg = click
	}
	return s.Top().Update(msg)
}

// Resize tells the top dialog its size.
func (s *Stack) Resize(l layout.Layout) {
	if d := s.Top(); d != nil {
		_, in := s.Box(l)
		d.Resize(in.W, in.H)
	}
}

// The least sizes, in cells, of a floating box with a border, and the least height of a dialog below a rule.
const (
	borderHeight = 5
	borderWidth  = 12
	ruleHeight   = 12
)

// Box returns the box of the top dialog, and inside it the box of the dialog's lines. A list floats in a border. Any
// other dialog replaces the panes, below a rule and a blank line; one with a text field draws its own rule.
func (s *Stack) Box(l layout.Layout) (box, inside theme.Box) {
	box = l.Full
	if s.Floats() {
		box = l.Overlay
		box.H = min(box.H, s.dialog.(*Picker).FullHeight()+2)
		return box, box.Inner(box.H >= borderHeight && box.W >= borderWidth)
	}
	above := 2
	if _, ok := s.Top().(typist); ok {
		above = 1
	}
	if box.H < ruleHeight {
		above = 0
	}
	return box, theme.Box{X: box.X, Y: box.Y + above, W: box.W, H: box.H - above}
}

// Draw draws the top dialog over the lines of the screen, and returns its cursor, nil for none.
func (s *Stack) Draw(screen []string, l layout.Layout) (cursor *tea.Cursor) {
	box, inside := s.Box(l)
	if box.Empty() {
		return nil
	}
	lines, x := s.Top().View()
	if x >= 0 {
		cursor = tea.NewCursor(inside.X+x, inside.Y)
	}
	above := make([]string, inside.Y-box.Y)
	switch {
	case s.Floats() && inside != box:
		lines, above = frame.Bordered(s.Themes.Styles, box, lines), nil
	case len(above) == 2:
		above[0] = s.Themes.Styles.Rule(box.W)
	}
	theme.Overlay(screen, box, theme.FitLines(append(above, lines...), box.W, box.H))
	return cursor
}
