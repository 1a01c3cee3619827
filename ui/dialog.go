package ui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"

	"winnow/ui/frame"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/markdown"
	"winnow/ui/sessions"
	"winnow/ui/theme"
)

// dialog is what covers the panes: a list, a text, the chats or the inspector. The uppermost one has all keys and the
// mouse, and the lower line names its keys.
type dialog interface {
	Update(msg tea.Msg) tea.Cmd // a key, a paste, another size, or the mouse, whose place is counted from its corner
	Resize(w, h int)
	View() (lines []string, x int) // the cursor stands at column x of the first line, nowhere for -1
	Hints() []key.Binding
}

// typist is a dialog in which a key that is a character may be text.
type typist interface{ Types() bool }

// dialog is the uppermost dialog, nil for none.
func (m *Model) dialog() dialog {
	if n := len(m.dialogs); n > 0 {
		return m.dialogs[n-1]
	}
	return nil
}

// covered says that the keys are for something that lies over the panes.
func (m *Model) covered() bool { return len(m.dialogs) > 0 || m.panel.Whatif != nil }

// open lays a dialog over the panes in the place of another one. Whatever is there stays beneath the help.
func (m *Model) open(d dialog) {
	if p, ok := d.(*picker); !ok || !p.isHelp() {
		m.dialogs = nil
	}
	m.dialogs = append(m.dialogs, d)
	m.arrange()
}

// close takes a dialog away, wherever it lies. The draft has no cursor in the transcript.
func (m *Model) close(d dialog) {
	m.dialogs = slices.DeleteFunc(m.dialogs, func(other dialog) bool { return other == d })
	if d == m.inspector {
		m.inspector.Forget()
	}
	if !m.covered() && m.focus == draftPane {
		m.setFocus(draftPane)
	}
}

// bare takes away all that covers the panes.
func (m *Model) bare() {
	m.leaveWhatif()
	for m.dialog() != nil {
		m.close(m.dialog())
	}
}

// The least sizes of a box that floats and has a border, and the least height of one that has a rule.
const (
	borderHeight = 5
	borderWidth  = 12
	ruleHeight   = 12
)

// dialogBox is where the uppermost dialog lies: a list floats over the page, and all else is in the place of the panes.
// Its lines lie inside: in a border, or below a rule and a blank line. The lists have a rule of their own.
func (m *Model) dialogBox() (box, inside theme.Box) {
	box = m.layout.Full
	above := 2
	switch d := m.dialog().(type) {
	case *picker:
		if !d.isHelp() {
			box = d.box(m.layout.Overlay, m.layout.Width-2*m.layout.Gutter)
			return box, box.Inner(box.H >= borderHeight && box.W >= borderWidth)
		}
		above = 1
	case *sessions.Model:
		above = 1
	}
	if box.H < ruleHeight {
		above = 0
	}
	return box, theme.Box{X: box.X, Y: box.Y + above, W: box.W, H: box.H - above}
}

// floats says that the uppermost dialog floats over the page, which is pale then.
func (m *Model) floats() bool {
	p, ok := m.dialog().(*picker)
	return ok && !p.isHelp()
}

// layDialog draws the uppermost dialog over the lines of the screen.
func (m *Model) layDialog(screen []string) (cursor *tea.Cursor) {
	box, inside := m.dialogBox()
	if box.Empty() {
		return nil
	}
	lines, x := m.dialog().View()
	if x >= 0 {
		cursor = tea.NewCursor(inside.X+x, inside.Y)
	}
	above := make([]string, inside.Y-box.Y)
	switch {
	case m.floats() && inside != box:
		lines, above = frame.Float(m.Themes.Styles, box, lines), nil
	case len(above) == 2:
		above[0] = m.Themes.Styles.Rule(box.W)
	}
	theme.Lay(screen, box, theme.Blank(append(above, lines...), box.W, box.H))
	return cursor
}

// toDialog gives a key, a paste or the mouse to the uppermost dialog.
func (m *Model) toDialog(msg tea.Msg) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok {
		_, in := m.dialogBox()
		if !in.Holds(click.X, click.Y) {
			return nil
		}
		click.X, click.Y = click.X-in.X, click.Y-in.Y
		msg = click
	}
	return m.dialog().Update(msg)
}

// picker is a list to choose from.
type picker struct {
	*list.Model
	m      *Model
	stays  bool // it stays open when something is chosen
	chosen func(value string) tea.Cmd
	added  func(value string) tea.Cmd // what tab does, where the list has it
}

