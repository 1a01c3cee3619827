package ui

import (
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// inspectorKey is a key while the inspector is open.
func (m *Model) inspectorKey(msg tea.KeyPressMsg) tea.Cmd {
	k := &m.keys
	switch {
	case k.Pressed(msg, keymap.Back):
		return m.closeInspector()
	case k.Pressed(msg, keymap.NextView):
		return m.turnAspect(1)
	case k.Pressed(msg, keymap.PrevView):
		return m.turnAspect(-1)
	case k.Pressed(msg, keymap.Next):
		return m.stepSubject(1)
	case k.Pressed(msg, keymap.Prev):
		return m.stepSubject(-1)
	case k.Pressed(msg, keymap.Earlier):
		return m.turnPage(-1)
	case k.Pressed(msg, keymap.Later):
		return m.turnPage(1)
	case k.Pressed(msg, keymap.Request):
		return m.inspectRequest()
	case k.Pressed(msg, keymap.Compare):
		return m.compareRequests()
	case k.Pressed(msg, keymap.Pin):
		return m.flagSubject(history.Pin)
	case k.Pressed(msg, keymap.Exclude):
		return m.flagSubject(history.Exclude)
	case k.Pressed(msg, keymap.Auto):
		return m.flagSubject("")
	case k.Pressed(msg, keymap.TakeBack):
		return m.takeBack()
	}
	if m.inspector.shown == nil {
		return m.say("This is still being read; " + k.First(keymap.Back) + " closes it.")
	}
	return m.pageKey(msg)
}

// pageKey is a key for what the inspector shows.
func (m *Model) pageKey(msg tea.KeyPressMsg) tea.Cmd {
	k, in := &m.keys, &m.inspector
	o, sections := in.shown.(*inspector.Outline)
	switch {
	case sections && k.Pressed(msg, keymap.Fold):
		o.Toggle()
	case sections && k.Pressed(msg, keymap.FoldAll):
		o.ToggleAll()
	case k.Scrolled(msg, in.shown, in.h):
	case k.Pressed(msg, keymap.Inspect) && in.open != nil:
		return in.open()
	case k.Pressed(msg, keymap.Copy):
		return m.copyView()
	default:
		return m.noKey(msg, k.First(keymap.NextView)+" shows the next view, "+k.First(keymap.Back)+" closes this.")
	}
	return m.readOn()
}

// readOn reads more of a list whose end has been reached.
func (m *Model) readOn() tea.Cmd {
	l, ok := m.inspector.shown.(*inspector.List)
	if !ok || l.End == nil || l.At < l.N-1 {
		return nil
	}
	end := l.End
	l.End = nil
	return end()
}

// flagSubject decides by hand about the message that is inspected.
func (m *Model) flagSubject(f history.Flag) tea.Cmd {
	on := m.inspector.on
	switch {
	case on.request:
		return m.say("This is the whole request; a single message can be pinned or excluded.")
	case on.added > 0:
		return m.say("Nobody said this text: it comes and goes with the messages around it.")
	}
	return m.flagThese(f, on.message)
}

// copyView copies what the view shows: of a message's text all that is stored.
func (m *Model) copyView() tea.Cmd {
	in := &m.inspector
	text := in.shown.Text()
	if stored, ok := m.storedMessage(in.on.message); ok && in.aspect == asText && stored.Content != "" {
		text = stored.Content
	}
	if text == "" {
		return m.complain("There is no text to copy.")
	}
	return m.copyText(theme.Plural(utf8.RuneCountInString(text), "character"), text)
}
