package transcript

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/keymap"
)

// Deps are what the transcript works with.
type Deps struct {
	Keys       keymap.Map
	Run        func(func(context.Context) tea.Msg) tea.Cmd  // makes a command whose context ends with it
	NewContext func() (context.Context, context.CancelFunc) // makes the context of a command that may be stopped

	// Draft takes the draft as it is now; what it returns plans the next request with that, in a command.
	Draft func() func() (history.Plan, error)
}

// Around is what the parent sets before the transcript is updated or drawn.
type Around struct {
	Turns   int  // answers of the session
	Busy    bool // an answer arrives: nothing is planned meanwhile
	Past    bool // the request on show was sent
	Trial   bool // the request on show is one that other settings would send
	Changes int  // of the draft
}

// The events.
type (
	// Hushed says that the search line takes the line in which a notice is shown.
	Hushed struct{}
	// Moved says that the cursor went to another message by itself.
	Moved struct{}
	// SearchEnded says that a search is over; FromDraft that it was begun in the draft.
	SearchEnded struct{ FromDraft bool }
	// Wanted is what a key is for that concerns more than the transcript. It is about the message under the cursor.
	Wanted struct{ Action keymap.Action }
	// Flagged says that flags were changed. Plan is the next request with them, or Err says why it cannot be sent;
	// it is Stale where the draft has changed since, or where none was made.
	Flagged struct {
		Plan  history.Plan
		Err   error
		Stale bool
	}
)

// Msg is a message for Update that the transcript's own commands send.
type Msg interface{ transcript() }

// Update is a key, a paste into the search line, the mouse, whose place is counted from the corner of the
// transcript, or what a command of the transcript has done.
func (c Model) Update(msg tea.Msg) (Model, tea.Cmd) {
	cmd := c.update(msg)
	return c, cmd
}

func (c *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if c.Search.Open {
			return c.searchKey(msg)
		}
		return c.key(msg)
	case tea.PasteMsg:
		c.Search.Insert(msg.Content)
		return c.seekTyped()
	case tea.MouseClickMsg:
		return c.press(msg.X, msg.Y)
	case tea.MouseMotionMsg:
		c.drag(msg.X, msg.Y)
	case tea.MouseReleaseMsg:
		return c.release(msg.Y)
	case CalmMsg:
		c.calm(msg)
	case FoundMsg:
		return c.found(msg)
	case LastWholeMsg:
		return c.lastWhole(msg)
	case FlaggedMsg:
		return c.flagged(msg)
	}
	return nil
}

// key is a key while the transcript has them and no search is being typed.
func (c *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	switch a := c.Keys.Action(msg, keymap.InTranscript); a {
	case keymap.Down:
		c.Scroll(1)
	case keymap.Up:
		c.Scroll(-1)
	case keymap.Next:
		c.Step(1)
	case keymap.Prev:
		c.Step(-1)
	case keymap.HalfDown:
		c.list.HalfPage(1)
	case keymap.HalfUp:
		c.list.HalfPage(-1)
	case keymap.Top:
		c.First()
	case keymap.Bottom:
		c.Newest()
	case keymap.Boundary:
		switch {
		case len(c.Next.Entries) == 0:
			return c.Say("There is no plan of the next request yet.")
		case !c.Boundary():
			return c.Say(c.fromStart())
		}
	case keymap.Expand:
		if !c.Expand() {
			return c.Say("This message has nothing to expand.")
		}
	case keymap.Find:
		return c.openSearch()
	case keymap.NextHit:
		return c.nextHit(1)
	case keymap.PrevHit:
		return c.nextHit(-1)
	case keymap.Pin:
		return c.Flag(history.Pin)
	case keymap.Exclude:
		return c.Flag(history.Exclude)
	case keymap.Auto:
		return c.Flag("")
	case keymap.TakeBack:
		return c.Undo()
	case keymap.Select:
		return c.selectRange()
	case keymap.Pick:
		return c.pick()
	case "":
		return c.Say(msg.String() + " does nothing in the transcript; " + c.Keys.First(keymap.Back) +
			" goes to the draft, " + c.Keys.First(keymap.Ask) + " lists the keys.")
	default:
		return c.Emit(Wanted{a})
	}
	return nil
}

// Click selects the message at line y. A click on its receipt is for what the model saw for it, one on a trail
// for the conversation there, and one on the boundary goes where the model's view begins.
func (c *Model) Click(y int) tea.Cmd {
	id, part, ok := c.list.At(y)
	if !ok {
		return nil
	}
	c.GoTo(id)
	switch part {
	case BoundaryPart:
		c.Boundary()
	case ReceiptPart:
		return c.Emit(Wanted{keymap.Seen})
	case TrailPart:
		return c.Emit(Wanted{keymap.Trail})
	}
	return nil
}