// pick opens a list, of which an item is used as chosen does, and by tab as added does.
func (m *Model) pick(o list.Options, items []list.Item, chosen, added func(value string) tea.Cmd) *picker {
	p := &picker{Model: list.New(m.Context, o, items...), m: m, chosen: chosen, added: added}
	m.open(p)
	return p
}

// isHelp says that it is the help, which the key that opens it closes.
func (p *picker) isHelp() bool { return p.Also == keymap.Help }

// Types says that a character goes on with the filter.
func (p *picker) Types() bool { return p.Filter.Text() != "" }

// View draws the list.
func (p *picker) View() (lines []string, x int) { return p.Model.View(p.m.Themes.Styles) }

// Update uses the item under the cursor, or moves that.
func (p *picker) Update(msg tea.Msg) tea.Cmd {
	result := p.Model.Update(msg)
	item, ok := p.Cursor()
	closes := p.m.Keys.First(keymap.Back) + " closes the list."
	switch {
	case result == list.Unknown:
		return p.m.NoKey(msg.(tea.KeyPressMsg), closes)
	case result == list.Chosen && !ok:
		return p.m.notice.Say("There is nothing to choose; " + closes)
	case result == list.Closed, result == list.Added, result == list.Chosen && !p.stays:
		p.m.close(p)
	}
	switch {
	case result == list.Chosen:
		return p.chosen(item.Value)
	case result == list.Added && ok:
		return p.added(item.Value)
	}
	return nil
}

// mostWide is the most cells of a list, its border included.
const mostWide = 112

// box is where the list floats: as high as its entries, and wider than the box for it where they need that.
func (p *picker) box(b theme.Box, most int) theme.Box {
	b.H = min(b.H, p.Height()+2)
	if wide := min(p.Width()+2, mostWide, most); wide > b.W {
		b.X, b.W = b.X-(wide-b.W)/2, wide
	}
	return b
}

// reader is a text to scroll through.
type reader struct {
	m     *Model
	name  string
	text  string
	lines viewport.Model
}

// read shows a text.
func (m *Model) read(name, text string) {
	m.open(&reader{m: m, name: name, text: markdown.Visible(text), lines: viewport.New()})
}

// Update scrolls by a key or the wheel, or closes the text.
func (r *reader) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		r.scroll(keymap.Wheel(msg, 3))
	case tea.KeyPressMsg:
		by, scrolls := r.m.Keys.Stride(msg, max(1, r.lines.Height()-1))
		if r.scroll(by); r.m.Keys.Pressed(msg, keymap.Back) {
			r.m.close(r)
		} else if !scrolls {
			return r.m.notice.Say(r.m.Keys.First(keymap.Back) + " closes this.")
		}
	}
	return nil
}

// scroll moves the text by so many lines, up where they are less than 0.
func (r *reader) scroll(by int) { r.lines.SetYOffset(r.lines.YOffset() + by) }

// Resize gives the text its size in cells.
func (r *reader) Resize(w, h int) {
	r.lines.SetHeight(h)
	if w == r.lines.Width() {
		return
	}
	indent := strings.Repeat(" ", theme.Gutter(w)+2)
	lines := theme.Wrap(r.text, max(1, w-2*len(indent)))
	for i := range lines {
		lines[i] = indent + lines[i]
	}
	r.lines.SetWidth(w)
	r.lines.SetContentLines(lines)
}

// View draws the lines that are on the screen.
func (r *reader) View() (lines []string, x int) { return strings.Split(r.lines.View(), "\n"), -1 }

// Hints are the keys of the text.
func (r *reader) Hints() []key.Binding {
	k := &r.m.Keys
	return []key.Binding{
		k.Hint("scroll", keymap.Down, keymap.Up), k.Hint("ends", keymap.Top, keymap.Bottom),
		k.Hint("close", keymap.Back),
	}
}

// dialogTitle is the title of the uppermost dialog, and what stands at the right end of the header.
func (m *Model) dialogTitle() (title, right string) {
	st := m.Themes.Styles
	switch d := m.dialog().(type) {
	case *sessions.Model:
		return d.Title(), st.Muted.Render(d.Position())
	case *inspector.Model:
		title = d.Title()
		if d.Past != nil && d.On.Message != 0 {
			title = d.Name + frame.Crumb + title
		}
		return markdown.OneLine(m.current.Title(), m.layout.Width) + frame.Crumb + title, d.Views(st)
	case *reader:
		return d.name, ""
	case *picker:
		title = d.Options.Title
	}
	return title, ""
}
