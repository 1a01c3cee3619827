package sessions

import (
	"slices"

	"charm.land/bubbles/v2/key"

	"winnow/ui/keymap"
)

// Hints are the keys that matter in the list.
func (l *Model) Hints() []key.Binding {
	k := &l.Keys
	switch {
	case l.Purge != nil:
		return []key.Binding{k.Hint("delete permanently", keymap.Allow), k.Hint("keep", keymap.Refuse)}
	case l.Edit != nil && l.Edit.tags:
		return []key.Binding{
			k.Hint("save the tags", keymap.Choose), keymap.Typed("", "separate by spaces or commas"),
			k.Hint("cancel", keymap.Back),
		}
	case l.Edit != nil:
		return []key.Binding{k.Hint("save the title", keymap.Choose), k.Hint("cancel", keymap.Back)}
	case l.noMatch():
		other := "all messages"
		if l.Texts.On {
			other = "titles"
		}
		return []key.Binding{k.Hint(other, keymap.AllText), k.Hint("clear the filter", keymap.Back)}
	case l.Texts.On && len(l.Texts.Hits) == 0:
		return []key.Binding{k.Hint("titles", keymap.AllText), k.Hint("close", keymap.Back)}
	case l.Texts.On:
		open := "open at the match"
		if at, _, _ := l.Texts.on(); at.hit < 0 {
			open = "list them"
		}
		return []key.Binding{
			k.Hint(open, keymap.Choose),
			k.Hint("titles", keymap.AllText),
			k.Hint("rename", keymap.Rename),
			k.Hint("delete", keymap.Delete),
			k.Hint("pin", keymap.PinTop),
			k.Hint("tags", keymap.Tags),
			k.Hint("close", keymap.Back),
		}
	case l.shelf == trashShelf:
		return []key.Binding{
			k.Hint("restore", keymap.Restore),
			k.Hint("purge", keymap.Delete),
			k.Hint("active", keymap.Shelves),
			k.Hint("undo", keymap.Undo),
			k.Hint("close", keymap.Back),
		}
	}
	if len(l.Lines) == 0 && l.shelf == usedShelf {
		return []key.Binding{
			k.Hint("new chat", keymap.New), k.Hint("archive", keymap.Shelves), k.Hint("close", keymap.Back),
		}
	}
	next, archive := "archive", "archive it"
	if l.shelf == archiveShelf {
		next, archive = "trash", "unarchive"
	}
	hints := []key.Binding{
		k.Hint("open", keymap.Choose),
		k.Hint("all messages", keymap.AllText),
		k.Hint("rename", keymap.Rename),
		k.Hint("pin", keymap.PinTop),
		k.Hint("delete", keymap.Delete),
	}
	shelf := k.Hint(next, keymap.Shelves)
	if l.shelf == usedShelf {
		hints = append(hints, shelf)
	} else { // Where the other lists are matters more there.
		hints = slices.Insert(hints, 2, shelf)
	}
	return append(
		hints,
		k.Hint("tags", keymap.Tags),
		k.Hint(archive, keymap.Archive),
		k.Hint("undo", keymap.Undo),
		k.Hint("new", keymap.New),
		k.Hint("fork", keymap.ForkOff),
		k.Hint("close", keymap.Back),
	)
}
