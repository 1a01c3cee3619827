package transcript

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// selection is the messages that the next action is about: single ones, and a range that grows with the cursor.
type selection struct {
	anchor int64 // where the range begins, 0 for none
	picked map[int64]bool
}

// Selecting says whether messages are being selected.
func (c *Model) Selecting() bool { return c.selection.anchor != 0 || len(c.selection.picked) > 0 }

// Holds says whether a message is selected, with the cursor where it is.
func (c *Model) Holds(id int64) bool {
	if c.selection.picked[id] {
		return true
	}
	from, to := c.span()
	at, there := c.Index(id)
	return there && from <= at && at < to
}

// span is the range by places in the conversation.
func (c *Model) span() (from, to int) {
	a, ok := c.Index(c.selection.anchor)
	if !ok {
		return 0, 0
	}
	b, ok := c.Index(c.cursor)
	if !ok {
		b = a
	}
	return min(a, b), max(a, b) + 1
}

// Picked are the ids of the selected messages in the order of the conversation.
func (c *Model) Picked() []int64 {
	var list []int64
	for id := range c.selection.picked {
		if _, ok := c.Index(id); ok {
			list = append(list, id)
		}
	}
	for i, to := c.span(); i < to; i++ {
		list = append(list, c.Messages.ID(i))
	}
	slices.Sort(list) // a message is younger than those before it
	return slices.Compact(list)
}

// selectRange begins a range at the cursor, or keeps the one that there is and ends it.
func (c *Model) selectRange() tea.Cmd {
	message, ok := c.Selected()
	switch {
	case c.selection.anchor != 0:
		c.KeepRange()
		return c.Say("The range is kept: " + c.Keys.First(keymap.Select) + " starts another range.")
	case !ok:
		return c.Say("There is no message here to start a range at.")
	}
	c.selection.anchor = message.ID
	return nil
}

// KeepRange makes single messages of the range, before the cursor moves to a message that is not meant.
func (c *Model) KeepRange() {
	picked := map[int64]bool{}
	for _, id := range c.Picked() {
		picked[id] = true
	}
	c.selection = selection{picked: picked}
}

// Unselect leaves the selection.
func (c *Model) Unselect() { c.selection = selection{} }

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

// Named are the messages that numbers name, such as 3 5-8, or a sentence that says what is wrong with them.
func (c *Model) Named(numbers string) (ids []int64, fault string) {
	if !c.Session.Now().Whole {
		return nil, "The chat is still being read."
	}
	for _, word := range strings.FieldsFunc(numbers, func(r rune) bool { return r == ' ' || r == ',' }) {
		first, last, ranged := strings.Cut(word, "-")
		if !ranged {
			last = first
		}
		from, _ := strconv.Atoi(first)
		to, _ := strconv.Atoi(last) // what is no number names no message
		if from < 1 || to < from || to > c.Messages.Len() {
			return nil, fmt.Sprintf("%s names no message: the chat has %s, numbered as in the panel, such as 3 5-8.",
				word, theme.Plural(c.Messages.Len(), "message"))
		}
		for i := from - 1; i < to; i++ {
			ids = append(ids, c.Messages.ID(i))
		}
	}
	return ids, ""
}
