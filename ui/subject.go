package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// subject is what is inspected: a message, an added text, or the request.
type subject struct {
	message int64 // its id
	added   int   // the number of an added text among those of the request, from 1
	request bool
	from    *panel.Request // an earlier request that this one is compared with, nil for the one before
}

// subject is what a line of the request's list is about.
func subjectAt(r *panel.Request, line int) (subject, bool) {
	switch on := r.Rows.Row(line); {
	case on.Entry != nil:
		return subject{message: on.Entry.ID}, true
	case on.Added != nil:
		k, _ := slices.BinarySearch(r.Rows.At, line)
		return subject{added: k + 1}, true
	}
	return subject{}, false
}

// line is where a subject stands in the request's list, -1 where it does not.
func lineOfSubject(r *panel.Request, on subject) int {
	switch {
	case on.added > 0 && on.added <= len(r.Rows.At):
		return r.Rows.At[on.added-1]
	case on.message != 0:
		for i := len(r.Rows.Entries) - 1; i >= 0; i-- {
			if r.Rows.Entries[i].ID == on.message {
				return r.Rows.Line(i)
			}
		}
	}
	return -1
}

// stepSubject goes to the next line of the request's list. The cursors of panel and transcript go along.
func (m *Model) stepSubject(by int) tea.Cmd {
	r, in := m.panel.Shown(), &m.inspector
	line := lineOfSubject(r, in.on)
	on, ok := subjectAt(r, line+by)
	switch {
	case in.on.request && in.aspect == asText:
		return m.stepSection(by)
	case in.on.request:
		return m.say("This is the whole request; " + m.keys.First(keymap.Inspect) + " on a line of the panel shows one message.")
	case line < 0:
		return m.say("This request has no such message.")
	case !ok && by < 0:
		return m.say("This is the first message.")
	case !ok:
		return m.say("This is the last message.")
	}
	m.panel.Move(line + by - m.panel.At)
	m.follow()
	in.on = on
	return m.look(in.aspect)
}

// stepSection selects the next message of the whole request.
func (m *Model) stepSection(by int) tea.Cmd {
	o, ok := m.inspector.shown.(*inspector.Outline)
	switch {
	case ok && o.Step(by):
		return nil
	case by < 0:
		return m.say("This is the first message.")
	}
	return m.say("This is the last message.")
}

// subjectName is what the subject is called in the title.
func (m *Model) subjectName(on subject) string {
	r := m.panel.Shown()
	switch {
	case on.request && on.from != nil:
		before, after := inOrder(on.from, r)
		return m.nameOf(before) + " to " + m.nameOf(after)
	case on.request:
		return m.nameOf(r)
	case on.added > 0:
		return "added · " + string(r.Rows.Added[on.added-1].Kind)
	}
	if e, ok := entryOf(r.Plan, on.message); ok {
		return "message " + theme.Thousands(e.Index+1) + " · " + theme.Speaker(e.Role)
	}
	stored, _ := m.storedMessage(on.message)
	return "message · " + theme.Speaker(stored.Role)
}

// nameOf is a request's name.
func (m *Model) nameOf(r *panel.Request) string {
	switch {
	case r.Past != nil:
		return panel.TurnName(r.Past.Recorded)
	case m.turn.busy:
		return "this request"
	}
	return "next request"
}
