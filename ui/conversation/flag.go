package conversation

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/keymap"
)

// targets returns the ids of the messages that an action is for: the selected ones, else the one under the cursor of
// the panel or the transcript, whichever has the focus.
func (c *Model) targets() []int64 {
	if c.Panel.Focused && !c.Chat.HasSelection() {
		if e := c.Panel.SelectedRow().Entry; e != nil {
			return []int64{e.ID}
		}
		return nil
	}
	return c.Chat.Targets()
}

// Flag sets the flag of the target messages.
func (c *Model) Flag(f history.Flag) tea.Cmd {
	ids := c.targets()
	switch {
	case len(ids) > 0:
		return c.Chat.SetFlag(f, ids...)
	case c.Panel.Focused && c.Panel.SelectedRow().Added != nil:
		return c.Say("winnow added this text; it depends on the messages around it.")
	}
	return c.Fail("Select a message first: " + c.Keys.First(keymap.Focus) + " goes to the transcript.")
}

// ToggleFlag sets a flag on the target messages, or removes it if all of them have it.
func (c *Model) ToggleFlag(f history.Flag) tea.Cmd {
	ids, flags := c.targets(), c.Session.State().Flags
	if len(ids) > 0 && !slices.ContainsFunc(ids, func(id int64) bool { return flags[id] != f }) {
		f = ""
	}
	return c.Flag(f)
}
