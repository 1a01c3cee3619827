package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// pasteInSessions puts a pasted text where the list is typed in.
func (m *Model) pasteInSessions(text string) tea.Cmd {
	l := &m.sessions
	before := l.filter.Text
	switch text = strings.TrimSpace(text); {
	case text == "", l.purge != nil, l.held != nil:
	case l.edit != nil:
		l.edit.Insert(text)
	default:
		l.filter.Insert(text)
		return m.filterTyped(before)
	}
	return nil
}

// wheel moves the cursor of the list, where no question stands over it.
func (l *sessionList) wheel(by int) {
	if l.purge == nil && l.held == nil && l.edit == nil {
		l.step(by)
	}
}

// clickSession puts the cursor on what is drawn at y in the list's height; a click on that opens it.
func (m *Model) clickSession(h, y int) tea.Cmd {
	l := &m.sessions
	if l.purge != nil || l.held != nil || l.edit != nil || y < 1 {
		return nil
	}
	at, i, end := l.at, 0, 0
	if l.texts.on {
		at = l.texts.at
		i, end = l.texts.onScreen(l.texts.room(h-1, m.indexing.text()))
		i += (y - 1) / hitLines
	} else {
		i, end = l.onScreen(h)
		i += y - 1
	}
	switch {
	case i >= end:
		return nil
	case i == at:
		return m.chooseSession()
	}
	l.step(i - at)
	return nil
}
