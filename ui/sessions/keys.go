package sessions

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// key is a key while the list of sessions is open.
func (l *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	k := &l.Keys
	switch {
	case l.Purge != nil:
		return l.purgeKey(msg)
	case l.Edit != nil:
		return l.editKey(msg)
	case k.Pressed(msg, keymap.Back) && l.noMatch():
		before := l.Filter.Text()
		l.Filter = theme.NewField("")
		return l.filterTyped(before)
	case k.Pressed(msg, keymap.Back, keymap.Sessions):
		l.Emit(Closed{})
		return nil
	case k.Pressed(msg, keymap.Choose):
		return l.chooseSession()
	case k.Pressed(msg, keymap.ListUp):
		l.step(-1)
		return nil
	case k.Pressed(msg, keymap.ListDown):
		l.step(1)
		return nil
	case k.Pressed(msg, keymap.PageUp):
		l.step(-l.page())
		return nil
	case k.Pressed(msg, keymap.PageDown):
		l.step(l.page())
		return nil
	}
	if cmd, ok := l.sessionKey(msg); ok {
		return cmd
	}
	before := l.Filter.Text()
	if !l.Filter.Typed(msg) {
		return l.NoKey(msg, k.First(keymap.Back)+" closes the list.")
	}
	return l.filterTyped(before)
}

// filterTyped shows what the filter leaves, which was another one before.
func (l *Model) filterTyped(before string) tea.Cmd {
	if l.Filtered(before) && l.Texts.On {
		return l.textTyped()
	}
	return nil
}

// sessionKey is a key that does something to the session under the cursor, or to the list.
func (l *Model) sessionKey(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	k := &l.Keys
	switch {
	case k.Pressed(msg, keymap.AllText):
		return l.toggleTexts(), true
	case k.Pressed(msg, keymap.Shelves):
		return l.nextShelf(), true
	case k.Pressed(msg, keymap.Undo):
		return l.undo(), true
	case k.Pressed(msg, keymap.New):
		return l.Emit(NewSession{}), true
	case k.Pressed(msg, keymap.Rename):
		return l.startRename(), true
	case k.Pressed(msg, keymap.Tags):
		return l.startTags(), true
	case k.Pressed(msg, keymap.PinTop):
		return l.pinSession(), true
	case k.Pressed(msg, keymap.Archive):
		return l.archiveSession(), true
	case k.Pressed(msg, keymap.Delete):
		return l.deleteSession(), true
	case k.Pressed(msg, keymap.Restore):
		return l.restoreSession(), true
	case k.Pressed(msg, keymap.ForkOff):
		return l.forkSession(), true
	}
	return nil, false
}

// purgeKey answers whether a session goes for good. Only the key for it does that: any other key that is
// held or comes late does not.
func (l *Model) purgeKey(msg tea.KeyPressMsg) tea.Cmd {
	k := &l.Keys
	switch {
	case k.Pressed(msg, keymap.Allow):
		return l.purgeSession()
	case k.Pressed(msg, keymap.Refuse, keymap.Back):
		l.Purge = nil
		return l.Say("It stays in the trash.")
	}
	return l.NoKey(msg, k.First(keymap.Allow)+" deletes the session permanently, "+k.First(keymap.Refuse)+" keeps it.")
}

// chooseSession opens the session under the cursor.
func (l *Model) chooseSession() tea.Cmd {
	if l.Texts.On {
		return l.openHit()
	}
	s, ok := l.Chosen()
	switch {
	case !ok:
		return l.Say("There is nothing to open; " + l.Keys.First(keymap.Back) + " closes the list.")
	case s.ID == l.Here:
		l.Emit(Left{})
		return nil
	case !s.Deleted.IsZero():
		return l.inTrash()
	}
	return l.Emit(Chosen{s.ID})
}

// page is how far a page goes in the list: a line of the page before stays in sight.
func (l *Model) page() int {
	o := l.layout()
	if !l.Texts.On {
		return max(1, o.rows-1)
	}
	rows, first, end := l.Texts.onScreen(o, l.H)
	stops := 0
	for _, r := range rows[first:end] {
		if r.at >= 0 {
			stops++
		}
	}
	return max(1, stops-1)
}

// noMatch says that a filter is typed and leaves nothing.
func (l *Model) noMatch() bool {
	if l.Texts.On {
		return l.Filter.Text() != "" && len(l.Texts.Hits) == 0 && !l.Texts.Waiting
	}
	return len(l.Lines) > 0 && len(l.Matches) == 0
}

// step moves the cursor of what is listed.
func (l *Model) step(by int) {
	if l.Texts.On {
		l.Texts.move(by)
		return
	}
	l.move(by)
}

// forkSession forks the active branch of the session under the cursor.
func (l *Model) forkSession() tea.Cmd {
	s, ok := l.Chosen()
	switch {
	case !ok:
		return l.Say("There is no session to fork.")
	case !s.Deleted.IsZero():
		return l.inTrash()
	}
	return l.Emit(Forked{s.ID, s.Name()})
}
