package transcript

import (
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/theme"
)

// Selecting says whether messages are selected, which the next action is about then.
func (c *Model) Selecting() bool { return len(c.selected) > 0 }

// Holds says whether a message is selected.
func (c *Model) Holds(id int64) bool { return c.selected[id] }

// Unselect leaves the selection.
func (c *Model) Unselect() { c.selected = map[int64]bool{} }

// Picked are the ids of the selected messages in the order of the conversation.
func (c *Model) Picked() []int64 {
	list := slices.Sorted(maps.Keys(c.selected)) // a message is younger than those before it
	return slices.DeleteFunc(list, func(id int64) bool {
		_, there := c.Messages.Find(id)
		return !there
	})
}

// pick adds the message under the cursor to the selection, or takes it out, and goes to the next one.
func (c *Model) pick() tea.Cmd {
	message, ok := c.Selected()
	switch {
	case !ok:
		return c.Say("There is no message here to select.")
	case c.selected[message.ID]:
		delete(c.selected, message.ID)
	default:
		c.selected[message.ID] = true
	}
	c.Step(1)
	c.Screen.Moved()
	return nil
}

// SelectionTitle says how many messages are selected, and their tokens in the request on show; "" where nothing is.
func (c *Model) SelectionTitle() string {
	ids, tokens := c.Picked(), 0
	for _, id := range ids {
		if e := c.entry(id); e != nil {
			tokens += e.TokensAfter
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return theme.Thousands(len(ids)) + " selected · " + theme.Thousands(c.Plan.Sum.Tokens(tokens)) + " tokens"
}
