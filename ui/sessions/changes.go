package sessions

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// undo takes back what was done to a session.
type undo struct {
	of line
	do func(context.Context) error
}

// act does something to a session, after what is being done already, and says so. What takes it back is nil where
// nothing can. The list is read again after the last one.
func (l *Model) act(s line, said string, do, back func(context.Context) error) tea.Cmd {
	l.Pending++
	l.reading++ // what is being read knows nothing of it
	if back != nil {
		l.undos = append(l.undos, undo{s, back})
	}
	return l.InOrder(do, func(err error) tea.Cmd {
		l.Pending--
		l.Screen.Changed()
		if err != nil {
			return tea.Batch(l.Failed(err), l.Reread())
		}
		return tea.Batch(l.Say(said), l.Reread())
	})
}

// undo takes back what was done last in the list.
func (l *Model) undo() tea.Cmd {
	if len(l.undos) == 0 {
		return l.Say("There is nothing to undo here.")
	}
	last := l.undos[len(l.undos)-1]
	l.undos = l.undos[:len(l.undos)-1]
	return l.act(last.of, last.of.after("Undone"), last.do, nil)
}

// after is what is said of a session after something was done to it.
func (s line) after(done string) string { return done + ": “" + s.name() + "”." }

// change changes the row of a session.
func (l *Model) change(s line, said string, set func(row *store.Session)) tea.Cmd {
	db, was := l.With.Store, s.Session // until its row is read
	update := func(set func(*store.Session)) func(context.Context) error {
		return func(ctx context.Context) error { return db.Update(ctx, s.ID, set) }
	}
	return l.act(s, said, update(func(row *store.Session) {
		was = *row
		set(row)
	}), update(func(row *store.Session) {
		row.Pinned, row.Archived, row.Deleted = was.Pinned, was.Archived, was.Deleted
	}))
}

// move moves a session to another shelf. It is gone from this one before the list is read again.
func (l *Model) move(s line, done string, set func(row *store.Session)) tea.Cmd {
	said := s.after(done)
	if l.List.Filter.Text() == "" {
		said += " " + l.Keys.First(keymap.Undo) + " undoes this."
	}
	l.hide(s.ID)
	return l.change(s, said, set)
}

// hide takes a session out of sight.
func (l *Model) hide(id string) {
	l.listing.Sessions = slices.DeleteFunc(l.listing.Sessions, func(s store.Session) bool { return s.ID == id })
	l.found.Hits = slices.DeleteFunc(l.found.Hits, func(h store.Hit) bool { return h.Session.ID == id })
	l.fill()
}

// pin pins a session to the top of the list, or unpins it.
func (l *Model) pin(s line) tea.Cmd {
	done := map[bool]string{false: "Pinned to the top of the list", true: "Unpinned"}[s.Pinned]
	return l.change(s, s.after(done), func(row *store.Session) { row.Pinned = !s.Pinned })
}

// archive takes a session out of the list of those in use, or puts it back; out of the trash, where it is there.
func (l *Model) archive(s line) tea.Cmd {
	if s.Deleted.IsZero() {
		done := map[bool]string{false: "Archived", true: "Unarchived"}[s.Archived]
		return l.move(s, done, func(row *store.Session) { row.Archived = !s.Archived })
	}
	done := map[bool]string{false: "Restored", true: "Restored to the archive"}[s.Archived]
	return l.move(s, done, func(row *store.Session) { row.Deleted = time.Time{} })
}

// delete moves a session to the trash. In the trash it asks whether it is to go for good.
func (l *Model) delete(s line) tea.Cmd {
	open := s.ID == l.Info.ID
	_, busy := l.Screen.State(s.ID)
	discard := func(row *store.Session) { row.Deleted = time.Now() }
	switch {
	case busy, open && l.Busy:
		return l.Fail("An answer is still arriving in this chat; stop it first.")
	case slices.Contains(l.listing.Leased, s.ID):
		return l.Fail("This chat is open in another window; close it there first.")
	case !s.Deleted.IsZero():
		l.purge = &s
		return nil
	case open:
		left := l.Screen.New()
		return tea.Batch(left, l.change(s, s.after("Moved to the trash"), discard))
	}
	return l.move(s, "Moved to the trash", discard)
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
	db := l.With.Store
	l.purge = nil
	l.undos = slices.DeleteFunc(l.undos, func(u undo) bool { return u.of.ID == s.ID })
	l.hide(s.ID)
	said := s.after("Deleted permanently") + " Backups may still hold it: " +
		"winnow sessions purge --copies rewrite " + s.ID + "."
	return l.act(s, said, func(ctx context.Context) error { return db.Purge(ctx, s.ID) }, nil)
}

// rename is a session while its new title is typed.
type rename struct {
	theme.Field
	of line
}

// startRename has the title of a session typed.
func (l *Model) startRename(s line) tea.Cmd {
	l.rename = &rename{theme.NewField(s.Title), s}
	return nil
}

// renameKey is a key while a title is typed. A first title cannot be taken back.
func (l *Model) renameKey(msg tea.KeyPressMsg) tea.Cmd {
	k, s := &l.Keys, l.rename.of
	switch title := strings.TrimSpace(l.rename.Text()); {
	case k.Pressed(msg, keymap.Choose) && title == "":
		return l.Fail("A chat needs a title; " + k.First(keymap.Back) + " keeps the old one.")
	case k.Pressed(msg, keymap.Choose):
		l.rename = nil
		back := l.Screen.Rename(s.ID, s.Title)
		if s.Title == "" {
			back = nil
		}
		return l.act(s, "The title is now “"+title+"”.", l.Screen.Rename(s.ID, title), back)
	case k.Pressed(msg, keymap.Back):
		l.rename = nil
	case !l.rename.Typed(msg):
		return l.NoKey(msg, k.First(keymap.Choose)+" keeps what you typed, "+k.First(keymap.Back)+
			" discards the change.")
	}
	return nil
}
