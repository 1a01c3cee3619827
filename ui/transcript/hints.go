package transcript

import (
	"strings"

	"charm.land/bubbles/v2/key"

	"winnow/history"
	"winnow/ui/keymap"
)

// Hints are the keys that matter most in the transcript, and for a selection. The last one says how to leave, or where
// the rest is.
func (c *Model) Hints() []key.Binding {
	k := &c.Keys
	if c.Selecting() {
		return []key.Binding{
			k.Hint("pin", keymap.Pin), k.Hint("exclude", keymap.Exclude), k.Hint("range", keymap.Select),
			k.Hint("cancel the selection", keymap.Back),
		}
	}
	move, inspect, copies := k.Hint("message", keymap.Next, keymap.Prev), k.Hint("inspect", keymap.Inspect),
		k.Hint("copy", keymap.Copy)
	if _, on := c.Failed(); on {
		return []key.Binding{
			k.Hint("try again", keymap.Again), k.Hint("another model", keymap.AgainWith),
			k.Hint("what was sent", keymap.Inspect), copies, move, k.Hint("help", keymap.Help),
		}
	}
	var hints []key.Binding
	message, _ := c.Selected()
	if message.Siblings > 1 {
		hints = append(hints, k.Hint("versions", keymap.Earlier, keymap.Later))
	}
	if c.Trails[message.ID] != "" {
		hints = append(hints, keymap.Typed(k.First(keymap.Palette), "forks"))
	}
	hints = append(hints, inspect)
	switch pin, exclude := k.Hint("pin", keymap.Pin), k.Hint("exclude", keymap.Exclude); message.Role {
	case history.Assistant:
		if strings.Contains(message.Content, "```") {
			copies = k.Hint("copy code", keymap.CopyCode)
		}
		hints = append(hints, copies, k.Hint("another model", keymap.AgainWith), k.Hint("what it saw", keymap.Seen))
	case history.User:
		hints = append(hints, k.Hint("edit", keymap.Edit), pin, exclude, copies)
	default:
		hints = append(hints, pin, exclude, copies)
	}
	return append(hints, move, k.Hint("help", keymap.Help))
}
