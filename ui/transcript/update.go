package transcript

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
)

// Paste puts a text into the search line.
func (c *Model) Paste(text string) tea.Cmd {
	c.Search.Insert(text)
	return c.typed()
}

// Key is a key while the transcript has them.
func (c *Model) Key(msg tea.KeyPressMsg) tea.Cmd {
	if c.Search.Open {
		return c.searchKey(msg)
	}
	switch a := c.Keys.Action(msg, keymap.InTranscript); a {
	case keymap.Down:
		c.Scroll(1)
	case keymap.Up:
		c.Scroll(-1)
	case keymap.Next:
		c.Step(1)
	case keymap.Prev:
		c.Step(-1)
	case keymap.Top:
		c.First()
	case keymap.Bottom:
		c.Newest()
	case keymap.Boundary:
		return c.Say(c.boundary())
	case keymap.Expand:
		if !c.Expand() {
			return c.Say("This message has nothing to expand.")
		}
	case keymap.Find:
		cmd := c.SearchFor("", false)
		c.Search.Open = true
		return cmd
	case keymap.NextHit:
		return c.nextHit(1)
	case keymap.PrevHit:
		return c.nextHit(-1)
	case keymap.Select:
		return c.pick()
	case "":
		return c.Say(msg.String() + " does nothing in the transcript; " + c.Keys.First(keymap.Back) +
			" goes to the draft, " + c.Keys.First(keymap.Help) + " lists the keys.")
	default:
		return c.Screen.Do(a)
	}
	return nil
}
