package ui

// sessionsHints are the keys that matter in the list.
func (m *Model) sessionsHints() []hint {
	k, l := &m.keys, &m.sessions
	switch {
	case l.purge != nil:
		return []hint{hintOf("purge it", k.Allow), hintOf("keep it", k.Refuse)}
	case l.held != nil:
		return m.copiesHints()
	case l.edit != nil && l.edit.tags:
		return []hint{hintOf("keep the tags", k.Choose), {"", "blanks or commas between them"}, hintOf("leave them as they were", k.Back)}
	case l.edit != nil:
		return []hint{hintOf("keep the title", k.Choose), hintOf("leave it as it was", k.Back)}
	case l.texts.on:
		return []hint{
			hintOf("open at the message", k.Choose),
			hintOf("titles", k.AllText),
			hintOf("move", k.ListUp, k.ListDown),
			hintOf("close", k.Back),
		}
	case l.shelf == trashShelf:
		return []hint{
			hintOf("bring it back", k.Restore),
			hintOf("purge", k.Delete),
			hintOf("in use", k.Shelves),
			hintOf("undo", k.Undo),
			hintOf("close", k.Back),
		}
	}
	next, archive := "archive", "archive it"
	if l.shelf == archiveShelf {
		next, archive = "trash", "back in use"
	}
	return []hint{
		hintOf("open", k.Choose),
		hintOf("all messages", k.AllText),
		hintOf("delete", k.Delete),
		hintOf(next, k.Shelves),
		hintOf("rename", k.Rename),
		hintOf("pin", k.PinTop),
		hintOf("tags", k.Tags),
		hintOf(archive, k.Archive),
		hintOf("undo", k.Undo),
		hintOf("new", k.New),
		hintOf("fork", k.ForkOff),
		hintOf("close", k.Back),
	}
}
