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
	pin, exclude := k.Hint("pin", keymap.Pin), k.Hint("exclude", keymap.Exclude)
	inspect, copies := k.Hint("inspect", keymap.Inspect), k.Hint("copy", keymap.Copy)
	other, move := k.Hint("another model", keymap.AgainWith), k.Hint("message", keymap.Next, keymap.Prev)
	message, _ := c.Selected()
	hints := []key.Binding{inspect}
	if message.Siblings > 1 {
		hints = append([]key.Binding{k.Hint("versions", keymap.Earlier, keymap.Later)}, hints...)
	}
	switch _, failed := c.failed[message.ID]; {
	case c.Selecting():
		return []key.Binding{
			pin, exclude, k.Hint("add or remove one", keymap.Select), k.Hint("cancel the selection", keymap.Back),
		}
	case failed:
		hints = []key.Binding{k.Hint("try again", keymap.Again), other, k.Hint("what was sent", keymap.Seen), copies}
	case message.Role == history.Assistant:
		if strings.Contains(message.Content, "```") {
			copies = k.Hint("copy code", keymap.CopyCode)
		}
		hints = append(hints, copies, other, k.Hint("what it saw", keymap.Seen))
	case message.Role == history.User:
		hints = append(hints, k.Hint("edit", keymap.Edit), pin, exclude, copies)
	default:
		hints = append(hints, pin, exclude, copies)
	}
	return append(hints, move, k.Hint("help", keymap.Help))
}
