package sessions

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// paste puts a pasted text where the list is typed in.
func (l *Model) paste(text string) tea.Cmd {
	before := l.Filter.Text
	switch text = strings.TrimSpace(text); {
	case text == "", l.Purge != nil, l.held != nil:
	case l.Edit != nil:
		l.Edit.Insert(text)
	default:
		l.Filter.Insert(text)
		return l.filterTyped(before)
	}
	return nil
}

// wheel moves the cursor of the list, where no question stands over it.
func (l *Model) wheel(by int) {
	if l.Purge == nil && l.held == nil && l.Edit == nil {
		l.step(by)
	}
}

// click puts the cursor on what is drawn at y in the list's height; a click on that opens it.
func (l *Model) click(h, y int) tea.Cmd {
	if l.Purge != nil || l.held != nil || l.Edit != nil || y < 1 {
		return nil
	}
	at, i, end := l.at, 0, 0
	if l.Texts.On {
		at = l.Texts.At
		i, end = l.Texts.onScreen(l.Texts.height(h-1, l.IndexNote()))
		i += (y - 1) / hitLines
	} else {
		i, end = l.onScreen(h)
		i += y - 1
	}
	switch {
	case i >= end:
		return nil
	case i == at:
		return l.chooseSession()
	}
	l.step(i - at)
	return nil
}
