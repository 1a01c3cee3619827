package sessions

import (
	"context"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// change is something that is done to a session of the list.
type change struct {
	id   string
	said string // when it is done
	do   func(context.Context) error
	undo *change // takes it back, nil for what cannot be
}

// changes are done one after the other, in the order of their keys.
type changes struct {
	last  <-chan struct{} // is closed when the newest one is done
	undos []*change       // they take back what was done, the last one first
}

// change does something to a session, after what is being done already.
func (l *Model) change(c change) tea.Cmd {
	before, done := l.changes.last, make(chan struct{})
	l.changes.last = done
	l.Pending++
	l.Reading++ // what is being read knows nothing of it
	if c.undo != nil {
		l.changes.undos = append(l.changes.undos, c.undo)
	}
	return l.Run(func(ctx context.Context) tea.Msg {
		defer close(done)
		if before != nil {
			<-before
		}
		err := c.do(ctx)
		return app.Then(func() tea.Cmd { return l.changed(c, err) })
	})
}

// changed shows what a change did, and reads the list again after the last one.
func (l *Model) changed(c change, err error) tea.Cmd {
	l.Pending--
	l.Screen.Changed()
	said := l.Say(c.said)
	if err != nil {
		said = l.Fail(theme.Sentence(err))
		l.changes.undos = slices.DeleteFunc(l.changes.undos, func(u *change) bool { return u == c.undo })
	}
	return tea.Batch(said, l.Reread())
}

// undo takes back what was done last in the list.
func (l *Model) undo() tea.Cmd {
	n := len(l.changes.undos)
	if n == 0 {
		return l.Say("There is nothing to undo here.")
	}
	last := l.changes.undos[n-1]
	l.changes.undos = l.changes.undos[:n-1]
	return l.change(*last)
}

// remove takes a session out of the list before that is read again.
func (l *Model) remove(id string) {
	l.titles = slices.DeleteFunc(l.titles, func(s Line) bool { return s.ID == id })
	l.search.drop(id)
	l.fill()
}

// undone is the end of a sentence about what takes the session out of sight.
func (l *Model) undone() string {
	if l.List.Filter.Text() != "" {
		return ""
	}
	return " " + l.Keys.First(keymap.Undo) + " undoes this."
}

// pin pins the session under the cursor to the top of the list, or unpins it.
func (l *Model) pin() tea.Cmd {
	e, ok := l.cursor()
	if !ok {
		return l.Say("There is no chat to pin.")
	}
	db := l.With.Store
	set := func(on bool, said string) change {
		return change{id: e.ID, said: said + e.quoted() + ".", do: func(ctx context.Context) error {
			return db.Update(ctx, e.ID, func(row *store.Session) { row.Pinned = on })
		}}
	}
	to, from := set(true, "Pinned to the top of the list: "), set(false, "Unpinned: ")
	if e.Pinned {
		to, from = from, to
	}
	to.undo = &from
	return l.change(to)
}

// archive takes the session under the cursor out of the list of those in use, or puts it back.
func (l *Model) archive() tea.Cmd {
	e, ok := l.cursor()
	switch {
	case !ok:
		return l.Say("There is no chat to archive.")
	case !e.Deleted.IsZero():
		return l.inTrash()
	}
	db := l.With.Store
	set := func(on bool) change {
		said := map[bool]string{true: "Archived: ", false: "Unarchived: "}[on] + e.quoted() + "."
		return change{id: e.ID, said: said, do: func(ctx context.Context) error {
			return db.Update(ctx, e.ID, func(row *store.Session) { row.Archived = on })
		}}
	}
	to, from := set(!e.Archived), set(e.Archived)
	to.said, to.undo = to.said+l.undone(), &from
	l.remove(e.ID)
	return l.change(to)
}

// delete moves the session under the cursor to the trash. In the trash it asks whether it is to go for good.
func (l *Model) delete() tea.Cmd {
	e, ok := l.cursor()
	if !ok {
		return l.Say("There is no chat to delete.")
	}
	_, busy := l.Screen.State(e.ID)
	switch {
	case e.ID == l.Info.ID:
		return l.Fail("This chat is open; open another one first.")
	case busy:
		return l.Fail("An answer is still arriving in this chat; open the chat and stop the answer first.")
	case slices.Contains(l.leased, e.ID):
		return l.Fail("This chat is open in another window; close it there first.")
	case !e.Deleted.IsZero():
		l.purge = &e.Line
		return nil
	}
	to, from := l.trashing(e.Line)
	to.said, to.undo = to.said+l.undone(), &from
	l.remove(e.ID)
	return l.change(to)
}

// restore takes the session under the cursor out of the trash.
func (l *Model) restore() tea.Cmd {
	e, ok := l.cursor()
	switch {
	case !ok:
		return l.Say("There is no chat to restore.")
	case e.Deleted.IsZero():
		return l.Say("It is not in the trash.")
	}
	from, to := l.trashing(e.Line)
	to.undo = &from
	l.remove(e.ID)
	return l.change(to)
}

// trashing moves a session to the trash, and out of it again.
func (l *Model) trashing(s Line) (in, out change) {
	db, restored := l.With.Store, "Restored: "
	if s.Archived {
		restored = "Restored to the archive: "
	}
	in = change{id: s.ID, said: "Moved to the trash: " + s.quoted() + ".", do: func(ctx context.Context) error {
		return db.Delete(ctx, s.ID)
	}}
	out = change{id: s.ID, said: restored + s.quoted() + ".", do: func(ctx context.Context) error {
		return db.Restore(ctx, s.ID)
	}}
	return in, out
}

// purgeKey answers whether a session goes for good, with all that could be taken back of it. Only the key for it does
// that: any other key that is held or comes late does not.
func (l *Model) purgeKey(msg tea.KeyPressMsg) tea.Cmd {
	k, s := &l.Keys, *l.purge
	switch {
	case k.Pressed(msg, keymap.Refuse, keymap.Back):
		l.purge = nil
		return l.Say("It stays in the trash.")
	case !k.Pressed(msg, keymap.Allow):
		return l.NoKey(msg, k.First(keymap.Allow)+" deletes the chat permanently, "+k.First(keymap.Refuse)+
			" keeps it.")
	}
	l.purge = nil
	l.changes.undos = slices.DeleteFunc(l.changes.undos, func(u *change) bool { return u.id == s.ID })
	l.remove(s.ID)
	db := l.With.Store
	return l.change(change{
		id: s.ID,
		said: "Deleted permanently: " + s.quoted() +
			". Backups may still hold it: winnow sessions purge --copies rewrite " + s.ID + ".",
		do: func(ctx context.Context) error { return db.Purge(ctx, s.ID) },
	})
}

// edit is a session's title or its tags while they are typed.
type edit struct {
	theme.Field
	of   Line
	tags bool // tags are typed, else the title
}

func (l *Model) startRename() tea.Cmd {
	e, ok := l.cursor()
	if !ok {
		return l.Say("There is no chat to rename.")
	}
	l.edit = &edit{Field: theme.NewField(e.Title), of: e.Line}
	return nil
}

func (l *Model) startTags() tea.Cmd {
	e, ok := l.cursor()
	if !ok {
		return l.Say("There is no chat to tag.")
	}
	f := theme.NewField(strings.Join(e.Tags, " "))
	if f.Text() != "" {
		f.Insert(" ") // for the next one
	}
	l.edit = &edit{Field: f, of: e.Line, tags: true}
	return nil
}

// editKey is a key while a title or tags are typed.
func (l *Model) editKey(msg tea.KeyPressMsg) tea.Cmd {
	k := &l.Keys
	switch {
	case k.Pressed(msg, keymap.Back):
		l.edit = nil
	case k.Pressed(msg, keymap.Choose) && l.edit.tags:
		return l.endTags()
	case k.Pressed(msg, keymap.Choose):
		return l.endRename()
	case !l.edit.Typed(msg):
		return l.NoKey(msg, k.First(keymap.Choose)+" keeps what you typed, "+k.First(keymap.Back)+
			" discards the change.")
	}
	return nil
}

// endRename gives the session the title that was typed.
func (l *Model) endRename() tea.Cmd {
	of, title := l.edit.of, strings.TrimSpace(l.edit.Text())
	if title == "" {
		return l.Fail("A chat needs a title; " + l.Keys.First(keymap.Back) + " keeps the old one.")
	}
	l.edit = nil
	if title == of.Title {
		return nil
	}
	to := change{id: of.ID, said: "The title is now “" + title + "”.", do: l.Screen.Rename(of.ID, title)}
	if of.Title != "" {
		said := "The title is again " + of.quoted() + "."
		to.undo = &change{id: of.ID, said: said, do: l.Screen.Rename(of.ID, of.Title)}
	}
	return l.change(to)
}

// endTags gives the session the tags that were typed.
func (l *Model) endTags() tea.Cmd {
	of, tags := l.edit.of, tagsIn(l.edit.Text())
	l.edit = nil
	if slices.Equal(tags, of.Tags) {
		return nil
	}
	said := "The tags are now " + strings.Join(tags, ", ") + "."
	if len(tags) == 0 {
		said = "The chat has no tags now."
	}
	db := l.With.Store
	set := func(tags []string, said string) change {
		return change{id: of.ID, said: said, do: func(ctx context.Context) error {
			return db.Update(ctx, of.ID, func(row *store.Session) { row.Tags = tags })
		}}
	}
	to, from := set(tags, said), set(of.Tags, "The tags are unchanged.")
	to.undo = &from
	return l.change(to)
}

// tagsIn are the tags of a text, each once: between blanks or commas, with or without a # in front.
func tagsIn(text string) []string {
	var tags []string
	for _, tag := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		if tag = strings.TrimLeft(tag, "#"); tag != "" {
			tags = append(tags, tag)
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}
