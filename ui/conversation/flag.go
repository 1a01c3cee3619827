package conversation

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/keymap"
)

// chosen are the messages that an action is for: those that are selected, else the one under the cursor of the panel,
// where that has the keys, or of the transcript.
func (c *Model) chosen() []int64 {
	if c.Panel.Focused && !c.Chat.Selecting() {
		if e := c.Panel.Chosen().Entry; e != nil {
			return []int64{e.ID}
		}
		return nil
	}
	return c.Chat.Targets()
}

// Flag gives the chosen messages a flag.
func (c *Model) Flag(f history.Flag) tea.Cmd {
	ids := c.chosen()
	switch {
	case len(ids) > 0:
		return c.Chat.Flag(f, ids...)
	case c.Panel.Focused && c.Panel.Chosen().Added != nil:
		return c.Say("winnow added this text; it depends on the messages around it.")
	}
	return c.Fail("Select a message first: " + c.Keys.First(keymap.Focus) + " goes to the transcript.")
}

// Toggle gives the chosen messages a flag, or takes it away where all of them have it.
func (c *Model) Toggle(f history.Flag) tea.Cmd {
	ids, flags := c.chosen(), c.Session.State().Flags
	if len(ids) > 0 && !slices.ContainsFunc(ids, func(id int64) bool { return flags[id] != f }) {
		f = ""
	}
	return c.Flag(f)
}
