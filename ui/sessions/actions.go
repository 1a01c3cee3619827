package sessions

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/session/store/backup"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// action is something that is done to a session of the list. Actions are done one after the other, in
// the order of their keys.
type action struct {
	id       string
	sentence string                      // when it is done
	title    string                      // a new title: the open conversation has to know its own
	do       func(context.Context) error // anything else
	inverse  *action                     // takes it back, nil for what cannot be or is not worth it
	purge    *store.Session              // the session whose text goes: the files that still hold it are looked for
}

// start does something to a session, after what is being done already.
func (l *Model) start(a action) tea.Cmd {
	l.Actions = append(l.Actions, a)
	l.Asked++ // what is being read knows nothing of it
	if a.inverse != nil {
		l.Undos = append(l.Undos, *a.inverse)
	}
	if len(l.Actions) > 1 {
		return nil
	}
	return l.doFirst()
}

// doFirst does the first of the actions.
func (l *Model) doFirst() tea.Cmd {
	a := l.Actions[0]
	do := a.do
	if a.title != "" {
		do = func(ctx context.Context) error { return l.Rename(ctx, a.id, a.title) }
	}
	db := l.Store
	return l.Run(func(ctx context.Context) tea.Msg {
		err := do(ctx)
		if a.purge == nil {
			return ActedMsg{err: err}
		}
		files, findErr := backup.Copies(ctx, db.Path(), a.purge.ID, a.purge.Created)
		if findErr != nil || len(files) == 0 {
			return ActedMsg{err: errors.Join(err, findErr)}
		}
		return ActedMsg{err: err, copies: remaining(a.purge.ID, files)}
	})
}

// remaining says in which files a purged session still is, and how it is removed there.
func remaining(id string, files []backup.Copy) string {
	var names []string
	for _, c := range files {
		names = append(names, filepath.Base(c.Path))
	}
	return fmt.Sprintf("The purged session is still in %s. To remove it there: winnow sessions purge --copies "+
		"rewrite %s",
		strings.Join(names, ", "), id)
}

// acted shows what an action did, and does the next one.
func (l *Model) acted(msg ActedMsg) tea.Cmd {
	done := l.Actions[0]
	l.Actions = l.Actions[1:]
	l.Emit(Acted{})
	cmd := l.Say(done.sentence)
	if msg.err != nil {
		cmd = l.SayError(theme.Sentence(msg.err))
		l.forgetUndo(done)
	}
	if msg.copies != "" {
		cmd = tea.Batch(cmd, l.SayError(msg.copies))
	}
	cmds := []tea.Cmd{cmd}
	if len(l.Actions) > 0 {
		return tea.Batch(append(cmds, l.doFirst())...)
	}
	if l.Shown {
		cmds = append(cmds, l.readShelf())
	}
	if l.Shown && l.Texts.On {
		cmds = append(cmds, l.searchTexts())
	}
	return tea.Batch(cmds...)
}

// forgetUndo forgets how to take back what failed.
func (l *Model) forgetUndo(done action) {
	if done.inverse == nil {
		return
	}
	for i := len(l.Undos) - 1; i >= 0; i-- {
		if l.Undos[i].id == done.id && l.Undos[i].sentence == done.inverse.sentence {
			l.Undos = slices.Delete(l.Undos, i, i+1)
			return
		}
	}
}

// undo takes back what was done last in the list.
func (l *Model) undo() tea.Cmd {
	if len(l.Undos) == 0 {
		return l.Say("There is nothing to undo here.")
	}
	last := l.Undos[len(l.Undos)-1]
	l.Undos = l.Undos[:len(l.Undos)-1]
	return l.start(last)
}

// taken is what can be taken back with the key that does.
func (l *Model) taken(sentence string) string {
	return sentence + " " + l.Keys.First(keymap.Undo) + " undoes this."
}

// inTrash says why nothing else is done to a session in the trash.
func (l *Model) inTrash() tea.Cmd {
	return l.Say("It is in the trash; " + l.Keys.First(keymap.Restore) + " restores it first.")
}

func (l *Model) pinSession() tea.Cmd {
	s, ok := l.Chosen()
	if !ok {
		return l.Say("There is no session to pin.")
	}
	db, id := l.Store, s.ID
	pinned := action{
		id: id, sentence: "Pinned to the top of the list: " + s.quoted() + ".",
		do: func(ctx context.Context) error { return db.Update(ctx, id, func(row *store.Session) { row.Pinned = true }) },
	}
	loose := action{
		id: id, sentence: "Unpinned: " + s.quoted() + ".",
		do: func(ctx context.Context) error { return db.Update(ctx, id, func(row *store.Session) { row.Pinned = false }) },
	}
	if s.Pinned {
		loose.inverse = &pinned
		return l.start(loose)
	}
	pinned.inverse = &loose
	return l.start(pinned)
}

