package transcript

import (
	"context"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/theme"
)

// action is a change of flags by hand, or the undoing of one.
type action struct {
	Flag   history.Flag           // that the messages are given; "" gives them back to the rules
	IDs    []int64                // the messages that it is about
	Before map[int64]history.Flag // of the messages that it changed
	Undo   bool                   // the flags are put back to what they were before
}

// Flag gives messages a flag.
func (c *Model) Flag(f history.Flag, ids ...int64) tea.Cmd {
	a := &action{Flag: f, IDs: ids}
	c.undo = append(c.undo, a)
	c.Unselect()
	return c.act(a, func() map[int64]history.Flag {
		flags := map[int64]history.Flag{}
		for _, id := range ids {
			flags[id] = f
		}
		return flags
	})
}

// Undo undoes the last action.
func (c *Model) Undo() tea.Cmd {
	last := len(c.undo) - 1
	if last < 0 {
		return c.Say("There is nothing to undo: no message was pinned or excluded since the chat was opened.")
	}
	undone := c.undo[last]
	c.undo = c.undo[:last]
	a := &action{Flag: undone.Flag, IDs: undone.IDs, Undo: true}
	return c.act(a, func() map[int64]history.Flag { return undone.Before })
}

// act stores flags, after those of the actions before it: by then it is known what these changed.
func (c *Model) act(a *action, flags func() map[int64]history.Flag) tea.Cmd {
	s := c.Session
	return c.InOrder(func(ctx context.Context) (err error) {
		a.Before, err = s.SetFlags(ctx, flags())
		return err
	}, func(err error) tea.Cmd {
		if s != c.Session {
			return nil
		}
		if len(a.Before) == 0 { // there is nothing to undo
			c.undo = slices.DeleteFunc(c.undo, func(done *action) bool { return done == a })
		}
		if err != nil {
			return c.Fail(theme.Sentence(err))
		}
		return tea.Batch(c.Replan(), c.Say(c.did(*a)))
	})
}

// did is what an action did, in one line.
func (c *Model) did(a action) string {
	which, be := c.NumbersOf(a.IDs...), " are "
	if len(a.IDs) == 1 {
		be = " is "
	}
	word := map[history.Flag]string{history.Pin: "pinned", history.Exclude: "excluded", "": "automatic"}[a.Flag]
	if len(a.Before) == 0 {
		return theme.UpperFirst(which + be + word + " already.")
	}
	text := word + " " + which
	if a.Flag == "" {
		text = which + be + "automatic again"
	}
	if a.Undo {
		text = "Undone: " + text
	}
	rest := maps.Clone(a.Before)
	maps.DeleteFunc(rest, func(id int64, _ history.Flag) bool { return slices.Contains(a.IDs, id) })
	if len(rest) > 0 {
		text += " with " + theme.Thousands(len(rest)) + " more of the tool group"
	}
	if text = theme.UpperFirst(text) + "."; c.Busy || c.Screen.Past() {
		text += " It applies to the next request."
	}
	return text
}
