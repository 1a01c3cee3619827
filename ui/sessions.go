package ui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/markdown"
)

// listed is the most sessions the picker holds; the filter finds among these.
const listed = 1000

// openSessions lists the stored sessions.
func (m *Model) openSessions() tea.Cmd {
	if m.options.Deps.Store == nil {
		return m.complain("This chat is kept nowhere, so there are no sessions.")
	}
	k := &m.keys
	m.picker = picker{title: "sessions", loading: true, hint: fmt.Sprintf("enter opens · %s new · %s rename · %s delete · esc closes",
		firstKey(k.New), firstKey(k.Rename), firstKey(k.Delete))}
	m.cover(sessionsOverlay)
	return m.listSessions()
}

// listSessions reads the sessions, the last used first, pinned ones on top.
func (m *Model) listSessions() tea.Cmd {
	ctx, db := m.within, m.options.Deps.Store
	return func() tea.Msg {
		ctx, cancel := ctx()
		defer cancel()
		list, err := db.Sessions(ctx, store.Filter{Limit: listed})
		return sessionsMsg{list, time.Now(), err}
	}
}

func (m *Model) sessionsListed(msg sessionsMsg) tea.Cmd {
	if m.overlay != sessionsOverlay || m.picker.editing {
		return nil
	}
	if msg.err != nil {
		m.uncover()
		return m.complain(sentence(msg.err))
	}
	var choices []choice
	for _, s := range msg.sessions {
		choices = append(choices, sessionChoice(s, msg.at, s.ID == m.info.ID))
	}
	m.picker.fill(choices)
	return nil
}

// sessionChoice is a session's line: pin, title; model, turns, age at the right.
func sessionChoice(s store.Session, at time.Time, open bool) choice {
	title := markdown.OneLine(s.Title, 200)
	if title == "" {
		title = "untitled"
	}
	if s.Pinned {
		title = "◆ " + title
	}
	right := []string{}
	if open {
		right = append(right, "open")
	}
	right = append(right, markdown.OneLine(s.Model, 24), plural(s.Turns, "turn"), fmt.Sprintf("%6s", ago(at, s.Updated)))
	return choice{label: title, right: strings.Join(right, " · "), value: s.ID}
}

func ago(at, then time.Time) string {
	if at.IsZero() || then.IsZero() {
		return ""
	}
	return age(at.Sub(then))
}

func (m *Model) startRename() tea.Cmd {
	c, ok := m.picker.chosen()
	if !ok {
		return m.say("There is no session to rename.")
	}
	m.picker.rename(c, strings.TrimPrefix(c.label, "◆ "))
	return nil
}

func (m *Model) endRename() tea.Cmd {
	p := &m.picker
	title, id := strings.TrimSpace(p.filter), p.editID
	if title == "" {
		return m.complain("A session needs a title; " + firstKey(m.keys.Back) + " keeps the old one.")
	}
	p.renamed()
	ctx, db, s := m.within, m.options.Deps.Store, m.session
	current := id == m.info.ID
	return func() tea.Msg {
		ctx, cancel := ctx()
		defer cancel()
		msg := settledMsg{text: "The session is called " + title + ".", reload: true}
		if current {
			msg.err = s.Rename(ctx, title)
			return msg
		}
		msg.err = db.Rename(ctx, id, title, "user")
		return msg
	}
}

// deleteSession moves the session under the cursor to the trash.
func (m *Model) deleteSession() tea.Cmd {
	c, ok := m.picker.chosen()
	switch {
	case !ok:
		return m.say("There is no session to delete.")
	case c.value == m.info.ID:
		return m.complain("This session is open; open another one first.")
	}
	m.deleted = c.value
	ctx, db := m.within, m.options.Deps.Store
	said := "In the trash: " + c.label + ". " + firstKey(m.keys.Undo) + " brings it back."
	return func() tea.Msg {
		ctx, cancel := ctx()
		defer cancel()
		return settledMsg{text: said, err: db.Delete(ctx, c.value), reload: true}
	}
}

func (m *Model) undelete() tea.Cmd {
	if m.deleted == "" {
		return m.say("Nothing was deleted here.")
	}
	id := m.deleted
	m.deleted = ""
	ctx, db := m.within, m.options.Deps.Store
	return func() tea.Msg {
		ctx, cancel := ctx()
		defer cancel()
		return settledMsg{text: "The session is back.", err: db.Restore(ctx, id), reload: true}
	}
}
