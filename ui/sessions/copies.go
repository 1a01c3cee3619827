package sessions

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/session/store/backup"
	"winnow/ui/keymap"
)

// heldCopies are the backups and the files set aside that still hold a purged session.
type heldCopies struct {
	session store.Session
	files   []backup.Copy
}

// damaged reports whether none of the files can be rewritten.
func (h *heldCopies) damaged() bool {
	return !slices.ContainsFunc(h.files, func(c backup.Copy) bool { return !c.Damaged })
}

// question is asked above the list.
func (h *heldCopies) question() string {
	switch n := len(h.files); {
	case h.damaged() && n == 1:
		return "A damaged file that was set aside may still contain it. Delete the file?"
	case h.damaged():
		return fmt.Sprintf("%d damaged files that were set aside may still contain it. Delete them?", n)
	case n == 1:
		return "A backup or a file set aside still contains it. Rewrite the file without it?"
	default:
		return fmt.Sprintf("%d backups and files set aside still contain it. Rewrite them without it?", n)
	}
}

// names are the names of the files without their folders.
func (h *heldCopies) names() string {
	var out []string
	for _, c := range h.files {
		out = append(out, filepath.Base(c.Path))
	}
	return strings.Join(out, ", ")
}

// remaining says what to do once the list is closed and nothing can be asked in it.
func (h *heldCopies) remaining() string {
	return fmt.Sprintf("The purged session is still in %s. To remove it there: winnow sessions purge --copies rewrite %s", h.names(), h.session.ID)
}

func (l *Model) copiesHints() []key.Binding {
	k := &l.Keys
	if l.held.damaged() {
		return []key.Binding{k.Hint("delete", keymap.Delete), k.Hint("keep", keymap.Refuse)}
	}
	return []key.Binding{k.Hint("rewrite", keymap.Allow), k.Hint("delete", keymap.Delete), k.Hint("keep", keymap.Refuse)}
}

// copiesKey answers what becomes of the files that hold a purged session.
func (l *Model) copiesKey(msg tea.KeyPressMsg) tea.Cmd {
	k := &l.Keys
	held := l.held
	switch {
	case k.Pressed(msg, keymap.Allow) && !held.damaged():
		return l.changeCopies("Rewritten without it: ", func(ctx context.Context, c backup.Copy) error {
			if c.Damaged {
				return nil // asked about next
			}
			return store.PurgeCopy(ctx, c, held.session)
		})
	case k.Pressed(msg, keymap.Delete):
		return l.changeCopies("Deleted: ", func(_ context.Context, c backup.Copy) error { return c.Delete() })
	case k.Pressed(msg, keymap.Refuse, keymap.Back):
		l.held = nil
		return l.Say("Not changed: " + held.names() + ".")
	}
	if held.damaged() {
		return l.NoKey(msg, k.First(keymap.Delete)+" deletes them, "+k.First(keymap.Refuse)+" keeps them.")
	}
	return l.NoKey(msg, k.First(keymap.Allow)+" rewrites them, "+k.First(keymap.Delete)+" deletes them, "+k.First(keymap.Refuse)+" keeps them.")
}

// changeCopies does something to each of the files. Those that hold the session even then are asked
// about again, unless it failed.
func (l *Model) changeCopies(sentence string, change func(context.Context, backup.Copy) error) tea.Cmd {
	held := l.held
	l.held = nil
	return l.start(action{id: held.session.ID, sentence: sentence + held.names() + ".", purge: &held.session, do: func(ctx context.Context) error {
		var errs []error
		for _, c := range held.files {
			errs = append(errs, change(ctx, c))
		}
		return errors.Join(errs...)
	}})
}
