// Package dialog is what covers the panes: lists to choose from, texts to read, the chats and the inspector, each over
// the one before. It says where a dialog lies, draws it there and gives it the keys; what one does its owner knows.
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

// Dialog covers the panes. The lower line names its keys.
type Dialog interface {
	Update(msg tea.Msg) tea.Cmd // a key, a paste, another size, or the mouse, whose place is counted from its corner
	Resize(w, h int)
	View() (lines []string, x int) // the cursor stands at column x of the first line, nowhere for -1
	Hints() []key.Binding
}

// typist is a dialog in which a key that is a character may be text. It has a line for that text at its top.
type typist interface{ Types() bool }

// Stack is the dialogs that are open: one, and the help over it. The uppermost one has all keys and the mouse.
type Stack struct {
	*app.Shared
	Closed func(Dialog) // is called when a dialog has gone

	dialog, help Dialog // nil for none
}

// Top is the uppermost dialog, nil for none.
func (s *Stack) Top() Dialog {
	if s.help != nil {
		return s.help
	}
	return s.dialog
}

// Has says whether a dialog is open, wherever it lies.
func (s *Stack) IsOpen(d Dialog) bool { return d == s.dialog || d == s.help }

// Open lays a dialog over the panes in the place of those that are open.
func (s *Stack) Open(d Dialog) { s.dialog, s.help = d, nil }

// Close takes a dialog away, wherever it lies.
func (s *Stack) Close(d Dialog) {
	switch d {
	case s.dialog:
		s.dialog = nil
	case s.help:
		s.help = nil
	}
	s.Closed(d)
}

// Clear takes all dialogs away.
func (s *Stack) Clear() {
	for s.Top() != nil {
		s.Close(s.Top())
	}
}

// List opens a list, of which an item is used as chosen does.
func (s *Stack) OpenList(l *list.Model, chosen func(value string) tea.Cmd) {
	s.Open(&Picker{Model: l, stack: s, chosen: chosen})
}

// Typing says that a key is text for the uppermost dialog.
func (s *Stack) TakesText(msg tea.KeyPressMsg) bool {
	t, ok := s.Top().(typist)
	return ok && t.Types() && msg.Text != ""
}

// Helps says that the uppermost dialog is the help.
func (s *Stack) HelpOpen() bool { return s.help != nil }

// Floats says that the uppermost dialog floats over the page, which is pale then.
func (s *Stack) Floats() bool {
	_, list := s.dialog.(*Picker)
	return list && s.help == nil
}

// Update gives a key, a paste, another size or the mouse to the uppermost dialog.
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

// Resize gives the uppermost dialog its size.
func (s *Stack) Resize(l layout.Layout) {
	if d := s.Top(); d != nil {
		_, in := s.Box(l)
		d.Resize(in.W, in.H)
	}
}

// The least sizes of a box that floats and has a border, and the least height of one that has a rule.
const (
	borderHeight = 5
	borderWidth  = 12
	ruleHeight   = 12
)

// Box is where the uppermost dialog lies: a list floats over the page, and all else is in the place of the panes. Its
// lines lie inside: in a border, or below a rule and a blank line. Where something is typed there is a rule already.
func (s *Stack) Box(l layout.Layout) (box, inside theme.Box) {
	box = l.Full
	if s.Floats() {
		box = l.Overlay
		box.H = min(box.H, s.dialog.(*Picker).Height()+2)
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

// Draw draws the uppermost dialog over the lines of the screen.
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
	theme.Lay(screen, box, theme.Blank(append(above, lines...), box.W, box.H))
	return cursor
}
