package sessions

import (
	"context"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
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

// change does something to a session, after what is being done already.
func (l *Model) change(c change) tea.Cmd {
	l.Pending++
	l.Reading++ // what is being read knows nothing of it
	if c.undo != nil {
		l.undos = append(l.undos, c.undo)
	}
	return l.InOrder(c.do, func(err error) tea.Cmd { return l.changed(c, err) })
}

// changed shows what a change did, and reads the list again after the last one.
func (l *Model) changed(c change, err error) tea.Cmd {
	l.Pending--
	l.Screen.Changed()
	said := l.Say(c.said)
	if err != nil {
		said = l.Fail(theme.Sentence(err))
		l.undos = slices.DeleteFunc(l.undos, func(u *change) bool { return u == c.undo })
	}
	return tea.Batch(said, l.Reread())
}

// hide does a change that takes its session out of sight, before the list is read again.
func (l *Model) hide(c change) tea.Cmd {
	if c.undo != nil && l.List.Filter.Text() == "" {
		c.said += " " + l.Keys.First(keymap.Undo) + " undoes this."
	}
	l.titles = slices.DeleteFunc(l.titles, func(s Line) bool { return s.ID == c.id })
	l.search.hits = slices.DeleteFunc(l.search.hits, func(h store.Hit) bool { return h.Session.ID == c.id })
	l.fill()
	return l.change(c)
}

// undo takes back what was done last in the list.
func (l *Model) undo() tea.Cmd {
	if len(l.undos) == 0 {
		return l.Say("There is nothing to undo here.")
	}
	last := l.undos[len(l.undos)-1]
	l.undos = l.undos[:len(l.undos)-1]
	return l.change(*last)
}

// switching turns something about a session on or off. What is said of it begins with one of two texts.
func switching(s Line, on bool, saidOn, saidOff string, set func(ctx context.Context, on bool) error) change {
	to := func(on bool) change {
		said := saidOff
		if on {
			said = saidOn
		}
		return change{
			id: s.ID, said: said + ": " + s.quoted() + ".", do: func(ctx context.Context) error { return set(ctx, on) },
		}
	}
	done, undone := to(on), to(!on)
	done.undo = &undone
	return done
}

// pin pins a session to the top of the list, or unpins it.
func (l *Model) pin(e entry) tea.Cmd {
	db := l.With.Store
	return l.change(switching(e.Line, !e.Pinned, "Pinned to the top of the list", "Unpinned",
		func(ctx context.Context, on bool) error {
			return db.Update(ctx, e.ID, func(row *store.Session) { row.Pinned = on })
		}))
}

// archive takes a session out of the list of those in use, or puts it back.
func (l *Model) archive(e entry) tea.Cmd {
	if !e.Deleted.IsZero() {
		return l.hide(l.trashing(e.Line, false))
	}
	return l.hide(switching(e.Line, !e.Archived, "Archived", "Unarchived", func(ctx context.Context, on bool) error {
		return l.With.Store.Update(ctx, e.ID, func(row *store.Session) { row.Archived = on })
	}))
}

// delete moves a session to the trash. In the trash it asks whether it is to go for good.
func (l *Model) delete(e entry) tea.Cmd {
	open := e.ID == l.Info.ID
	_, busy := l.Screen.State(e.ID)
	switch {
	case busy, open && l.Busy:
		return l.Fail("An answer is still arriving in this chat; stop it first.")
	case slices.Contains(l.leased, e.ID):
		return l.Fail("This chat is open in another window; close it there first.")
	case !e.Deleted.IsZero():
		l.purge = &e.Line
		return nil
	case open:
		left := l.Screen.New()
		return tea.Batch(left, l.change(l.trashing(e.Line, true)))
	}
	return l.hide(l.trashing(e.Line, true))
}

// trashing moves a session to the trash, or out of it.
func (l *Model) trashing(s Line, in bool) change {
	restored := "Restored"
	if s.Archived {
		restored = "Restored to the archive"
	}
	return switching(s, in, "Moved to the trash", restored, func(ctx context.Context, in bool) error {
		if in {
			return l.With.Store.Delete(ctx, s.ID)
		}
		return l.With.Store.Restore(ctx, s.ID)
	})
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
	l.undos = slices.DeleteFunc(l.undos, func(u *change) bool { return u.id == s.ID })
	return l.hide(change{
		id: s.ID,
		said: "Deleted permanently: " + s.quoted() +
			". Backups may still hold it: winnow sessions purge --copies rewrite " + s.ID + ".",
		do: func(ctx context.Context) error { return l.With.Store.Purge(ctx, s.ID) },
	})
}

// edit is a session's title or its tags while they are typed.
type edit struct {
	theme.Field
	of   Line
	tags bool // tags are typed, else the title
}

func (l *Model) startRename(e entry) tea.Cmd {
	l.edit = &edit{Field: theme.NewField(e.Title), of: e.Line}
	return nil
}

func (l *Model) startTags(e entry) tea.Cmd {
	l.edit = &edit{Field: theme.NewField(strings.Join(e.Tags, " ")), of: e.Line, tags: true}
	if len(e.Tags) > 0 {
		l.edit.Insert(" ") // for the next one
	}
	return nil
}

// editKey is a key while a title or tags are typed.
func (l *Model) editKey(msg tea.KeyPressMsg) tea.Cmd {
	k := &l.Keys
	switch {
	case k.Pressed(msg, keymap.Back):
		l.edit = nil
	case k.Pressed(msg, keymap.Choose):
		return l.endEdit()
	case !l.edit.Typed(msg):
		return l.NoKey(msg, k.First(keymap.Choose)+" keeps what you typed, "+k.First(keymap.Back)+
			" discards the change.")
	}
	return nil
}

// endEdit gives the session the title or the tags that were typed.
func (l *Model) endEdit() tea.Cmd {
	of, tags := l.edit.of, l.edit.tags
	text, before, made := strings.TrimSpace(l.edit.Text()), of.Title, l.retitled
	if tags {
		text, before, made = strings.Join(tagsIn(text), ", "), strings.Join(of.Tags, ", "), l.retagged
	} else if text == "" {
		return l.Fail("A chat needs a title; " + l.Keys.First(keymap.Back) + " keeps the old one.")
	}
	l.edit = nil
	if text == before {
		return nil
	}
	to, from := made(of.ID, text), made(of.ID, before)
	if tags || before != "" {
		to.undo = &from
	}
	return l.change(to)
}

// retitled gives a session a title.
func (l *Model) retitled(id, title string) change {
	return change{id: id, said: "The title is now “" + title + "”.", do: l.Screen.Rename(id, title)}
}

// retagged gives a session tags.
func (l *Model) retagged(id, tags string) change {
	db, said := l.With.Store, "The tags are now "+tags+"."
	if tags == "" {
		said = "The chat has no tags now."
	}
	return change{id: id, said: said, do: func(ctx context.Context) error {
		return db.Update(ctx, id, func(row *store.Session) { row.Tags = tagsIn(tags) })
	}}
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
