package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// lineEdit is a session's title or its tags while they are typed.
type lineEdit struct {
	theme.Field
	of   sessionLine
	tags bool // tags are typed, else the title
}

func (m *Model) startRename() tea.Cmd {
	s, ok := m.sessions.chosen()
	if !ok {
		return m.say("There is no session to rename.")
	}
	m.sessions.edit = &lineEdit{Field: theme.NewField(s.Title), of: s}
	return nil
}

func (m *Model) startTags() tea.Cmd {
	s, ok := m.sessions.chosen()
	if !ok {
		return m.say("There is no session to tag.")
	}
	f := theme.NewField(strings.Join(s.Tags, " "))
	if f.Text != "" {
		f.Insert(" ") // for the next one
	}
	m.sessions.edit = &lineEdit{Field: f, of: s, tags: true}
	return nil
}

// editKey is a key while a title or tags are typed.
func (m *Model) editKey(msg tea.KeyPressMsg) tea.Cmd {
	k, l := &m.keys, &m.sessions
	switch {
	case k.Pressed(msg, keymap.Back):
		l.edit = nil
		return nil
	case k.Pressed(msg, keymap.Choose) && l.edit.tags:
		return m.endTags()
	case k.Pressed(msg, keymap.Choose):
		return m.endRename()
	}
	if !l.edit.Typed(msg) {
		return m.noKey(msg, k.First(keymap.Choose)+" keeps what you typed, "+k.First(keymap.Back)+" leaves it as it was.")
	}
	return nil
}

func (m *Model) endRename() tea.Cmd {
	l := &m.sessions
	of, title := l.edit.of, strings.TrimSpace(l.edit.Text)
	if title == "" {
		return m.complain("A session needs a title; " + m.keys.First(keymap.Back) + " keeps the old one.")
	}
	l.edit = nil
	if title == of.Title {
		return nil
	}
	a := sessionAct{id: of.ID, title: title, said: "The session is called " + title + "."}
	if of.Title != "" {
		a.back = &sessionAct{id: of.ID, title: of.Title, said: "The session is called " + of.name() + " again."}
	}
	return m.act(a)
}

func (m *Model) endTags() tea.Cmd {
	l := &m.sessions
	of, tags := l.edit.of, tagsIn(l.edit.Text)
	l.edit = nil
	if slices.Equal(tags, of.Tags) {
		return nil
	}
	said := "Its tags are " + strings.Join(tags, ", ") + "."
	if len(tags) == 0 {
		said = "It has no tags any more."
	}
	a, back := m.tagging(of.ID, tags, said), m.tagging(of.ID, of.Tags, "Its tags are as they were.")
	a.back = &back
	return m.act(a)
}
