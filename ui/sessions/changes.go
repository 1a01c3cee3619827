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
	l.found.Hits = slices.DeleteFunc(l.found.Hits, func(h store.Hit) bool { return h.Session.ID == c.id })
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
func (l *Model) pin(s Line) tea.Cmd {
	return l.change(switching(s, !s.Pinned, "Pinned to the top of the list", "Unpinned",
		func(ctx context.Context, on bool) error {
			return l.With.Store.Update(ctx, s.ID, func(row *store.Session) { row.Pinned = on })
		}))
}

// archive takes a session out of the list of those in use, or puts it back.
func (l *Model) archive(s Line) tea.Cmd {
	if !s.Deleted.IsZero() {
		return l.hide(l.trashing(s, false))
	}
	return l.hide(switching(s, !s.Archived, "Archived", "Unarchived", func(ctx context.Context, on bool) error {
		return l.With.Store.Update(ctx, s.ID, func(row *store.Session) { row.Archived = on })
	}))
}

// delete moves a session to the trash. In the trash it asks whether it is to go for good.
func (l *Model) delete(s Line) tea.Cmd {
	open := s.ID == l.Info.ID
	_, busy := l.Screen.State(s.ID)
	switch {
	case busy, open && l.Busy:
		return l.Fail("An answer is still arriving in this chat; stop it first.")
	case slices.Contains(l.leased, s.ID):
		return l.Fail("This chat is open in another window; close it there first.")
	case !s.Deleted.IsZero():
		l.purge = &s
		return nil
	case open:
		left := l.Screen.New()
		return tea.Batch(left, l.change(l.trashing(s, true)))
	}
	return l.hide(l.trashing(s, true))
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
	what string                    // is typed
	keep func(text string) tea.Cmd // takes what was typed
}

// startRename has the title of a session typed.
func (l *Model) startRename(s Line) tea.Cmd {
	titled := func(title string) change {
		return change{id: s.ID, said: "The title is now “" + title + "”.", do: l.Screen.Rename(s.ID, title)}
	}
	l.edit = &edit{theme.NewField(s.Title), "title", func(title string) tea.Cmd {
		to, from := titled(title), titled(s.Title)
		if s.Title != "" {
			to.undo = &from
		}
		return l.change(to)
	}}
	return nil
}

// startTags has the tags of a session typed.
func (l *Model) startTags(s Line) tea.Cmd {
	tagged := func(tags []string) change {
		said := "The tags are now " + strings.Join(tags, ", ") + "."
		if len(tags) == 0 {
			said = "The chat has no tags now."
		}
		return change{id: s.ID, said: said, do: func(ctx context.Context) error {
			return l.With.Store.Update(ctx, s.ID, func(row *store.Session) { row.Tags = tags })
		}}
	}
	l.edit = &edit{theme.NewField(strings.Join(s.Tags, " ")), "tags", func(text string) tea.Cmd {
		to, from := tagged(tagsIn(text)), tagged(s.Tags)
		to.undo = &from
		return l.change(to)
	}}
	l.edit.Insert(" ") // for the next one
	return nil
}

// editKey is a key while a title or tags are typed.
func (l *Model) editKey(msg tea.KeyPressMsg) tea.Cmd {
	k, edit := &l.Keys, l.edit
	text := strings.TrimSpace(edit.Text())
	switch {
	case k.Pressed(msg, keymap.Choose) && text == "" && edit.what == "title":
		return l.Fail("A chat needs a title; " + k.First(keymap.Back) + " keeps the old one.")
	case k.Pressed(msg, keymap.Choose):
		l.edit = nil
		return edit.keep(text)
	case k.Pressed(msg, keymap.Back):
		l.edit = nil
	case !edit.Typed(msg):
		return l.NoKey(msg, k.First(keymap.Choose)+" keeps what you typed, "+k.First(keymap.Back)+
			" discards the change.")
	}
	return nil
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
