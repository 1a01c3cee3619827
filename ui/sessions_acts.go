package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// sessionAct is something that is done to a session of the list. Acts are done one after the other, in
// the order of their keys.
type sessionAct struct {
	id    string
	said  string                      // when it is done
	title string                      // a new title: the open conversation has to know its own
	do    func(context.Context) error // anything else
	back  *sessionAct                 // takes it back, nil for what cannot be or is not worth it
	purge *store.Session              // the session whose text goes: the files that still hold it are looked for
}

// act does something to a session, after what is being done already.
func (m *Model) act(a sessionAct) tea.Cmd {
	l := &m.sessions
	l.acts = append(l.acts, a)
	l.asked++ // what is being read knows nothing of it
	if a.back != nil {
		l.undos = append(l.undos, *a.back)
	}
	if len(l.acts) > 1 {
		return nil
	}
	return m.doAct()
}

// doAct does the first of the acts.
func (m *Model) doAct() tea.Cmd {
	a := m.sessions.acts[0]
	do := a.do
	if a.title != "" {
		do = m.renaming(a.id, a.title)
	}
	db := m.options.Deps.Store
	return m.behind(func(ctx context.Context) tea.Msg {
		err := do(ctx)
		if a.purge == nil {
			return actedMsg{err: err}
		}
		files, findErr := store.Copies(ctx, db.Path(), *a.purge)
		if findErr != nil || len(files) == 0 {
			return actedMsg{err: errors.Join(err, findErr)}
		}
		return actedMsg{err: err, held: &heldCopies{*a.purge, files}}
	})
}

// acted shows what an act did, and does the next one.
func (m *Model) acted(msg actedMsg) tea.Cmd {
	l := &m.sessions
	done := l.acts[0]
	l.acts = l.acts[1:]
	m.info = m.session.Info()
	told := m.say(done.said)
	if msg.err != nil {
		told = m.complain(theme.Sentence(msg.err))
		l.forgetUndo(done)
	}
	if msg.held != nil {
		l.held = msg.held
		if !m.isOpen(sessionsOverlay{}) {
			told = tea.Batch(told, m.complain(l.held.elsewhere()))
			l.held = nil
		}
	}
	cmds := []tea.Cmd{told}
	if len(l.acts) > 0 {
		return tea.Batch(append(cmds, m.doAct())...)
	}
	if m.isOpen(sessionsOverlay{}) {
		cmds = append(cmds, m.readShelf())
	}
	return tea.Batch(cmds...)
}

// forgetUndo forgets how to take back what failed.
func (l *sessionList) forgetUndo(done sessionAct) {
	if done.back == nil {
		return
	}
	for i := len(l.undos) - 1; i >= 0; i-- {
		if l.undos[i].id == done.id && l.undos[i].said == done.back.said {
			l.undos = slices.Delete(l.undos, i, i+1)
			return
		}
	}
}

// undoAct takes back what was done last in the list.
func (m *Model) undoAct() tea.Cmd {
	l := &m.sessions
	if len(l.undos) == 0 {
		return m.say("Nothing was done here that can be taken back.")
	}
	last := l.undos[len(l.undos)-1]
	l.undos = l.undos[:len(l.undos)-1]
	return m.act(last)
}

// taken is what can be taken back with the key that does.
func (m *Model) taken(said string) string {
	return said + " " + m.keys.First(keymap.Undo) + " takes it back."
}

// inTrash says why nothing else is done to a session in the trash.
func (m *Model) inTrash() tea.Cmd {
	return m.say("It is in the trash; " + m.keys.First(keymap.Restore) + " brings it back first.")
}

func (m *Model) pinSession() tea.Cmd {
	s, ok := m.sessions.chosen()
	if !ok {
		return m.say("There is no session to pin.")
	}
	db, id := m.options.Deps.Store, s.ID
	pinned := sessionAct{
		id: id, said: "It is pinned on top of the list: " + s.name() + ".",
		do: func(ctx context.Context) error { return db.SetPinned(ctx, id, true) },
	}
	loose := sessionAct{
		id: id, said: "It stands by its last use again: " + s.name() + ".",
		do: func(ctx context.Context) error { return db.SetPinned(ctx, id, false) },
	}
	if s.Pinned {
		loose.back = &pinned
		return m.act(loose)
	}
	pinned.back = &loose
	return m.act(pinned)
}

