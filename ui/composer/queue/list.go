package queue

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// List is the list of the queued messages, with a cursor.
type List struct {
	Keys keymap.Map
	at   int
}

// The events of a list; nil is none.
type (
	Chosen  struct{ At int } // this message is wanted in the draft
	Removed struct{ At int } // this message is not to be sent
	Closed  struct{}         // the list is to be closed
	Other   struct{}         // the key is not for the list
)

// Update is a key.
func (l *List) Update(q *Model, msg tea.KeyPressMsg) any {
	k := &l.Keys
	last := len(q.items) - 1
	l.at = max(0, min(l.at, last))
	switch {
	case k.Pressed(msg, keymap.Back):
		return Closed{}
	case k.Pressed(msg, keymap.ListDown):
		l.at = min(l.at+1, max(0, last))
	case k.Pressed(msg, keymap.ListUp):
		l.at = max(l.at-1, 0)
	case last < 0:
		return Closed{}
	case k.Pressed(msg, keymap.Choose):
		return Chosen{l.at}
	case k.Pressed(msg, keymap.RemoveQueued):
		return Removed{l.at}
	default:
		return Other{}
	}
	return nil
}

// View draws the list in h lines of w cells.
func (l *List) View(q *Model, st theme.Styles, w, h int) []string {
	n := len(q.items)
	l.at = max(0, min(l.at, n-1))
	if n == 0 {
		return []string{theme.Fit(" "+st.Muted.Render("The queue is empty."), w)}
	}
	var lines []string
	first, end := theme.Around(l.at, n, h)
	for i := first; i < end; i++ {
		right := ""
		switch {
		case q.items[i].number == q.sending:
			right = "sending "
		case q.items[i].Cut:
			right = "cut to fit "
		}
		text := theme.Thousands(i+1) + "  " + markdown.OneLine(Label(q.items[i].Queued), max(1, w-8-theme.Width(right)))
		if i == l.at {
			lines = append(lines, st.CursorRow(theme.Spread("  "+text, right, max(0, w-1)), w))
			continue
		}
		lines = append(lines, theme.Spread("   "+text, st.Muted.Render(right), w))
	}
	return lines
}
