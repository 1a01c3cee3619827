package dialog

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/theme"
)

// Picker is a list to choose from.
type Picker struct {
	*list.Model

	stack  *Stack
	chosen func(value string) tea.Cmd
	added  func(value string) tea.Cmd // what tab does, where the list has it
}

// isHelp says that it is the help, which the key that opens it closes.
func (p *Picker) isHelp() bool { return p.Also == keymap.Help }

// Types says that a character goes on with the filter.
func (p *Picker) Types() bool { return p.Filter.Text() != "" }

// View draws the list.
func (p *Picker) View() (lines []string, x int) { return p.Model.View(p.stack.Themes.Styles) }

// Update uses the item under the cursor, or moves that.
func (p *Picker) Update(msg tea.Msg) tea.Cmd {
	result := p.Model.Update(msg)
	item, ok := p.Cursor()
	closes := p.stack.Keys.First(keymap.Back) + " closes the list."
	switch {
	case result == list.Unknown:
		return p.stack.NoKey(msg.(tea.KeyPressMsg), closes)
	case result == list.Chosen && !ok:
		return p.stack.Say("There is nothing to choose; " + closes)
	case result == list.Closed, result == list.Added, result == list.Chosen && !p.Stays:
		p.stack.Close(p)
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
func (p *Picker) box(b theme.Box, most int) theme.Box {
	b.H = min(b.H, p.Height()+2)
	if wide := min(p.Width()+2, mostWide, most); wide > b.W {
		b.X, b.W = b.X-(wide-b.W)/2, wide
	}
	return b
}