// archiveSession takes the session under the cursor out of the list of those in use, or puts it back.
func (l *Model) archiveSession() tea.Cmd {
	s, ok := l.Chosen()
	switch {
	case !ok:
		return l.Say("There is no session to archive.")
	case !s.Deleted.IsZero():
		return l.inTrash()
	}
	db, id := l.Store, s.ID
	set := func(to bool) func(context.Context) error {
		return func(ctx context.Context) error { return db.Update(ctx, id, func(row *store.Session) { row.Archived = to }) }
	}
	l.remove(id)
	if s.Archived {
		inverse := action{id: id, sentence: "Archived again: " + s.quoted() + ".", do: set(true)}
		return l.start(action{
			id: id, sentence: l.taken("Unarchived: " + s.quoted() + "."), do: set(false), inverse: &inverse,
		})
	}
	inverse := action{id: id, sentence: "Unarchived: " + s.quoted() + ".", do: set(false)}
	return l.start(action{id: id, sentence: l.taken("Archived: " + s.quoted() + "."), do: set(true), inverse: &inverse})
}

// deleteSession moves the session under the cursor to the trash. In the trash it asks whether it is to go
// for good.
func (l *Model) deleteSession() tea.Cmd {
	s, ok := l.Chosen()
	switch {
	case !ok:
		return l.Say("There is no session to delete.")
	case s.ID == l.Here:
		return l.SayError("This session is open; open another one first.")
	case l.States[s.ID].Busy:
		return l.SayError("An answer is still arriving in this session; open the session and stop the answer first.")
	case s.Leased:
		return l.SayError("This session is open in another window; close it there first.")
	case !s.Deleted.IsZero():
		l.Purge = &s.Session
		return nil
	}
	l.remove(s.ID)
	l.Texts.drop(s.ID)
	deleting, inverse := l.deleting(s, l.taken("Moved to the trash: "+s.quoted()+".")), l.restoring(s)
	deleting.inverse = &inverse
	return l.start(deleting)
}

// deleting moves a session to the trash.
func (l *Model) deleting(s Line, sentence string) action {
	db := l.Store
	return action{id: s.ID, sentence: sentence, do: func(ctx context.Context) error { return db.Delete(ctx, s.ID) }}
}

// restoring takes a session out of the trash.
func (l *Model) restoring(s Line) action {
	restored := "Restored: "
	if s.Archived {
		restored = "Restored to the archive: "
	}
	db := l.Store
	return action{id: s.ID, sentence: restored + s.quoted() + ".", do: func(ctx context.Context) error {
		return db.Restore(ctx, s.ID)
	}}
}

// restoreSession takes the session under the cursor out of the trash.
func (l *Model) restoreSession() tea.Cmd {
	s, ok := l.Chosen()
	switch {
	case !ok:
		return l.Say("There is no session to restore.")
	case s.Deleted.IsZero():
		return l.Say("It is not in the trash.")
	}
	l.remove(s.ID)
	restoring, inverse := l.restoring(s), l.deleting(s, "Moved to the trash again: "+s.quoted()+".")
	restoring.inverse = &inverse
	return l.start(restoring)
}

// purgeSession removes the session that was asked about for good, with all that could be taken back of it.
func (l *Model) purgeSession() tea.Cmd {
	s := *l.Purge
	l.Purge = nil
	l.Undos = slices.DeleteFunc(l.Undos, func(a action) bool { return a.id == s.ID })
	l.remove(s.ID)
	l.Texts.drop(s.ID)
	db := l.Store
	sentence := "Deleted permanently: " + LineOf(l.secrets, s).quoted() + "."
	return l.start(action{id: s.ID, sentence: sentence, purge: &s, do: func(ctx context.Context) error {
		return db.Purge(ctx, s.ID)
	}})
}

// tagging gives a session its tags.
func (l *Model) tagging(id string, tags []string, sentence string) action {
	db := l.Store
	return action{id: id, sentence: sentence, do: func(ctx context.Context) error {
		return db.Update(ctx, id, func(row *store.Session) { row.Tags = tags })
	}}
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

// Name is what a session is called in a sentence.
func (s Line) Name() string { return strings.TrimPrefix(s.Label[:s.tags], theme.ForkMark+" ") }

// quoted is what a session is called in a sentence that ends with it.
func (s Line) quoted() string { return "“" + s.Name() + "”" }
