package transcript

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
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
	Rest     int // messages that go with those meant: the rest of their tool groups
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

// Flagging says that an action is being stored.
func (c *Model) Flagging() bool { return c.undo.busy }

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
		done.Rest = restOfGroups(s, a.IDs)
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

// restOfGroups counts the other messages of the tool groups that some messages belong to: a group is sent or left out
// as a whole.
func restOfGroups(s *session.Session, ids []int64) int {
	all := slices.Clone(ids)
	for _, id := range ids {
		all = append(all, s.Group(id)...)
	}
	slices.Sort(all)
	return len(slices.Compact(all)) - len(ids)
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

// Did is what an action did, in one line: to which messages, at which price, and what became of others.
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
	if done.Rest > 0 {
		text += " with " + theme.Thousands(done.Rest) + " more of the tool group"
	}
	if !done.Planned {
		return text + ". It applies to the next request; the current one is already sent."
	}
	text += ": " + done.price()
	over := (*history.OverBudgetError)(nil)
	if errors.As(done.Short, &over) {
		need := theme.Plural(max(1, over.Need-over.Have), "token")
		text += ". What must be sent is " + need + " more than fits"
	} else if others := done.others(); others != "" {
		text += "; " + others
	}
	if c.Screen.Past() {
		return text + ". It applies to the next request, not to the one shown."
	}
	return text + "."
}

// price is what an action changed in the tokens of the messages that have other flags now, as the server counts them.
func (done Done) price() string {
	before := map[int64]int{}
	for _, e := range done.Was.Entries {
		before[e.ID] = e.TokensAfter
	}
	n, unsent := 0, ""
	for _, e := range done.Now.Entries {
		if _, meant := done.Before[e.ID]; !meant {
			continue
		}
		if n += e.TokensAfter - before[e.ID]; e.Pinned && !e.Sent() {
			unsent = "it is still not sent, " + e.Cause.Sentence()
		}
	}
	if n != 0 {
		return theme.Signed(done.Now.Sum.Tokens(n)) + " tokens"
	}
	return cmp.Or(unsent, "the token count does not change")
}

// others says what became of messages that the action was not about.
func (done Done) others() string {
	words := map[history.ChangeKind]string{
		history.ChangeLeft: "dropped", history.ChangeShortened: "cut", history.ChangeEntered: "added",
		history.ChangeRecalled: "added", history.ChangeRestored: "sent longer",
	}
	became := map[string][]history.Entry{}
	for _, change := range history.Compare(done.Was.Entries, done.Now.Entries) {
		e := change.Entry()
		if _, meant := done.Before[e.ID]; !meant && words[change.Kind] != "" {
			became[words[change.Kind]] = append(became[words[change.Kind]], e)
		}
	}
	var list []string
	for _, word := range []string{"dropped", "cut", "added", "sent longer"} {
		if entries := became[word]; len(entries) > 0 {
			list = append(list, theme.Plural(len(entries), "message")+" "+word+" ("+theme.Named(entries)+")")
		}
	}
	return strings.Join(list, ", ")
}
