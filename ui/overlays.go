package ui

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/ui/frame"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// overlay is what covers the panes. The uppermost one has all keys and the mouse, and the lower line names its
// keys.
type overlay interface {
	update(m *Model, msg tea.Msg) tea.Cmd // a key, a paste or the mouse
	view(m *Model, in theme.Box) (lines []string, cursor *tea.Cursor)
	hints(m *Model) []key.Binding
	title(m *Model) (title, right string)
	place() place
	box(m *Model) theme.Box // where it lies, its border or rule included
}

// place is how an overlay covers the panes.
type place int

// The places.
const (
	floating    place = iota // over the page, in a border; the page behind it is pale
	insteadOf                // in the place of page and draft, under the header with its title and a rule
	listInstead              // the same with a rule of its own
	inPage                   // in the place of page and draft, under the header of the page
	aboveDraft               // right above the draft, under a rule with its title
)

// viewed is an overlay with several views: their names stand at the right end of the header.
type viewed interface {
	views(m *Model) string
}

// stateful is an overlay with a state that stands at the right end of the hints.
type stateful interface {
	state(m *Model) string
}

// typist is an overlay in which a key that is a character may be text.
type typist interface {
	types(m *Model) bool
}

// floats is an overlay that floats where lists do.
type floats struct{}

func (floats) place() place { return floating }

// replaces is an overlay in the place of the panes.
type replaces struct{}

func (replaces) place() place           { return insteadOf }
func (replaces) box(m *Model) theme.Box { return m.layout.Full }

// covers is an overlay in the place of the page and the draft: its list has all lines down to the hints, or to a
// question that waits.
type covers struct{}

func (covers) place() place { return inPage }

func (covers) box(m *Model) theme.Box {
	l := m.layout
	end := l.Full.Y + l.Full.H
	if !l.Alert.Empty() {
		end = l.Alert.Y
	}
	return theme.Box{Y: l.Transcript.Y, W: l.Width, H: max(0, end-l.Transcript.Y)}
}

// overlayStack is what covers the panes, the uppermost last.
type overlayStack []overlay

// top is the uppermost overlay, nil for none.
func (s overlayStack) top() overlay {
	if n := len(s); n > 0 {
		return s[n-1]
	}
	return nil
}

// any says whether something covers the panes.
func (s overlayStack) any() bool { return len(s) > 0 }

// triesTheme says that a theme is tried out: the page must be seen in its colours.
func (s overlayStack) triesTheme() bool {
	l, ok := s.top().(*listOverlay)
	return ok && l.tries
}

// onTop says whether an overlay is the uppermost one.
func (s overlayStack) onTop(o overlay) bool { return s.top() == o }

// has says whether an overlay is there, the uppermost one or below another.
func (s overlayStack) has(o overlay) bool { return slices.Contains(s, o) }

// open lays something over the panes. The panel of a narrow screen stays beneath it, and whatever is
// there stays beneath the help.
func (s *overlayStack) open(o overlay) {
	switch top := s.top(); {
	case top == o:
	case top != nil && isHelp(o), top == panelOverlay{}:
		*s = append(*s, o)
	case top != nil && sameList(top, o):
		(*s)[len(*s)-1] = o
	default:
		*s = overlayStack{o}
	}
}

// close takes an overlay away, wherever it lies.
func (s *overlayStack) close(o overlay) {
	*s = slices.DeleteFunc(*s, func(b overlay) bool { return b == o })
}

// dismiss takes an overlay away. The draft has no cursor in the transcript.
func (m *Model) dismiss(o overlay) {
	m.overlays.close(o)
	if !m.overlays.any() && m.focus == draftPane {
		m.setFocus(draftPane)
	}
}

// uncover takes the uppermost overlay away.
func (m *Model) uncover() { m.dismiss(m.overlays.top()) }

// bare takes away all that covers the panes.
func (m *Model) bare() {
	if isHelp(m.overlays.top()) {
		m.uncover()
	}
	switch m.overlays.top() {
	case whatifOverlay{}:
		m.leaveWhatif()
	case inspectorOverlay{}:
		m.inspector.Forget()
	}
	m.overlays = nil
	m.uncover()
}

