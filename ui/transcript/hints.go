package transcript

import "winnow/ui/keymap"

// Hints are the keys that matter in the transcript, and for a selection. The last one says how to leave, or where
// the rest is.
func (c *Model) Hints() []keymap.Hint {
	k := &c.Keys
	if c.Selecting() {
		return []keymap.Hint{
			k.Hint("pin", keymap.Pin),
			k.Hint("exclude", keymap.Exclude),
			k.Hint("auto", keymap.Auto),
			k.Hint("add or remove one", keymap.Pick),
			k.Hint("range", keymap.Select),
			k.Hint("leave the selection", keymap.Back),
		}
	}
	hints := []keymap.Hint{k.Hint("message", keymap.Next, keymap.Prev)}
	message, _ := c.Selected()
	if message.Siblings > 1 {
		hints = append(hints, k.Hint("versions", keymap.VersionBack, keymap.VersionOn))
	}
	if c.Trails[message.ID] != "" {
		hints = append(hints, k.Hint("forks", keymap.Trail))
	}
	return append(
		hints,
		k.Hint("inspect", keymap.Inspect),
		k.Hint("what it saw", keymap.Seen),
		k.Hint("pin exclude auto", keymap.Pin, keymap.Exclude, keymap.Auto),
		k.Hint("search", keymap.Find),
		k.Hint("select", keymap.Select),
		k.Hint("copy", keymap.Copy),
		k.Hint("undo", keymap.TakeBack),
		k.Hint("request", keymap.Request),
		k.Hint("edit", keymap.Edit),
		k.Hint("ask again", keymap.Again),
		k.Hint("fork", keymap.Fork),
		k.Hint("boundary", keymap.Boundary),
		k.Hint("what if", keymap.WhatIf),
		k.Hint("repairs", keymap.Repairs),
		k.Hint("draft", keymap.Back),
		k.Hint("help", keymap.Ask),
	)
}
