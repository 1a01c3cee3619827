package sessions

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// undo reverts a change of a chat.
type undo struct {
	of line
	do func(context.Context) error
}

// act changes a chat after all changes that are still running, and then shows a notice and reads the list again. Back
// reverts the change; nil if it cannot be undone.
func (l *Model) act(s line, said string, do, back func(context.Context) error) tea.Cmd {
	l.PendingChanges++
	l.reading++ // what is being read may not have the change
	if back != nil {
		l.undos = append(l.undos, undo{s, back})
	}
	return l.InOrder(do, func(err error) tea.Cmd {
		l.PendingChanges--
		l.Hooks.Changed()
		if err != nil {
			return tea.Batch(l.ReportError(err), l.Refresh())
		}
		return tea.Batch(l.Say(said), l.Refresh())
	})
}

// undo reverts the last change made in the list.
func (l *Model) undo() tea.Cmd {
	if len(l.undos) == 0 {
		return l.Say("There is nothing to undo here.")
	}
	last := l.undos[len(l.undos)-1]
	l.undos = l.undos[:len(l.undos)-1]
	return l.act(last.of, last.of.after("Undone"), last.do, nil)
}

// after says what was done to a chat.
func (s line) after(done string) string { return done + ": “" + s.name() + "”." }

// change changes the row of a chat. It can be undone.
func (l *Model) change(s line, said string, set func(row *store.Session)) tea.Cmd {
	db, was := l.Deps.Store, s.Session // replaced by the stored row before the change
	update := func(set func(*store.Session)) func(context.Context) error {
		return func(ctx context.Context) error { return db.UpdateSession(ctx, s.ID, set) }
	}
	return l.act(s, said, update(func(row *store.Session) {
		was = *row
		set(row)
	}), update(func(row *store.Session) {
		row.Tags, row.Pinned, row.Archived, row.Deleted = was.Tags, was.Pinned, was.Archived, was.Deleted
	}))
}

// move moves a chat to another shelf, and hides it from this one at once.
func (l *Model) move(s line, done string, set func(row *store.Session)) tea.Cmd {
	said := s.after(done)
	if l.List.Filter.Text() == "" {
		said += " " + l.Keys.First(keymap.Undo) + " undoes this."
	}
	l.hide(s.ID)
	return l.change(s, said, set)
}

// hide removes a chat from the list.
func (l *Model) hide(id string) {
	l.listing.Sessions = slices.DeleteFunc(l.listing.Sessions, func(s store.Session) bool { return s.ID == id })
	l.found.Hits = slices.DeleteFunc(l.found.Hits, func(h store.SearchHit) bool { return h.Session.ID == id })
	l.fill()
}

// pin pins a chat to the top of the list, or unpins it.
func (l *Model) pin(s line) tea.Cmd {
	done := map[bool]string{false: "Pinned to the top of the list", true: "Unpinned"}[s.Pinned]
	return l.change(s, s.after(done), func(row *store.Session) { row.Pinned = !s.Pinned })
}

// archive archives or unarchives a chat. In the trash it restores it.
func (l *Model) archive(s line) tea.Cmd {
	if s.Deleted.IsZero() {
		done := map[bool]string{false: "Archived", true: "Unarchived"}[s.Archived]
		return l.move(s, done, func(row *store.Session) { row.Archived = !s.Archived })
	}
	done := map[bool]string{false: "Restored", true: "Restored to the archive"}[s.Archived]
	return l.move(s, done, func(row *store.Session) { row.Deleted = time.Time{} })
}

// delete moves a chat to the trash. In the trash it asks whether to delete it permanently.
func (l *Model) delete(s line) tea.Cmd {
	open := s.ID == l.Info.ID
	_, busy := l.Hooks.StatusOf(s.ID)
	now := l.Deps.Now()
	discard := func(row *store.Session) { row.Deleted = now }
	switch {
	case busy, open && l.Busy:
		return l.Fail("An answer is still arriving in this chat; stop it first.")
	case slices.Contains(l.listing.Leased, s.ID):
		return l.Fail("This chat is open in another window; close it there first.")
	case !s.Deleted.IsZero():
		return l.startPurge(s)
	case open:
		left := l.Hooks.New()
		return tea.Batch(left, l.change(s, s.after("Moved to the trash"), discard))
	}
	return l.move(s, "Moved to the trash", discard)
}

// startPurge asks for a typed yes before it deletes a chat permanently, with everything that could be undone for it. A
// key that is held down or pressed late cannot confirm.
func (l *Model) startPurge(s line) tea.Cmd {
	db, asks := l.Deps.Store, "Type yes to permanently delete “"+s.name()+"”"
	return l.startEdit(asks, "delete permanently", "", func(answer string) tea.Cmd {
		if answer != "yes" {
			return l.Say("The chat stays in the trash.")
		}
		l.undos = slices.DeleteFunc(l.undos, func(u undo) bool { return u.of.ID == s.ID })
		l.hide(s.ID)
		said := s.after("Deleted permanently") + " Backups may still hold it: " +
			"winnow sessions purge --copies rewrite " + s.ID + "."
		return l.act(s, said, func(ctx context.Context) error { return db.Purge(ctx, s.ID) }, nil)
	})
}

// edit is a text field about a chat: its title, its tags, or the confirmation of a purge.
type edit struct {
	theme.Field
	asks string                    // label before the text
	does string                    // key hint of enter
	keep func(text string) tea.Cmd // is called with the text
}

// startEdit opens a text field in place of the filter.
func (l *Model) startEdit(asks, does, text string, keep func(text string) tea.Cmd) tea.Cmd {
	l.edit = &edit{theme.NewField(text), asks, does, keep}
	return nil
}

// startRename edits the title of a chat. Setting the first title cannot be undone.
func (l *Model) startRename(s line) tea.Cmd {
	return l.startEdit("Title", "save the title", s.Title, func(title string) tea.Cmd {
		back := l.Hooks.Rename(s.ID, s.Title)
		switch {
		case title == "":
			return l.Fail("A chat needs a title: the old one is kept.")
		case s.Title == "":
			back = nil
		}
		return l.act(s, "The title is now “"+title+"”.", l.Hooks.Rename(s.ID, title), back)
	})
}

// tag matches a tag: tags are separated by white space or commas, and may begin with #.
var tag = regexp.MustCompile(`[^\s\pZ,#][^\s\pZ,]*`)

// startTags edits the tags of a chat.
func (l *Model) startTags(s line) tea.Cmd {
	l.startEdit("Tags", "save the tags", strings.Join(s.Tags, " "), func(text string) tea.Cmd {
		tags := tag.FindAllString(text, -1)
		said := "The tags are now " + strings.Join(tags, ", ") + "."
		if len(tags) == 0 {
			said = "The chat has no tags now."
		}
		return l.change(s, said, func(row *store.Session) { row.Tags = tags })
	})
	l.edit.Insert(" ") // before the next tag
	return nil
}

// editKey handles a key in a text field.
func (l *Model) editKey(msg tea.KeyPressMsg) tea.Cmd {
	k, edit := &l.Keys, l.edit
	switch {
	case k.Pressed(msg, keymap.Choose):
		l.edit = nil
		return edit.keep(strings.TrimSpace(edit.Text()))
	case k.Pressed(msg, keymap.Back):
		l.edit = nil
	case !edit.HandleKey(msg):
		return l.NoKey(msg, k.First(keymap.Choose)+" keeps what you typed, "+k.First(keymap.Back)+
			" discards the change.")
	}
	return nil
}