// overlayInner is what the uppermost overlay has for its lines; without one, what a floating one would have.
func (m *Model) overlayInner() theme.Box {
	if top := m.overlays.top(); top != nil {
		return inner(top.place(), top.box(m))
	}
	return inner(floating, m.layout.Overlay)
}

// The least sizes of a box that floats and has a border, and the least height of one that has a rule.
const (
	borderHeight = 5
	borderWidth  = 12
	ruleHeight   = 12
)

// inner is the part of a box that is not its border, or its rule with a blank line below it.
func inner(p place, b theme.Box) theme.Box {
	above := 0
	switch {
	case p == floating && b.H >= borderHeight && b.W >= borderWidth:
		return b.Inner(true)
	case p == aboveDraft && b.H > 2, p == listInstead && b.H >= ruleHeight:
		above = 1
	case p == insteadOf && b.H >= ruleHeight:
		above = 2
	}
	return theme.Box{X: b.X, Y: b.Y + above, W: b.W, H: b.H - above}
}

// overlayView draws what covers the panes.
func (m *Model) overlayView() ([]string, *tea.Cursor) {
	top, st := m.overlays.top(), m.themes.Styles
	b := top.box(m)
	if b.Empty() {
		return nil, nil
	}
	in := inner(top.place(), b)
	lines, cursor := top.view(m, in)
	above := make([]string, in.Y-b.Y)
	switch {
	case in == b:
	case top.place() == floating:
		return frame.Float(st, b, lines), cursor
	case top.place() == aboveDraft:
		title, right := top.title(m)
		if right != "" {
			right = st.Muted.Render(right)
		}
		above[0] = theme.Ruled(st.Cut, b.W, m.layout.Gutter, []string{st.Cut.Bold(true).Render(title)}, right)
	case top.place() == insteadOf:
		above[0] = st.Rule(b.W)
	}
	return theme.Blank(append(above, lines...), b.W, b.H), cursor
}

// scrolledBy is how many lines the wheel moves, 0 for what is not the wheel.
func scrolledBy(msg tea.Msg) int {
	if wheel, ok := msg.(tea.MouseWheelMsg); ok {
		return keymap.Wheel(wheel, 3)
	}
	return 0
}

// panelOverlay is the panel of a narrow screen.
type panelOverlay struct{ covers }

func (panelOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		k := &m.keys
		switch {
		case k.Pressed(msg, keymap.Back):
			return m.back()
		case k.Pressed(msg, keymap.Context):
			return m.togglePanel()
		}
		switch a := k.Action(msg, keymap.InPanel); a {
		case keymap.Palette, keymap.New, keymap.Sessions, keymap.Models, keymap.Help:
			return m.do(a)
		}
		return m.panel.Update(msg)
	case tea.MouseClickMsg:
		if in := m.overlayInner(); in.Holds(msg.X, msg.Y) {
			return m.panel.Click(msg.Y-in.Y, true)
		}
	}
	return m.panel.Update(msg)
}

func (panelOverlay) view(m *Model, in theme.Box) ([]string, *tea.Cursor) {
	return m.panel.View(in.W, in.H), nil
}

func (panelOverlay) title(*Model) (string, string) { return "", "" }

func (panelOverlay) hints(m *Model) []key.Binding {
	if m.panel.Past != nil {
		return append(panelHints(&m.keys), m.keys.Hint("back to the next request", keymap.Back))
	}
	return append(panelHints(&m.keys), m.keys.Hint("close", keymap.Back))
}

// whatifOverlay is the dials, in the panel where that is on the screen.
type whatifOverlay struct{ covers }

func (whatifOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	return m.panel.Update(msg)
}

func (whatifOverlay) view(m *Model, in theme.Box) ([]string, *tea.Cursor) {
	return panelOverlay{}.view(m, in)
}

func (whatifOverlay) title(m *Model) (string, string) { return panelOverlay{}.title(m) }

func (whatifOverlay) hints(m *Model) []key.Binding {
	k := &m.keys
	return []key.Binding{
		k.Hint("setting", keymap.Down, keymap.Up),
		k.Hint("change", keymap.Earlier, keymap.Later),
		keymap.Typed("0–9", "budget"),
		k.Hint("apply", keymap.Choose),
		k.Hint("list", keymap.PageUp, keymap.PageDown),
		k.Hint("help", keymap.Help),
		k.Hint("cancel", keymap.Back),
	}
}
