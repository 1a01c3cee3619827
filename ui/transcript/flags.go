package transcript

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Action is a change of flags by hand, or the undoing of one.
type Action struct {
	Flag   history.Flag           // that the messages are given; "" gives them back to the rules
	IDs    []int64                // the messages that it is about
	Before map[int64]history.Flag // of the messages that it changed
	Undo   bool                   // the flags are put back to what they were before
}

// Done is an action that was stored, with the plans before and after it.
type Done struct {
	Action
	Was, Now history.Plan
	Planned  bool  // there are plans: none are made while an answer arrives
	Short    error // why the plan after it cannot be sent
}

// undoStack is the actions that changed flags since the session was opened, and those that wait. One action is stored
// at a time, so that each is undone by itself.
type undoStack struct {
	done    []Action // the last one is undone first
	busy    bool     // an action is being stored
	waiting []Action
}

// Flag gives the selected messages a flag, else the one under the cursor; "" gives them back to the rules.
func (c *Model) Flag(f history.Flag) tea.Cmd {
	if ids := c.Picked(); len(ids) > 0 {
		return c.FlagThese(f, ids...)
	}
	if message, ok := c.Selected(); ok {
		return c.FlagThese(f, message.ID)
	}
	return c.Fail("Select a message first: " + c.Keys.First(keymap.Focus) + " goes to the transcript.")
}

// FlagThese gives messages a flag.
func (c *Model) FlagThese(f history.Flag, ids ...int64) tea.Cmd {
	return c.act(Action{Flag: f, IDs: ids})
}

// Undo undoes the last action.
func (c *Model) Undo() tea.Cmd { return c.act(Action{Undo: true}) }

// act stores an action, after those that were asked for before it.
func (c *Model) act(a Action) tea.Cmd {
	u := &c.undo
	switch n := len(u.done); {
	case u.busy:
		u.waiting = append(u.waiting, a)
		return nil
	case a.Undo && n == 0:
		return c.Say("There is nothing to undo: no message was pinned or excluded since the chat was opened.")
	case a.Undo:
		a = u.done[n-1]
		a.Undo = true
	}
	u.busy = true
	s, done := c.Session, Done{Action: a, Planned: !c.Busy}
	plan, show := c.Screen.Planner()
	return c.Run(func(ctx context.Context) tea.Msg {
		if done.Planned {
			done.Was, _ = plan() // Why it could not be sent was said before.
		}
		flags := a.Before
		if !a.Undo {
			flags = map[int64]history.Flag{}
			for _, id := range a.IDs {
				flags[id] = a.Flag
			}
		}
		before, err := s.SetFlags(ctx, flags)
		if !a.Undo {
			done.Before = before
		}
		if done.Planned {
			done.Now, done.Short = plan()
		}
		return app.Then(func() tea.Cmd {
			if s != c.Session {
				return nil
			}
			shown := show(done.Now, done.Short, done.Planned)
			return tea.Batch(shown, c.acted(done, err))
		})
	})
}

// acted says what an action did, and does the next one. What waits was asked for on top of it: where it failed, that is
// forgotten.
func (c *Model) acted(done Done, err error) tea.Cmd {
	u := &c.undo
	u.busy = false
	if err != nil {
		u.waiting = nil
		return c.Fail(theme.Sentence(err))
	}
	if done.Undo {
		u.done = u.done[:len(u.done)-1]
	} else if c.Unselect(); len(done.Before) > 0 {
		u.done = append(u.done, done.Action)
	}
	said := c.Say(c.Did(done))
	if len(u.waiting) == 0 {
		return said
	}
	next := u.waiting[0]
	u.waiting = u.waiting[1:]
	return tea.Batch(said, c.act(next))
}

// Did is what an action did, in one line: to which messages, at which price, and which others that drops.
func (c *Model) Did(done Done) string {
	which, be := c.NumbersOf(done.IDs...), " are "
	if len(done.IDs) == 1 {
		be = " is "
	}
	word := map[history.Flag]string{history.Pin: "pinned", history.Exclude: "excluded", "": "automatic"}[done.Flag]
	text := word + " " + which
	if done.Flag == "" {
		text = which + be + "automatic again"
	}
	switch {
	case len(done.Before) == 0:
		return theme.UpperFirst(which+be+word) + " already."
	case done.Undo:
		text = "Undone: " + text
	default:
		text = theme.UpperFirst(text)
	}
	rest := 0 // a tool group is left out as a whole
	for id := range done.Before {
		if !slices.Contains(done.IDs, id) {
			rest++
		}
	}
	if rest > 0 {
		text += " with " + theme.Thousands(rest) + " more of the tool group"
	}
	switch over := (*history.OverBudgetError)(nil); {
	case !done.Planned:
		return text + ". It applies to the next request; the current one is already sent."
	case errors.As(done.Short, &over):
		over := theme.Plural(over.Need-over.Have, "token")
		text += done.price() + ". What must be sent is " + over + " more than fits"
	default:
		text += done.price()
	}
	if c.Screen.Past() {
		return text + ". It applies to the next request, not to the one shown."
	}
	return text + "."
}

// price is what an action changed in the tokens of the messages that have other flags now, as the server counts them,
// and the messages that make room for them.
func (done Done) price() string {
	before := map[int64]int{}
	for _, e := range done.Was.Entries {
		before[e.ID] = e.TokensAfter
	}
	n, text := 0, ": the token count does not change"
	for _, e := range done.Now.Entries {
		if _, meant := done.Before[e.ID]; !meant {
			continue
		}
		if n += e.TokensAfter - before[e.ID]; e.Pinned && !e.Sent() {
			text = ": it is still not sent, " + e.Cause.Sentence()
		}
	}
	if n != 0 {
		text = ": " + theme.Signed(done.Now.Sum.Tokens(n)) + " tokens"
	}
	var dropped []history.Entry
	for _, change := range history.Compare(done.Was.Entries, done.Now.Entries) {
		e := change.Entry()
		if _, meant := done.Before[e.ID]; !meant && change.Kind == history.ChangeLeft {
			dropped = append(dropped, e)
		}
	}
	if len(dropped) > 0 {
		text += "; " + theme.Plural(len(dropped), "message") + " dropped (" + theme.Named(dropped) + ")"
	}
	return text
}
