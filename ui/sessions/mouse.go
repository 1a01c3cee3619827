package sessions

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/theme"
)

// paste puts a pasted text where the list is typed in.
func (l *Model) paste(text string) tea.Cmd {
	before := l.Filter.Text()
	switch text = strings.TrimSpace(text); {
	case text == "", l.Purge != nil:
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
	if l.Purge == nil && l.Edit == nil {
		l.step(by)
	}
}

// click puts the cursor on what is drawn at y; a click on that opens it.
func (l *Model) click(y int) tea.Cmd {
	o := l.layout()
	if l.Purge != nil || l.Edit != nil || y < o.head || y >= o.head+o.rows {
		return nil
	}
	at, to := l.at, -1
	if l.Texts.On {
		rows, first, end := l.Texts.onScreen(o, l.H)
		at = l.Texts.At
		if i := first + y - o.head; i < end {
			to = rows[i].at
		}
	} else if first, end := theme.Around(l.at, len(l.Matches), o.rows); first+y-o.head < end {
		to = first + y - o.head
	}
	switch to {
	case -1:
		return nil
	case at:
		return l.chooseSession()
	}
	l.step(to - at)
	return nil
}
