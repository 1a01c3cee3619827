package ui

import (
	tea "charm.land/bubbletea/v2"
)

// sessionsKey is a key while the list of sessions is open.
func (m *Model) sessionsKey(msg tea.KeyPressMsg) tea.Cmd {
	k, l := &m.keys, &m.sessions
	switch {
	case l.purge != nil:
		return m.purgeKey(msg)
	case l.held != nil:
		return m.copiesKey(msg)
	case l.edit != nil:
		return m.editKey(msg)
	case pressed(msg, k.Back, k.Sessions):
		m.uncover()
		return nil
	case pressed(msg, k.Choose):
		return m.chooseSession()
	case pressed(msg, k.ListUp):
		l.step(-1)
		return nil
	case pressed(msg, k.ListDown):
		l.step(1)
		return nil
	case pressed(msg, k.PageUp):
		l.step(-m.sessionsPage())
		return nil
	case pressed(msg, k.PageDown):
		l.step(m.sessionsPage())
		return nil
	}
	if cmd, ok := m.sessionKey(msg); ok {
		return cmd
	}
	before := l.filter.Text
	if !l.filter.Typed(msg) {
		return m.noKey(msg, firstKey(k.Back)+" closes the list.")
	}
	return m.filterTyped(before)
}

// filterTyped shows what the filter leaves, which was another one before.
func (m *Model) filterTyped(before string) tea.Cmd {
	if l := &m.sessions; l.filtered(before) && l.texts.on {
		return m.textTyped()
	}
	return nil
}

// sessionKey is a key that does something to the session under the cursor, or to the list.
func (m *Model) sessionKey(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	k := &m.keys
	switch {
	case pressed(msg, k.AllText):
		return m.toggleTexts(), true
	case pressed(msg, k.Shelves):
		return m.nextShelf(), true
	case pressed(msg, k.Undo):
		return m.undoAct(), true
	case pressed(msg, k.New):
		return m.newSession(), true
	case m.sessions.texts.on && pressed(msg, k.Rename, k.Tags, k.PinTop, k.Archive, k.Delete, k.Restore, k.ForkOff):
		return m.say(msg.String() + " is for sessions; " + firstKey(k.AllText) + " goes back to their list."), true
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
	case pressed(msg, k.ForkOff):
		return m.forkSession(), true
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
	return m.noKey(msg, firstKey(k.Allow)+" purges the session, "+firstKey(k.Refuse)+" keeps it.")
}

// chooseSession opens the session under the cursor.
func (m *Model) chooseSession() tea.Cmd {
	if m.sessions.texts.on {
		return m.openHit()
	}
	s, ok := m.sessions.chosen()
	switch {
	case !ok:
		return m.say("There is nothing to open; " + firstKey(m.keys.Back) + " closes the list.")
	case s.ID == m.info.ID:
		m.bare()
		return nil
	case !s.Deleted.IsZero():
		return m.inTrash()
	}
	return m.openSession(s.ID)
}

// sessionsPage is how far a page goes in the list.
func (m *Model) sessionsPage() int {
	h := m.overlayRoom().H - 1
	if m.sessions.texts.on {
		return max(1, h/hitLines)
	}
	return max(1, h-aboutLines)
}

// step moves the cursor of what is listed.
func (l *sessionList) step(by int) {
	if l.texts.on {
		l.texts.move(by)
		return
	}
	l.move(by)
}
