package sessions

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
	of   Line
	tags bool // tags are typed, else the title
}

func (l *Model) startRename() tea.Cmd {
	s, ok := l.Chosen()
	if !ok {
		return l.Say("There is no session to rename.")
	}
	l.Edit = &lineEdit{Field: theme.NewField(s.Title), of: s}
	return nil
}

func (l *Model) startTags() tea.Cmd {
	s, ok := l.Chosen()
	if !ok {
		return l.Say("There is no session to tag.")
	}
	f := theme.NewField(strings.Join(s.Tags, " "))
	if f.Text() != "" {
		f.Insert(" ") // for the next one
	}
	l.Edit = &lineEdit{Field: f, of: s, tags: true}
	return nil
}

// editKey is a key while a title or tags are typed.
func (l *Model) editKey(msg tea.KeyPressMsg) tea.Cmd {
	k := &l.Keys
	switch {
	case k.Pressed(msg, keymap.Back):
		l.Edit = nil
		return nil
	case k.Pressed(msg, keymap.Choose) && l.Edit.tags:
		return l.endTags()
	case k.Pressed(msg, keymap.Choose):
		return l.endRename()
	}
	if !l.Edit.Typed(msg) {
		return l.NoKey(msg, k.First(keymap.Choose)+" keeps what you typed, "+k.First(keymap.Back)+
			" discards the change.")
	}
	return nil
}

func (l *Model) endRename() tea.Cmd {
	of, title := l.Edit.of, strings.TrimSpace(l.Edit.Text())
	if title == "" {
		return l.SayError("A session needs a title; " + l.Keys.First(keymap.Back) + " keeps the old one.")
	}
	l.Edit = nil
	if title == of.Title {
		return nil
	}
	a := action{id: of.ID, title: title, sentence: "The title is now “" + title + "”."}
	if of.Title != "" {
		a.inverse = &action{id: of.ID, title: of.Title, sentence: "The title is again " + of.quoted() + "."}
	}
	return l.start(a)
}

func (l *Model) endTags() tea.Cmd {
	of, tags := l.Edit.of, tagsIn(l.Edit.Text())
	l.Edit = nil
	if slices.Equal(tags, of.Tags) {
		return nil
	}
	sentence := "The tags are now " + strings.Join(tags, ", ") + "."
	if len(tags) == 0 {
		sentence = "The session has no tags now."
	}
	a, inverse := l.tagging(of.ID, tags, sentence), l.tagging(of.ID, of.Tags, "The tags are unchanged.")
	a.inverse = &inverse
	return l.start(a)
}
