package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/theme"
)

// listOverlay is a list to choose from.
type listOverlay struct {
	floats
	*list.Model
	stays  bool // it stays open when something is chosen
	tries  bool // its items are themes: the one under the cursor is tried out
	chosen func(value string) tea.Cmd
	added  func(value string) tea.Cmd // what tab does, where the list has it
}

func (o *listOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	in := m.overlayInner()
	o.Resize(in.W, in.H)
	if click, ok := msg.(tea.MouseClickMsg); ok {
		if !in.Holds(click.X, click.Y) {
			return nil
		}
		click.X, click.Y = click.X-in.X, click.Y-in.Y
		msg = click
	}
	result := o.Update(msg)
	item, ok := o.Cursor()
	switch {
	case result == list.Closed:
		m.uncover()
	case result == list.Chosen && ok:
		if !o.stays {
			m.uncover()
		}
		return o.chosen(item.Value)
	case result == list.Added && ok:
		m.uncover()
		return o.added(item.Value)
	case result == list.Chosen:
		return m.notice.Say("There is nothing to choose; " + m.keys.First(keymap.Back) + " closes the list.")
	case result == list.Unknown:
		return m.ctx.NoKey(msg.(tea.KeyPressMsg), m.keys.First(keymap.Back)+" closes the list.")
	}
	m.tryTheme()
	return nil
}

func (o *listOverlay) view(m *Model, in theme.Box) ([]string, *tea.Cursor) {
	o.Resize(in.W, in.H)
	lines, x := o.View(m.themes.Styles)
	return lines, tea.NewCursor(in.X+x, in.Y)
}

func (o *listOverlay) title(*Model) (string, string) { return o.Title, theme.Thousands(o.Shown()) }

// state is at the right end of the hints.
func (o *listOverlay) state(*Model) string { return o.Remark }

func (o *listOverlay) hints(*Model) []key.Binding { return o.Model.Hints() }
func (o *listOverlay) types(*Model) bool          { return o.Filter.Text() != "" }

// mostWide is the most cells of a list, its border included.
const mostWide = 112

// box is where the list lies: wider than other boxes where its lines need that. The themes take little room: what they
// colour must be seen.
func (o *listOverlay) box(m *Model) theme.Box {
	b := m.layout.Overlay
	h := min(b.H, o.Height()+2)
	if !o.tries {
		b.H = h
		if wide := min(o.Width()+2, mostWide, m.layout.Width-2*m.layout.Gutter); wide > b.W {
			b.X, b.W = (m.layout.Width-wide)/2, wide
		}
		return b
	}
	w := min(b.W, 56)
	return theme.Box{X: b.X + b.W - w, Y: b.Y + b.H - h, W: w, H: h}
}

// sameList says that one list is open in the place of another of its kind.
func sameList(a, b overlay) bool {
	x, ok := a.(*listOverlay)
	y, is := b.(*listOverlay)
	return ok && is && x.Title == y.Title
}

// newList is a list of which an item is used as chosen does.
func newList(m *Model, o list.Options, items []list.Item, chosen func(value string) tea.Cmd) *listOverlay {
	return &listOverlay{Model: list.New(m.ctx, o, items...), chosen: chosen}
}

// openPalette lists the commands: at first a dozen of them, by groups; typing finds the rest.
func (m *Model) openPalette() tea.Cmd {
	l := newList(m, list.Options{
		Title: "commands", Prompt: "Find a command", Does: "run", Adds: "complete", Also: keymap.Palette,
		Short: true,
	}, paletteChoices(m.keys), m.takeCommand)
	l.added = func(name string) tea.Cmd { return writeCommand(m, name) }
	m.overlays.open(l)
	return nil
}

// paletteChoices are the commands as a list shows them.
func paletteChoices(keys keymap.Map) []list.Item {
	var choices []list.Item
	for _, c := range Commands() {
		item := list.Item{Label: c.Title(), About: c.Help, Group: c.group, Value: c.value()}
		if c.title == "" {
			item.Label = c.Usage()
		}
		if c.key != "" {
			item.Right = keys.First(c.key)
		}
		choices = append(choices, item)
	}
	return choices
}

// takeCommand runs a command of the palette, or puts it into the draft where something must follow.
func (m *Model) takeCommand(name string) tea.Cmd {
	c, ok := commandNamed(name)
	switch {
	case !ok:
		return nil
	case c.Needs():
		return writeCommand(m, name)
	}
	if c.Name != "" {
		m.composer.Remember(store.Draft{Text: "/" + name})
	}
	return c.run(m, "")
}

// writeCommand puts a slash command into the draft, and runs any other.
func writeCommand(m *Model, name string) tea.Cmd {
	if c, _ := commandNamed(name); c.Name == "" {
		return m.takeCommand(name)
	}
	if !m.composer.Empty() {
		return m.notice.Error("/" + name + " is written in an empty draft: send or clear the draft first.")
	}
	m.bare()
	m.setFocus(draftPane)
	m.composer.Set("/" + name + " ")
	return nil
}
