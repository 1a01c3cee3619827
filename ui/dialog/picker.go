package dialog

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/list"
)

// Picker is a dialog with a list to choose from.
type Picker struct {
	*list.Model

	stack  *Stack
	chosen func(value string) tea.Cmd
}

// Update moves the cursor, filters the list, chooses an item or closes the list.
func (p *Picker) Update(msg tea.Msg) tea.Cmd {
	result := p.Model.Update(msg)
	item, ok := p.SelectedItem()
	closes := p.stack.Keys.First(keymap.Back) + " closes the list."
	switch {
	case result == list.UnknownKey:
		return p.stack.NoKey(msg.(tea.KeyPressMsg), closes)
	case result == list.Chosen && !ok:
		return p.stack.Say("There is nothing to choose; " + closes)
	case result == list.Closed, result == list.Chosen && !p.StaysOpen:
		p.stack.Close(p)
	}
	if result == list.Chosen {
		return p.chosen(item.Value)
	}
	return nil
}
