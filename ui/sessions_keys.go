package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// sessionsKey is a key while the list of sessions is open.
func (m *Model) sessionsKey(msg tea.KeyPressMsg) tea.Cmd {
	k, l := &m.keys, &m.sessions
	switch {
	case l.purge != nil:
		return m.purgeKey(msg)
	case l.edit != nil:
		return m.editKey(msg)
	case pressed(msg, k.Back, k.Sessions):
		m.uncover()
		return nil
	case pressed(msg, k.Choose):
		return m.chooseSession()
	case pressed(msg, k.ListUp):
		l.move(-1)
		return nil
	case pressed(msg, k.ListDown):
		l.move(1)
		return nil
	case pressed(msg, k.PageUp):
		l.move(-m.sessionsPage())
		return nil
	case pressed(msg, k.PageDown):
		l.move(m.sessionsPage())
		return nil
	}
	if cmd, ok := m.sessionKey(msg); ok {
		return cmd
	}
	if !l.typed(msg) {
		return m.say(msg.String() + " does nothing here; " + firstKey(k.Back) + " closes the list.")
	}
	return nil
}

// sessionKey is a key that does something to the session under the cursor, or to the list.
func (m *Model) sessionKey(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	k := &m.keys
	switch {
	case pressed(msg, k.Shelves):
		return m.nextShelf(), true
	case pressed(msg, k.Rename):
		return m.startRename(), true
	case pressed(msg, k.Tags):
		return m.startTags(), true
	case pressed(msg, k.PinTop):
		return m.pinSession(), true
	case pressed(msg, k.Archive):
		return m.archiveSession(), true
	case pressed(msg, k.Delete):
		return m.deleteSession(), true
	case pressed(msg, k.Restore):
		return m.restoreSession(), true
	case pressed(msg, k.Undo):
		return m.undoAct(), true
	case pressed(msg, k.New):
		return m.newSession(), true
	}
	return nil, false
}

// purgeKey answers whether a session goes for good. Only the key for it does that: any other key that is
// held or comes late does not.
func (m *Model) purgeKey(msg tea.KeyPressMsg) tea.Cmd {
	k, l := &m.keys, &m.sessions
	switch {
	case pressed(msg, k.Allow):
		return m.purgeSession()
	case pressed(msg, k.Refuse, k.Back):
		l.purge = nil
		return m.say("It stays in the trash.")
	}
	return m.say(msg.String() + " does nothing here; " + firstKey(k.Allow) + " purges the session, " + firstKey(k.Refuse) + " keeps it.")
}

// chooseSession opens the session under the cursor.
func (m *Model) chooseSession() tea.Cmd {
	s, ok := m.sessions.chosen()
	switch {
	case !ok:
		return m.say("There is nothing to open; " + firstKey(m.keys.Back) + " closes the list.")
	case s.ID == m.info.ID:
		m.bare()
		return nil
	case !s.Deleted.IsZero():
		return m.say("It is in the trash; " + firstKey(m.keys.Restore) + " brings it back first.")
	}
	return m.openSession(s.ID)
}

// sessionsPage is how far a page goes in the list.
func (m *Model) sessionsPage() int {
	return max(1, m.layout.overlay.within(framedOverlay(m.layout.overlay)).h-1-aboutLines)
}

// pasteInSessions puts a pasted text where the list is typed in.
func (m *Model) pasteInSessions(text string) tea.Cmd {
	l := &m.sessions
	msg := tea.KeyPressMsg{Code: tea.KeyExtended, Text: strings.TrimSpace(text)}
	switch {
	case msg.Text == "", l.purge != nil:
	case l.edit != nil:
		l.edit.typed(msg)
	default:
		l.typed(msg)
	}
	return nil
}

// wheel moves the cursor of the list, where no question stands over it.
func (l *sessionList) wheel(by int) {
	if l.purge == nil && l.edit == nil {
		l.move(by)
	}
}

// sessionsHints are the keys that matter in the list.
func (m *Model) sessionsHints() []hint {
	k, l := &m.keys, &m.sessions
	switch {
	case l.purge != nil:
		return []hint{hintOf("purge it", k.Allow), hintOf("keep it", k.Refuse)}
	case l.edit != nil && l.edit.tags:
		return []hint{hintOf("keep the tags", k.Choose), {"", "blanks or commas between them"}, hintOf("leave them as they were", k.Back)}
	case l.edit != nil:
		return []hint{hintOf("keep the title", k.Choose), hintOf("leave it as it was", k.Back)}
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
		hintOf("delete", k.Delete),
		hintOf(next, k.Shelves),
		hintOf("rename", k.Rename),
		hintOf("pin", k.PinTop),
		hintOf("tags", k.Tags),
		hintOf(archive, k.Archive),
		hintOf("undo", k.Undo),
		hintOf("new", k.New),
		hintOf("close", k.Back),
	}
}
