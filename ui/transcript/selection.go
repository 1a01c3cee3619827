package transcript

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// selection is the messages that the next action is about: single ones, and a range that grows with the cursor.
type selection struct {
	ranged bool // a range runs from anchor to the cursor
	anchor int64
	picked map[int64]bool
}

// Selecting says whether messages are being selected.
func (c *Model) Selecting() bool { return c.selection.ranged || len(c.selection.picked) > 0 }

// Holds says whether a message is selected, with the cursor where it is.
func (c *Model) Holds(id int64) bool {
	if c.selection.picked[id] {
		return true
	}
	from, to, ok := c.span()
	at, there := c.Index(id)
	return ok && there && from <= at && at <= to
}

// span is the range by places in the conversation, both ends in it.
func (c *Model) span() (from, to int, ok bool) {
	if !c.selection.ranged {
		return 0, 0, false
	}
	a, known := c.Index(c.selection.anchor)
	b := a
	if message, ok := c.Selected(); ok {
		b = c.indexOf(message.ID)
	}
	return min(a, b), max(a, b), known
}

// Picked are the ids of the selected messages in the order of the conversation.
func (c *Model) Picked() []int64 {
	var list []int64
	for id := range c.selection.picked {
		if _, ok := c.Index(id); ok {
			list = append(list, id)
		}
	}
	if from, to, ok := c.span(); ok {
		for i := from; i <= to; i++ {
			if id := c.Messages.ID(i); !c.selection.picked[id] {
				list = append(list, id)
			}
		}
	}
	slices.Sort(list) // a message is younger than those before it
	return list
}

// selectRange begins a range at the cursor, or keeps the one that there is and ends it.
func (c *Model) selectRange() tea.Cmd {
	message, ok := c.Selected()
	switch {
	case c.selection.ranged:
		c.KeepRange()
		return c.Say("The range is kept: " + c.Keys.First(keymap.Pick) + " adds or removes a message, " +
			c.Keys.First(keymap.Select) + " starts another range.")
	case !ok:
		return c.Say("There is no message here to start a range at.")
	}
	c.selection.ranged, c.selection.anchor = true, message.ID
	return nil
}

// KeepRange makes single messages of the range, before the cursor moves to a message that is not meant.
func (c *Model) KeepRange() {
	if !c.selection.ranged {
		return
	}
	for _, id := range c.Picked() {
		c.set(id, true)
	}
	c.selection.ranged = false
}

func (c *Model) set(id int64, picked bool) {
	if c.selection.picked == nil {
		c.selection.picked = map[int64]bool{}
	}
	if delete(c.selection.picked, id); picked {
		c.selection.picked[id] = true
	}
}

// pick adds the message under the cursor to the selection, or takes it out.
func (c *Model) pick() tea.Cmd {
	message, ok := c.Selected()
	if !ok {
		return c.Say("There is no message here to select.")
	}
	c.KeepRange()
	c.set(message.ID, !c.selection.picked[message.ID])
	return nil
}

// Unselect leaves the selection.
func (c *Model) Unselect() { c.selection = selection{} }

// SelectionTitle says how many messages are selected, and their tokens in the request on show; "" where
// nothing is.
func (c *Model) SelectionTitle() string {
	ids := c.Picked()
	if len(ids) == 0 {
		return ""
	}
	sent, whole := 0, 0
	for _, id := range ids {
		if e, ok := c.Verdict(id); ok {
			sent += e.TokensAfter
			whole += max(e.TokensBefore, e.TokensAfter)
		}
	}
	title := theme.Thousands(len(ids)) + " selected"
	counted := func(n int) string { return theme.Thousands(c.Plan.Sum.Tokens(n)) }
	switch {
	case len(c.Plan.Entries) == 0:
		return title
	case sent == whole:
		return title + " · " + counted(sent) + " tokens"
	}
	return title + " · " + counted(sent) + " of " + counted(whole) + " tokens"
}
