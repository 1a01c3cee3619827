package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
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
	case k.Pressed(msg, keymap.Back, keymap.Sessions):
		m.uncover()
		return nil
	case k.Pressed(msg, keymap.Choose):
		return m.chooseSession()
	case k.Pressed(msg, keymap.ListUp):
		l.step(-1)
		return nil
	case k.Pressed(msg, keymap.ListDown):
		l.step(1)
		return nil
	case k.Pressed(msg, keymap.PageUp):
		l.step(-m.sessionsPage())
		return nil
	case k.Pressed(msg, keymap.PageDown):
		l.step(m.sessionsPage())
		return nil
	}
	if cmd, ok := m.sessionKey(msg); ok {
		return cmd
	}
	before := l.filter.Text
	if !l.filter.Typed(msg) {
		return m.noKey(msg, k.First(keymap.Back)+" closes the list.")
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
	case k.Pressed(msg, keymap.AllText):
		return m.toggleTexts(), true
	case k.Pressed(msg, keymap.Shelves):
		return m.nextShelf(), true
	case k.Pressed(msg, keymap.Undo):
		return m.undoAct(), true
	case k.Pressed(msg, keymap.New):
		return m.newSession(), true
	case m.sessions.texts.on && k.Pressed(msg, keymap.Rename, keymap.Tags, keymap.PinTop, keymap.Archive, keymap.Delete, keymap.Restore, keymap.ForkOff):
		return m.say(msg.String() + " is for sessions; " + k.First(keymap.AllText) + " goes back to their list."), true
	case k.Pressed(msg, keymap.Rename):
		return m.startRename(), true
	case k.Pressed(msg, keymap.Tags):
		return m.startTags(), true
	case k.Pressed(msg, keymap.PinTop):
		return m.pinSession(), true
	case k.Pressed(msg, keymap.Archive):
		return m.archiveSession(), true
	case k.Pressed(msg, keymap.Delete):
		return m.deleteSession(), true
	case k.Pressed(msg, keymap.Restore):
		return m.restoreSession(), true
	case k.Pressed(msg, keymap.ForkOff):
		return m.forkSession(), true
	}
	return nil, false
}

// purgeKey answers whether a session goes for good. Only the key for it does that: any other key that is
// held or comes late does not.
func (m *Model) purgeKey(msg tea.KeyPressMsg) tea.Cmd {
	k, l := &m.keys, &m.sessions
	switch {
	case k.Pressed(msg, keymap.Allow):
		return m.purgeSession()
	case k.Pressed(msg, keymap.Refuse, keymap.Back):
		l.purge = nil
		return m.say("It stays in the trash.")
	}
	return m.noKey(msg, k.First(keymap.Allow)+" purges the session, "+k.First(keymap.Refuse)+" keeps it.")
}

// chooseSession opens the session under the cursor.
func (m *Model) chooseSession() tea.Cmd {
	if m.sessions.texts.on {
		return m.openHit()
	}
	s, ok := m.sessions.chosen()
	switch {
	case !ok:
		return m.say("There is nothing to open; " + m.keys.First(keymap.Back) + " closes the list.")
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