// archiveSession takes the session under the cursor out of the list of those in use, or puts it back.
func (m *Model) archiveSession() tea.Cmd {
	s, ok := m.sessions.chosen()
	switch {
	case !ok:
		return m.say("There is no session to archive.")
	case !s.Deleted.IsZero():
		return m.inTrash()
	}
	db, id := m.options.Deps.Store, s.ID
	set := func(to bool) func(context.Context) error {
		return func(ctx context.Context) error { return db.SetArchived(ctx, id, to) }
	}
	m.sessions.remove(id)
	if s.Archived {
		back := sessionAct{id: id, said: "In the archive again: " + s.name() + ".", do: set(true)}
		return m.act(sessionAct{id: id, said: m.taken("In use again: " + s.name() + "."), do: set(false), back: &back})
	}
	back := sessionAct{id: id, said: "In use again: " + s.name() + ".", do: set(false)}
	return m.act(sessionAct{id: id, said: m.taken("In the archive: " + s.name() + "."), do: set(true), back: &back})
}

// deleteSession moves the session under the cursor to the trash. In the trash it asks whether it is to go
// for good.
func (m *Model) deleteSession() tea.Cmd {
	s, ok := m.sessions.chosen()
	switch {
	case !ok:
		return m.say("There is no session to delete.")
	case s.ID == m.info.ID:
		return m.complain("This session is open; open another one first.")
	case s.elsewhere:
		return m.complain("This session is open in another window; close it there first.")
	case !s.Deleted.IsZero():
		m.sessions.purge = &s.Session
		return nil
	}
	m.sessions.remove(s.ID)
	deleting, back := m.deleting(s, m.taken("In the trash: "+s.name()+".")), m.restoring(s)
	deleting.back = &back
	return m.act(deleting)
}

// deleting moves a session to the trash.
func (m *Model) deleting(s sessionLine, said string) sessionAct {
	db := m.options.Deps.Store
	return sessionAct{id: s.ID, said: said, do: func(ctx context.Context) error { return db.Delete(ctx, s.ID) }}
}

// restoring takes a session out of the trash.
func (m *Model) restoring(s sessionLine) sessionAct {
	where := "in use"
	if s.Archived {
		where = "in the archive"
	}
	db := m.options.Deps.Store
	return sessionAct{id: s.ID, said: "It is back, " + where + ": " + s.name() + ".", do: func(ctx context.Context) error { return db.Restore(ctx, s.ID) }}
}

// restoreSession takes the session under the cursor out of the trash.
func (m *Model) restoreSession() tea.Cmd {
	s, ok := m.sessions.chosen()
	switch {
	case !ok:
		return m.say("There is no session to bring back.")
	case s.Deleted.IsZero():
		return m.say("It is not in the trash.")
	}
	m.sessions.remove(s.ID)
	restoring, back := m.restoring(s), m.deleting(s, "In the trash again: "+s.name()+".")
	restoring.back = &back
	return m.act(restoring)
}

// purgeSession removes the session that was asked about for good, with all that could be taken back of it.
func (m *Model) purgeSession() tea.Cmd {
	l := &m.sessions
	s := *l.purge
	l.purge = nil
	l.undos = slices.DeleteFunc(l.undos, func(a sessionAct) bool { return a.id == s.ID })
	l.remove(s.ID)
	db := m.options.Deps.Store
	said := "It is gone for good: " + lineOfSession(m.secrets, s).name() + "."
	return m.act(sessionAct{id: s.ID, said: said, purge: &s, do: func(ctx context.Context) error { return db.Purge(ctx, s.ID) }})
}

// renaming gives a session a title.
func (m *Model) renaming(id, title string) func(context.Context) error {
	db, open := m.options.Deps.Store, m.session
	if id == m.info.ID {
		return func(ctx context.Context) error { return open.Rename(ctx, title) }
	}
	return func(ctx context.Context) error { return db.Rename(ctx, id, title, "user") }
}

// tagging gives a session its tags.
func (m *Model) tagging(id string, tags []string, said string) sessionAct {
	db := m.options.Deps.Store
	return sessionAct{id: id, said: said, do: func(ctx context.Context) error { return db.SetTags(ctx, id, tags...) }}
}

// tagsIn are the tags of a text, each once: between blanks or commas, with or without a # in front.
func tagsIn(text string) []string {
	var tags []string
	for _, tag := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		if tag = strings.TrimLeft(tag, "#"); tag != "" && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	slices.Sort(tags)
	return tags
}

// name is what a session is called in a sentence.
func (s sessionLine) name() string { return strings.TrimPrefix(s.label[:s.tags], forkMark+" ") }
